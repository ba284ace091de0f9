use std::path::Path;

use ndarray::{Array2, aview1};

use super::by_class::{Counts, PATTERN_SET, Weights, WeightsError, WeightsFile, row};
use super::factors::section_name;
use super::move_ordering::{ORDERING_SET, ORDERING_WEIGHTS};
use super::{Factors, Models, MoveOrderingWeights, PhaseSection, first_time, once};
use crate::board::{PHASES, Phase};
use crate::file::{FileError, Kind, Provenance, Reader, Section, sha256_of};
use crate::pattern::{FactorShape, Geometry, PatternSet};
use crate::text::excerpt;

impl Weights {
    /// Reads a weights file. Checks the whole file, including its checksums.
    pub fn read(path: &Path) -> Result<WeightsFile, WeightsError> {
        read(Reader::open(path, Kind::Weights)?, true)
    }

    /// Reads a weights file from memory, and checks it as [`Weights::read`] does. Messages use
    /// `name` as the path.
    pub fn read_bytes(name: &Path, bytes: Vec<u8>) -> Result<WeightsFile, WeightsError> {
        read(Reader::of_bytes(name, bytes, Kind::Weights)?, true)
    }

    /// Reads from memory a weights file that may lack the training counts, and checks each section.
    /// In the result, all counts are 0, even if the file has them. Messages use `name` as the path.
    pub fn read_without_counts(
        name: &Path,
        bytes: impl AsRef<[u8]> + Send + 'static,
    ) -> Result<WeightsFile, WeightsError> {
        let sha256 = sha256_of(bytes.as_ref());
        let reader = Reader::of_bytes(name, bytes, Kind::Weights)?.of_part();
        Ok(WeightsFile { sha256, ..read(reader, false)? })
    }
}

impl Counts {
    /// Reads how often each parameter occurred in the training positions of each phase. `bytes` is
    /// the content of a weights file for the pattern set `set` that has only these counts. Also
    /// returns the file's provenance. Error messages give `name` as the file's path.
    pub fn read_part(
        name: &Path,
        bytes: Vec<u8>,
        set: &PatternSet,
    ) -> Result<(Self, Provenance), WeightsError> {
        let mut reader = Reader::of_bytes(name, bytes, Kind::Weights)?.of_part();
        let mut parts = ReadSections::of(set.clone(), true);
        parts.take_all(&mut reader)?;
        parts.all_counts_came().map_err(|section| missing(name, section))?;
        Ok((Self(parts.weights.counts), reader.provenance().clone()))
    }
}

/// Reads a weights file and checks every part of it. The checksum is empty if `reader` comes from
/// [`Reader::of_part`] (a file without some sections). If `has_counts` is false, the file may lack
/// the training counts (some files omit them to save space), and the result has none.
fn read(mut reader: Reader, has_counts: bool) -> Result<WeightsFile, WeightsError> {
    let path = &reader.path().to_owned();
    let provenance = reader.provenance().clone();
    let mut parts = ReadSections::of(pattern_set(&mut reader)?, has_counts);
    parts.set_came = true;
    parts.take_all(&mut reader)?;
    parts.are_whole().map_err(|section| missing(path, section))?;
    let sha256 = reader.sha256().unwrap_or_default().to_owned();
    Ok(WeightsFile { weights: parts.weights, provenance, sha256 })
}

pub(super) fn pattern_set(reader: &mut Reader) -> Result<PatternSet, WeightsError> {
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

/// The contents of the sections read so far. Weights, counts and factors get memory when their
/// first section is read; without stored counts, `weights.counts` is one row of zeros. A `…_came`
/// flag is true if the section of the pattern set, of a phase, or of a group of factors was read.
pub(super) struct ReadSections {
    pub(super) weights: Weights,
    set_came: bool,
    steps_came: [bool; PHASES],
    counts_came: [bool; PHASES],
    groups_came: Vec<bool>,
    counts_kept: bool,
    ordering_set: Option<Vec<u8>>,
}

impl ReadSections {
    /// Creates the state before any section is read. The weights are for `set`; the content of a
    /// pattern-set section that follows is ignored. Stores training counts only if `counts_kept`.
    pub(super) fn of(set: PatternSet, counts_kept: bool) -> Self {
        let geometry = Geometry::new(&set);
        let parameters = geometry.parameters();
        let factors = |shape: FactorShape| {
            let groups = vec![vec![]; shape.groups()];
            Factors { shape, parameters, groups }
        };
        let groups_came = vec![false; set.factors().map_or(0, FactorShape::groups)];
        let weights = Weights {
            steps: Array2::zeros((0, parameters)),
            counts: Array2::zeros((usize::from(!counts_kept), parameters)),
            factors: set.factors().map(factors),
            set,
            geometry,
            ordering: None,
            models: Models::NONE,
        };
        Self {
            weights,
            set_came: false,
            steps_came: [false; PHASES],
            counts_came: [false; PHASES],
            groups_came,
            counts_kept,
            ordering_set: None,
        }
    }

    pub(super) fn take_all(&mut self, reader: &mut Reader) -> Result<(), WeightsError> {
        while self.take_next(reader)? {}
        Ok(())
    }

    pub(super) fn take_next(&mut self, reader: &mut Reader) -> Result<bool, WeightsError> {
        let Some(section) = reader.next().transpose()? else { return Ok(false) };
        self.take(&section).map_err(|problem| unusable(reader.path(), &section.name, problem))?;
        Ok(true)
    }

    /// Stores a section's content. Ignores unknown section names, which later versions may write.
    fn take(&mut self, section: &Section) -> Result<(), String> {
        let parameters = self.weights.geometry.parameters();
        match section.name.as_str() {
            PATTERN_SET => return first_time(&mut self.set_came),
            ORDERING_SET => return once(&mut self.ordering_set, section.content.clone()),
            ORDERING_WEIGHTS => {
                let set = self.ordering_set.as_deref();
                let set = set.ok_or_else(|| format!("stands before `{ORDERING_SET}`"))?;
                let ordering = MoveOrderingWeights::from_sections(set, &section.content)?;
                return once(&mut self.weights.ordering, ordering);
            }
            name if self.weights.models.take(name, &section.content)? => return Ok(()),
            _ => {}
        }
        if let Some(all) = &mut self.weights.factors
            && let Some((group, factors)) = Factors::read_group(all.shape, parameters, section)?
        {
            first_time(&mut self.groups_came[group])?;
            all.groups[group] = factors.to_vec();
            return Ok(());
        }
        match PhaseSection::read(section, parameters)? {
            Some(PhaseSection::Weights(phase, numbers)) => {
                let before = |before: Phase| {
                    self.steps_came[before.index()]
                        .then(|| row(&self.weights.steps, before.index()))
                };
                let steps = numbers.weights(phase, before)?;
                first_time(&mut self.steps_came[phase.index()])?;
                put_row(&mut self.weights.steps, phase, &steps);
            }
            Some(PhaseSection::Counts(phase, numbers)) => {
                // Without stored counts, an empty row shows that the previous phase was read.
                let kept = |at| if self.counts_kept { row(&self.weights.counts, at) } else { &[] };
                let before =
                    |before: Phase| self.counts_came[before.index()].then(|| kept(before.index()));
                let counts = numbers.after(phase, before, u32::wrapping_add)?;
                first_time(&mut self.counts_came[phase.index()])?;
                if self.counts_kept {
                    put_row(&mut self.weights.counts, phase, &counts);
                }
            }
            None => {}
        }
        Ok(())
    }

    fn are_whole(&self) -> Result<(), String> {
        first_missing(&self.steps_came, PhaseSection::weights_name)?;
        if self.counts_kept {
            self.all_counts_came()?;
        }
        if let Some(group) = self.groups_came.iter().position(|came| !came) {
            return Err(section_name(group));
        }
        if self.ordering_set.is_some() && self.weights.ordering.is_none() {
            return Err(ORDERING_WEIGHTS.to_owned());
        }
        Ok(())
    }

    pub(super) fn all_counts_came(&self) -> Result<(), String> {
        first_missing(&self.counts_came, PhaseSection::counts_name)
    }
}

fn first_missing(came: &[bool; PHASES], name: fn(Phase) -> String) -> Result<(), String> {
    let missing = Phase::all().zip(came).find(|(_, came)| !*came);
    missing.map_or(Ok(()), |(phase, _)| Err(name(phase)))
}

fn put_row<T: Copy + Default>(matrix: &mut Array2<T>, phase: Phase, row: &[T]) {
    if matrix.is_empty() {
        *matrix = Array2::from_elem((PHASES, row.len()), T::default());
    }
    matrix.row_mut(phase.index()).assign(&aview1(row));
}

#[cfg(test)]
mod tests;
