//! The models of what searches may leave out, which a weights file may carry beside its evaluation.

use super::ends::{ENDS, Ends};
use super::probcut::{PROBCUT, ProbCut};
use super::realization::{REALIZATION, Realization};
use crate::file::Section;

/// The models of a weights file: each is there where `othello-trainer calibrate` made it.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// The values of deeper searches, given those of shallow ones.
    pub probcut: Option<ProbCut>,
    /// The scores of positions near the end, given the values of shallow searches.
    pub ends: Option<Ends>,
    /// The probabilities with which moves are played.
    pub realization: Option<Realization>,
}

impl Models {
    /// No model at all.
    pub const NONE: Self = Self { probcut: None, ends: None, realization: None };

    /// Returns the sections of a file, one for each model that is there.
    pub(crate) fn sections(&self) -> impl Iterator<Item = Section> + '_ {
        let probcut = self.probcut.iter().map(ProbCut::section);
        let ends = self.ends.iter().map(Ends::section);
        probcut.chain(ends).chain(self.realization.iter().map(Realization::section))
    }

    /// Takes over a section; says whether it is one of a model.
    ///
    /// # Errors
    /// A model that is damaged, or comes a second time.
    pub(super) fn take(&mut self, name: &str, content: &[u8]) -> Result<bool, String> {
        match name {
            PROBCUT => once(&mut self.probcut, ProbCut::from_section(content)?)?,
            ENDS => once(&mut self.ends, Ends::from_section(content)?)?,
            REALIZATION => once(&mut self.realization, Realization::from_section(content)?)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Fills a place that a file may fill only once.
pub(super) fn once<T>(place: &mut Option<T>, content: T) -> Result<(), String> {
    match place.replace(content) {
        None => Ok(()),
        Some(_) => Err("comes a second time".to_owned()),
    }
}
