//! Weights of the evaluation: their unit, their file and its sections, and the layout of the tables
//! that the evaluation reads.
//!
//! A weights file contains the weights by class. It may also contain factors, weights of the
//! move-ordering evaluation, and pruning models.

mod by_class;
mod ends;
mod factors;
pub mod layout;
mod models;
mod move_ordering;
mod packed;
mod parts;
mod probcut;
mod reading;
mod realization;
mod sections;
mod value;

pub use by_class::{Counts, Weights, WeightsFile};
pub use ends::{CONFIDENCES, END_ERROR_TERMS, END_MEAN_TERMS, EndDepths, Ends};
pub use factors::{FACTORS_PER_UNIT, Factors, MAX_FACTOR, own_worth, steps_of_sum};
pub use models::Models;
pub use move_ordering::MoveOrderingWeights;
pub use packed::PackedWeights;
pub use parts::{InstancePart, PartWeight, ScalarPart, ValueParts};
pub use probcut::{Depths, ERROR_TERMS, LinearModel, MEAN_TERMS, NoProbCut, Prediction, ProbCut};
pub use reading::WeightsError;
pub use realization::{Memory, MoveKind, NoRealization, Place, Rank, Realization, STAGES};
pub use sections::{PhaseRow, PhaseSection};
pub use value::{MAX_STEPS, STEPS_PER_DISC, Value, nearest_weight, weight_in_discs};
