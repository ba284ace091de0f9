//! The pruning models. A weights file may hold them in addition to its evaluation.

use super::ends::{ENDS, Ends};
use super::probcut::{PROBCUT, ProbCut};
use super::realization::{REALIZATION, Realization};
use crate::file::Section;

/// The models of a weights file, as far as `othello-trainer calibrate` added them.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// The model of a deep search's value, given a shallow search's.
    pub probcut: Option<ProbCut>,
    /// The model of a score near the end, given a shallow search's value.
    pub ends: Option<Ends>,
    /// The probabilities of moves.
    pub realization: Option<Realization>,
}

impl Models {
    /// The empty set of models.
    pub const NONE: Self = Self { probcut: None, ends: None, realization: None };

    /// Returns the sections of the file, one for each model.
    pub fn sections(&self) -> impl Iterator<Item = Section> + '_ {
        let probcut = self.probcut.iter().map(ProbCut::section);
        let ends = self.ends.iter().map(Ends::section);
        probcut.chain(ends).chain(self.realization.iter().map(Realization::section))
    }

    /// Takes over a section; returns whether it is a section of a model.
    ///
    /// # Errors
    /// A message for a model that is damaged or comes a second time.
    pub fn take(&mut self, name: &str, content: &[u8]) -> Result<bool, String> {
        match name {
            PROBCUT => once(&mut self.probcut, ProbCut::from_section(content)?)?,
            ENDS => once(&mut self.ends, Ends::from_section(content)?)?,
            REALIZATION => once(&mut self.realization, Realization::from_section(content)?)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Fills a place that one file may fill only once.
pub(super) fn once<T>(place: &mut Option<T>, content: T) -> Result<(), String> {
    first_time(&mut place.is_some())?;
    *place = Some(content);
    Ok(())
}

/// Notes that something came that may come only once in a file.
pub(super) fn first_time(came: &mut bool) -> Result<(), String> {
    match std::mem::replace(came, true) {
        false => Ok(()),
        true => Err("comes a second time".to_owned()),
    }
}
