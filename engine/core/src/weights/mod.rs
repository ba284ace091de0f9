//! Weights of the evaluation: their unit, their file and its sections, and the layout of the tables
//! that the evaluation reads.
//!
//! A weights file contains one weight for each phase of the game and each class of symmetric
//! pattern configurations. It may also contain factors, weights of the move-ordering evaluation,
//! and pruning models.

mod by_class;
mod factors;
pub mod layout;
mod move_ordering;
mod packed;
mod parts;
mod probcut;
mod reading;
mod realization;
mod sections;
mod value;

pub use by_class::{Counts, Weights, WeightsError, WeightsFile};
pub use factors::{FACTORS_PER_UNIT, Factors, MAX_FACTOR, own_worth, steps_of_sum};
pub use move_ordering::MoveOrderingWeights;
pub use packed::PackedWeights;
pub use parts::{InstancePart, PartWeight, ScalarPart, ValueParts};
pub use probcut::{
    CONFIDENCES, Depths, END_ERROR_TERMS, END_MEAN_TERMS, ERROR_TERMS, EndDepths, Ends,
    LinearModel, MEAN_TERMS, Prediction, ProbCut,
};
pub use realization::{Memory, MoveKind, Place, Rank, Realization, STAGES};
pub use sections::{PhaseRow, PhaseSection};
pub use value::{MAX_STEPS, STEPS_PER_DISC, Value, nearest_weight, weight_in_discs};

use crate::file::Section;
use probcut::{ENDS, PROBCUT};
use realization::REALIZATION;

/// The models that a search uses for pruning. `othello-trainer calibrate` makes them.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// The ProbCut model, if any: it predicts the value of a deep search from a shallow search.
    pub probcut: Option<ProbCut>,
    /// The endgame ProbCut model, if any: it predicts the exact score from a shallow search.
    pub ends: Option<Ends>,
    /// The realization-probability model, if any: it predicts the probability of each move.
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

/// The error for pruning that the weights, or the other settings of the search, do not support.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum PruningError {
    #[error(
        "the weights have no ProbCut model, so searches cannot prune; search at 100 percent, or \
         add a model with `othello-trainer calibrate probcut`"
    )]
    NoProbCut,
    #[error(
        "the weights have no realization probabilities; search by depth, or add them with \
         `othello-trainer calibrate realization`"
    )]
    NoRealization,
    #[error(
        "`selectivity` is for searches by depth; omit it in searches by realization probability"
    )]
    Selectivity,
}

fn once<T>(place: &mut Option<T>, content: T) -> Result<(), String> {
    check_first(place.replace(content).is_none())
}

fn check_first(is_first: bool) -> Result<(), String> {
    if is_first { Ok(()) } else { Err("occurs twice".to_owned()) }
}
