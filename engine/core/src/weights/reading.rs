use std::collections::BTreeSet;
use std::path::Path;

use ndarray::{Array2, aview1};

use super::by_class::{Counts, PATTERN_SET, Result, Weights, WeightsError, WeightsFile, row};
use super::factors::section_name;
use super::move_ordering::{ORDERING_SET, ORDERING_WEIGHTS};
use super::{Factors, Models, MoveOrderingWeights, PhaseSection, check_first, once};
use crate::board::{PHASES, Phase};
use crate::file::{FileError, Kind, Provenance, Reader, Section, sha256_of};
use crate::pattern::{FactorShape, Geometry, PatternSet};
use crate::text::excerpt;

impl Weights {
    /// Reads a weights file. Checks the whole file, including its checksums.
    pub fn read(path: &Path) -> Result<WeightsFile> {
        read(Reader::open(path, Kind::Weights)?, true)
    }

    /// Reads a weights file from memory, as [`Self::read`] does. Messages use `name` as the path.
    pub fn read_bytes(name: &Path, bytes: Vec<u8>) -> Result<WeightsFile> {
        read(Reader::of_bytes(name, bytes, Kind::Weights)?, true)
    }

    /// Reads a weights file from memory. The file may lack the counts of occurrences in training;
    /// all counts become 0. Checks each section. Messages use `name` as the path.
    pub fn read_without_counts(
        name: &Path,
        bytes: impl AsRef<[u8]> + Send + 'static,
    ) -> Result<WeightsFile> {
        let sha256 = sha256_of(bytes.as_ref());
        let reader = Reader::of_bytes(name, bytes, Kind::Weights)?.of_part();
        Ok(WeightsFile { sha256, ..read(reader, false)? })
    }
}

impl Counts {
    /// Reads the counts of occurrences in training, and the provenance, from a weights file in
    /// memory, which may lack all other sections. `set` is the pattern set of the counts. Messages
    /// use `name` as the path.
    pub fn read_part(name: &Path, bytes: Vec<u8>, set: &PatternSet) -> Result<(Self, Provenance)> {
        let mut reader = Reader::of_bytes(name, bytes, Kind::Weights)?.of_part();
        let mut parts = ReadSections::of(set.clone(), true);
        parts.take_all(&mut reader)?;
        parts.require(name, Phase::all().map(PhaseSection::counts_name))?;
        Ok((Self(parts.weights.counts), reader.provenance().clone()))
    }
}

/// Reads a weights file. With `has_counts`, the file must have training counts, which are also
/// read. The checksum is empty if `reader` accepts an incomplete file ([`Reader::of_part`]).
fn read(mut reader: Reader, has_counts: bool) -> Result<WeightsFile> {
    let path = &reader.path().to_owned();
    let provenance = reader.provenance().clone();
    let mut parts = ReadSections::of(pattern_set(&mut reader)?, has_counts);
    parts.came.insert(PATTERN_SET.to_owned());
    parts.take_all(&mut reader)?;
    parts.require(path, parts.required_sections())?;
    let sha256 = reader.sha256().unwrap_or_default().to_owned();
    Ok(WeightsFile { weights: parts.weights, provenance, sha256 })
}

pub(super) fn pattern_set(reader: &mut Reader) -> Result<PatternSet> {
    let first = reader.next().transpose()?.filter(|section| section.name == PATTERN_SET);
    let path = reader.path();
    let first = first.ok_or_else(|| missing(path, PATTERN_SET.to_owned()))?;
    let text = str::from_utf8(&first.content)
        .map_err(|_| unusable(path, PATTERN_SET, "is not text in UTF-8".into()))?;
    PatternSet::from_toml(text).map_err(|error| unusable(path, PATTERN_SET, error.to_string()))
}

pub(super) fn missing(path: &Path, section: String) -> WeightsError {
    let reason = format!("section `{section}` is missing: the file is not a complete weights file");
    FileError::refused(path, reason).into()
}

pub(super) fn unusable(path: &Path, section: &str, problem: String) -> WeightsError {
    FileError::refused(path, format!("section `{}`: {problem}", excerpt(section))).into()
}

/// The contents of the sections read so far. Memory for weights, counts or factors is allocated at
/// the first such section. If counts are not read, `weights.counts` is one row of zeros.
pub(super) struct ReadSections {
    pub(super) weights: Weights,
    /// The names of the sections read so far. For `weight changes 07`, the set has `weights 07`.
    came: BTreeSet<String>,
    counts_kept: bool,
    ordering_set: Option<Vec<u8>>,
}

impl ReadSections {
    pub(super) fn of(set: PatternSet, counts_kept: bool) -> Self {
        let geometry = Geometry::new(&set);
        let parameters = geometry.parameters();
        let factors = |shape: FactorShape| {
            let groups = vec![vec![]; shape.groups()];
            Factors { shape, parameters, groups }
        };
        let weights = Weights {
            steps: Array2::zeros((0, parameters)),
            counts: Array2::zeros((usize::from(!counts_kept), parameters)),
            factors: set.factors().map(factors),
            set,
            geometry,
            ordering: None,
            models: Models::NONE,
        };
        Self { weights, came: BTreeSet::new(), counts_kept, ordering_set: None }
    }

    fn take_all(&mut self, reader: &mut Reader) -> Result<()> {
        while self.take_next(reader)? {}
        Ok(())
    }

    pub(super) fn take_next(&mut self, reader: &mut Reader) -> Result<bool> {
        let Some(section) = reader.next().transpose()? else { return Ok(false) };
        self.take(&section).map_err(|problem| unusable(reader.path(), &section.name, problem))?;
        Ok(true)
    }

    /// Stores a section's content. Ignores unknown section names, which later versions may write.
    fn take(&mut self, section: &Section) -> Result<(), String> {
        let parameters = self.weights.geometry.parameters();
        match section.name.as_str() {
            PATTERN_SET => return check_first(self.came.insert(section.name.clone())),
            ORDERING_SET => return once(&mut self.ordering_set, section.content.clone()),
            ORDERING_WEIGHTS => {
                let set = self.ordering_set.as_deref();
                let set = set.ok_or_else(|| format!("stands before `{ORDERING_SET}`"))?;
                let ordering = MoveOrderingWeights::from_sections(set, &section.content)?;
                self.came.insert(section.name.clone());
                return once(&mut self.weights.ordering, ordering);
            }
            name if self.weights.models.take(name, &section.content)? => return Ok(()),
            _ => {}
        }
        if let Some(all) = &mut self.weights.factors
            && let Some((group, factors)) = Factors::read_group(all.shape, parameters, section)?
        {
            check_first(self.came.insert(section.name.clone()))?;
            all.groups[group] = factors.to_vec();
            return Ok(());
        }
        match PhaseSection::read(section, parameters)? {
            Some(PhaseSection::Weights(phase, numbers)) => {
                let has = |before| self.came.contains(&PhaseSection::weights_name(before));
                let before =
                    |before: Phase| has(before).then(|| row(&self.weights.steps, before.index()));
                let steps = numbers.weights(phase, before)?;
                check_first(self.came.insert(PhaseSection::weights_name(phase)))?;
                put_row(&mut self.weights.steps, phase, &steps);
            }
            Some(PhaseSection::Counts(phase, numbers)) => {
                // Without stored counts, an empty row shows that the previous phase was read.
                let kept = |at| if self.counts_kept { row(&self.weights.counts, at) } else { &[] };
                let has = |before| self.came.contains(&PhaseSection::counts_name(before));
                let before = |before: Phase| has(before).then(|| kept(before.index()));
                let counts = numbers.after(phase, before, u32::wrapping_add)?;
                check_first(self.came.insert(PhaseSection::counts_name(phase)))?;
                if self.counts_kept {
                    put_row(&mut self.weights.counts, phase, &counts);
                }
            }
            None => {}
        }
        Ok(())
    }

    fn required_sections(&self) -> impl Iterator<Item = String> {
        let counts = Phase::all().filter(|_| self.counts_kept).map(PhaseSection::counts_name);
        let groups = self.weights.factors.as_ref().map_or(0, |factors| factors.groups.len());
        let ordering = self.ordering_set.iter().map(|_| ORDERING_WEIGHTS.to_owned());
        let weights = Phase::all().map(PhaseSection::weights_name);
        weights.chain(counts).chain((0..groups).map(section_name)).chain(ordering)
    }

    fn require(&self, path: &Path, mut names: impl Iterator<Item = String>) -> Result<()> {
        let absent = names.find(|name| !self.came.contains(name));
        absent.map_or(Ok(()), |name| Err(missing(path, name)))
    }
}

fn put_row<T: Copy + Default>(matrix: &mut Array2<T>, phase: Phase, row: &[T]) {
    if matrix.is_empty() {
        *matrix = Array2::from_elem((PHASES, row.len()), T::default());
    }
    matrix.row_mut(phase.index()).assign(&aview1(row));
}

#[cfg(test)]
mod tests;
