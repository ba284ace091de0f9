//! The pruning models, which a weights file may contain in addition to the evaluation.

use super::ends::{ENDS, Ends};
use super::probcut::{PROBCUT, ProbCut};
use super::realization::{REALIZATION, Realization};
use crate::file::Section;

/// The models that a search uses for pruning; `othello-trainer calibrate` adds them to a file.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// The ProbCut model, which predicts the value of a deep search from a shallow one, if any.
    pub probcut: Option<ProbCut>,
    /// The endgame ProbCut model, which predicts exact scores from shallow searches, if any.
    pub ends: Option<Ends>,
    /// The probability that a move of each kind is played (realization probability), if any.
    pub realization: Option<Realization>,
}

impl Models {
    /// The empty set of models.
    pub const NONE: Self = Self { probcut: None, ends: None, realization: None };

    /// Returns the sections that store the models in a weights file, one for each model.
    pub fn sections(&self) -> impl Iterator<Item = Section> + '_ {
        let probcut = self.probcut.iter().map(ProbCut::section);
        let ends = self.ends.iter().map(Ends::section);
        probcut.chain(ends).chain(self.realization.iter().map(Realization::section))
    }

    /// Reads a model from a section. Returns false if `name` is not the name of a model's section.
    ///
    /// # Errors
    /// A message for a model that is damaged or occurs twice.
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

pub(super) fn once<T>(place: &mut Option<T>, content: T) -> Result<(), String> {
    first_time(&mut place.is_some())?;
    *place = Some(content);
    Ok(())
}

pub(super) fn first_time(came: &mut bool) -> Result<(), String> {
    if std::mem::replace(came, true) { Err("occurs twice".to_owned()) } else { Ok(()) }
}
