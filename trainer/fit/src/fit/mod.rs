//! The fit: from a dataset to the weights of 60 phases.
//!
//! | modules | content |
//! |---|---|
//! | `optimizer`, `schedule`, `window`, `settings` | the settings that decide a fit |
//! | `state`, `report`, `best` | the state and the result of a fit |
//! | `solver`, `adam`, `least_squares` | the optimizers: a problem, and updates |
//! | `checkpoint` | what is kept in case of a kill |
//! | `units` | the units of work, and their division among machines |
//! | `epochs`, `measure`, `phase`, `group` | the fit of a phase or of a group, and its errors |
//! | `assembly`, `side_files`, `outputs`, `parts`, `run` | all phases, whole or in parts |
//! | `device` | the device that a fit runs on |
//!
//! Each row uses only the rows above it.

mod adam;
mod assembly;
mod best;
mod checkpoint;
mod device;
mod epochs;
mod group;
mod least_squares;
mod measure;
mod optimizer;
mod outputs;
mod parts;
mod phase;
mod report;
mod run;
mod schedule;
mod settings;
mod side_files;
mod solver;
mod state;
#[cfg(test)]
mod tests;
mod units;
mod window;

pub use checkpoint::{CheckpointError, CheckpointPolicy, Checkpointer, NoCheckpoints, Snapshot};
pub use device::{Device, NoGpu, PickedDevice};
pub use epochs::PhaseError;
pub use optimizer::Optimizer;
pub use parts::{MergePartsError, MergedParts, merge_parts};
pub use phase::{PhaseEnd, PhaseFit};
pub use report::{FitReport, FittedPhase, Metrics, PhaseReport};
pub use run::{Fit, FitError, Limits};
pub use schedule::{Schedule, ScheduleError};
pub use settings::{
    AdamSettings, FactorSettings, FitSettings, LeastSquaresSettings, MAX_RIDGE, SettingsError,
};
pub use side_files::{ReportError, side_files};
pub use solver::{Advance, Problem, RestoreError, Solver};
pub use state::{Epoch, State, StateError};
pub use units::{Units, UnitsError};
pub use window::{Window, WindowError};
