//! The fit: from a dataset to the weights of 60 phases.
//!
//! For each phase, a fit minimises over the weights w
//!
//! ```text
//! J(w) = Σᵢ ωᵢ (yᵢ − V(xᵢ; w))² + λ Σₚ (wₚ − w⁰ₚ)²
//! ```
//!
//! over the positions xᵢ of the phase and its [`Window`], with labels yᵢ in discs, weights ωᵢ in
//! occurrences, the ridge λ and the initial weights w⁰. [`PhaseFit`] fits one phase. [`Fit`] fits
//! all phases, as a run that can be stopped and resumed. [`FitSettings`] are the settings of both.
//!
//! | modules | content |
//! |---|---|
//! | `window`, `settings` | the settings that decide a fit |
//! | `report`, `best` | the result of a fit |
//! | `solver`, `adam`, `least_squares` | the optimizers, and the problem they solve |
//! | `snapshot` | the state of an unfinished fit, and when it is saved |
//! | `epochs`, `final_errors`, `phase`, `group` | the fit of one phase or of one group |
//! | `part`, `side_files`, `error`, `pack`, `run` | the fit of all phases, as a run in parts |
//! | `device` | the device that a fit runs on |
//!
//! The elements of a fit's vectors have the order of [`crate::model`]. At the end, the fit rounds
//! the vectors, measures their errors, and reorders them for the weights file.

mod adam;
mod best;
mod device;
mod epochs;
mod error;
mod final_errors;
mod group;
mod least_squares;
mod pack;
mod part;
mod phase;
mod report;
mod run;
mod settings;
mod side_files;
mod snapshot;
mod solver;
#[cfg(test)]
mod tests;
mod window;

pub use best::FittedVector;
pub use device::{Device, PickedDevice};
pub use error::FitError;
pub use pack::pack;
pub use part::Units;
pub use phase::PhaseFit;
pub use report::{Filled, FitReport, FittedPhase, Metrics, PhaseReport};
pub use run::{Fit, FitEnd, Limits};
pub use settings::{
    AdamSettings, FactorSettings, FitSettings, LeastSquaresSettings, MAX_RIDGE, Optimizer,
};
pub use side_files::side_files;
pub use snapshot::{CheckpointPolicy, Checkpointer, NoCheckpoints, Snapshot};
pub use solver::{Advance, Problem, Solver, State};
pub use window::Window;
