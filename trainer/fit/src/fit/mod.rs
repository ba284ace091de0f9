//! The fit: from a dataset to the weights of 60 phases.
//!
//! | modules | content |
//! |---|---|
//! | `optimizer`, `schedule`, `window`, `settings` | the settings that decide a fit |
//! | `state`, `report`, `best` | the state and the result of a fit |
//! | `solver`, `adam`, `least_squares` | the optimizers: a problem, and updates |
//! | `snapshot` | the state of an unfinished fit, and when it is saved |
//! | `epochs`, `final_errors`, `phase`, `group` | the fit of a phase or of a group, and its errors |
//! | `units`, `part`, `side_files`, `error`, `pack`, `run` | all phases: a run whose parts are units of phases |
//! | `device` | the device that a fit runs on |
//!
//! A fit computes with vectors, whose elements have the order of [`crate::model`]. It rounds,
//! measures and reorders them once, at the end.

mod adam;
mod best;
mod device;
mod epochs;
mod error;
mod final_errors;
mod group;
mod least_squares;
mod optimizer;
mod pack;
mod part;
mod phase;
mod report;
mod run;
mod schedule;
mod settings;
mod side_files;
mod snapshot;
mod solver;
mod state;
#[cfg(test)]
mod tests;
mod units;
mod window;

pub use best::FittedVector;
pub use device::{Device, NoGpu, PickedDevice};
pub use epochs::PhaseError;
pub use error::FitError;
pub use optimizer::Optimizer;
pub use pack::pack;
pub use phase::PhaseFit;
pub use report::{FitReport, FittedPhase, Metrics, PhaseReport};
pub use run::{Fit, FitEnd, Limits};
pub use schedule::{Schedule, ScheduleError};
pub use settings::{
    AdamSettings, FactorSettings, FitSettings, LeastSquaresSettings, MAX_RIDGE, SettingsError,
};
pub use side_files::{ReportError, side_files};
pub use snapshot::{CheckpointPolicy, Checkpointer, NoCheckpoints, Snapshot};
pub use solver::{Advance, Problem, RestoreError, Solver};
pub use state::{Epoch, State, StateError};
pub use units::Units;
pub use window::{Window, WindowError};
