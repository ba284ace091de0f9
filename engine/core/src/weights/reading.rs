//! Reads a weights file, section by section, into weights by class or into expanded tables.

use std::borrow::Cow;
use std::path::Path;

use super::factors::section_name;
use super::models::{first_time, once};
use super::move_ordering::{ORDERING_SET, ORDERING_WEIGHTS};
use super::rows::Rows;
use super::{Factors, Models, MoveOrderingWeights, PhaseSection};
use crate::board::{PHASES, Phase};
use crate::file::{FileError, Provenance, Reader, Section};
use crate::pattern::{Geometry, PatternSet};
use crate::text::excerpt;

pub(super) const PATTERN_SET: &str = "pattern set";

/// The error for weights that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum WeightsError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "this program has no embedded weights: name a weights file, or build it with the \
         feature `embedded` of othello-engine"
    )]
    NotEmbedded,
    #[error("`{0}` has no weights by class; name a weights file, or `embedded`")]
    NotByClass(String),
}

/// Receives the weights and factors of a weights file from a reader that checks them. The weights
/// of each phase and the factors of each group of phases come once, in any order. A receiver must
/// not allocate memory for weights or factors before the first of them comes.
pub(super) trait Receiver {
    fn new(set: &PatternSet, geometry: &Geometry) -> Self;

    /// Returns the weights by class of a phase that [`Self::take_steps`] has already received.
    fn steps(&self, phase: Phase) -> Cow<'_, [i16]>;

    /// Receives the weights of a phase, one for each parameter, in steps of 1/32 disc.
    fn take_steps(&mut self, phase: Phase, steps: Vec<i16>);

    /// Receives the factor vectors of all parameters in a group of phases, one after another.
    fn take_factors(&mut self, group: usize, factors: &[i8]);
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CountsAre {
    /// The file must contain all counts, and the reader stores them.
    Kept,
    /// The file must contain all counts, which the reader checks but does not store.
    Checked,
    /// The counts may be missing: some files omit them to save space.
    LeftOut,
}

/// Reads a weights file and checks every part of it. Also returns its provenance and its checksum,
/// which is empty for a file from which sections were omitted.
pub(super) fn read<R: Receiver>(
    mut reader: Reader,
    counts: CountsAre,
) -> Result<(ReadSections<R>, Provenance, String), WeightsError> {
    let path = &reader.path().to_owned();
    let provenance = reader.provenance().clone();
    let mut parts = ReadSections::<R>::of(pattern_set(&mut reader)?, counts == CountsAre::Kept);
    parts.set_came = true;
    parts.take_all(&mut reader)?;
    parts.are_whole(counts).map_err(|section| missing(path, section))?;
    Ok((parts, provenance, reader.sha256().unwrap_or_default().to_owned()))
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

/// The contents of the sections already read. The flags state which phases and groups were read.
pub(super) struct ReadSections<R> {
    pub(super) set: PatternSet,
    pub(super) geometry: Geometry,
    set_came: bool,
    steps_came: [bool; PHASES],
    counts_came: [bool; PHASES],
    groups_came: Vec<bool>,
    pub(super) received: R,
    /// The training counts with a row for each phase; without rows if they are not stored.
    pub(super) counts: Rows<u32>,
    counts_kept: bool,
    ordering_set: Option<Vec<u8>>,
    pub(super) ordering: Option<MoveOrderingWeights>,
    pub(super) models: Models,
}

impl<R: Receiver> ReadSections<R> {
    /// Creates the state before any section is read. The section of the pattern set may follow.
    pub(super) fn of(set: PatternSet, counts_kept: bool) -> Self {
        let geometry = Geometry::new(&set);
        Self {
            set_came: false,
            steps_came: [false; PHASES],
            counts_came: [false; PHASES],
            groups_came: vec![false; set.factors().map_or(0, |shape| shape.groups())],
            received: R::new(&set, &geometry),
            counts: Rows::new(&geometry),
            counts_kept,
            set,
            geometry,
            ordering_set: None,
            ordering: None,
            models: Models::NONE,
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

    /// Stores the content of a section. Ignores unknown names, which later versions may write.
    fn take(&mut self, section: &Section) -> Result<(), String> {
        let parameters = self.geometry.parameters();
        match section.name.as_str() {
            PATTERN_SET => return first_time(&mut self.set_came),
            ORDERING_SET => return once(&mut self.ordering_set, section.content.clone()),
            ORDERING_WEIGHTS => {
                let set = self.ordering_set.as_deref();
                let set = set.ok_or_else(|| format!("stands before `{ORDERING_SET}`"))?;
                let ordering = MoveOrderingWeights::from_sections(set, &section.content)?;
                return once(&mut self.ordering, ordering);
            }
            name if self.models.take(name, &section.content)? => return Ok(()),
            _ => {}
        }
        if let Some(shape) = self.set.factors()
            && let Some((group, factors)) = Factors::read_group(shape, parameters, section)?
        {
            first_time(&mut self.groups_came[group])?;
            self.received.take_factors(group, factors);
            return Ok(());
        }
        match PhaseSection::read(section, parameters)? {
            Some(PhaseSection::Weights(phase, row)) => {
                let before = |before: Phase| {
                    self.steps_came[before.index()].then(|| self.received.steps(before))
                };
                let steps = row.weights(phase, before)?;
                first_time(&mut self.steps_came[phase.index()])?;
                self.received.take_steps(phase, steps);
            }
            Some(PhaseSection::Counts(phase, row)) => {
                // Without stored counts, an empty row shows that the previous phase was read.
                let kept = |before| if self.counts_kept { self.counts.row(before) } else { &[] };
                let before = |before: Phase| {
                    self.counts_came[before.index()].then(|| Cow::Borrowed(kept(before)))
                };
                let counts = row.after(phase, before, u32::wrapping_add)?;
                first_time(&mut self.counts_came[phase.index()])?;
                if self.counts_kept {
                    self.counts.put(phase, &counts);
                }
            }
            None => {}
        }
        Ok(())
    }

    fn are_whole(&self, counts: CountsAre) -> Result<(), String> {
        first_missing(&self.steps_came, PhaseSection::weights_name)?;
        if counts != CountsAre::LeftOut {
            self.all_counts_came()?;
        }
        if let Some(group) = self.groups_came.iter().position(|came| !came) {
            return Err(section_name(group));
        }
        if self.ordering_set.is_some() && self.ordering.is_none() {
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

#[cfg(test)]
mod tests;
