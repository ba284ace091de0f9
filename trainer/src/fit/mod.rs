//! The fit: from a dataset to the weights of 60 phases.
//!
//! | modules | content |
//! |---|---|
//! | `optimizer`, `schedule`, `window`, `settings` | the settings that decide a fit |
//! | `state`, `report`, `best`, `fitted` | the state and the result of a fit |
//! | `solver`, `adam`, `least_squares` | the optimizers: a problem, and updates |
//! | `checkpoint` | what is kept in case of a kill |
//! | `units` | the units of work, and their division among machines |
//! | `epochs`, `measure`, `phase`, `group` | the fit of a phase or of a group, and its errors |
//! | `assembly`, `metrics_file`, `report_file`, `outputs`, `run` | all phases in a weights file |
//! | `device` | the device that a fit runs on |
//! | `part`, `parts` | some phases in a part; all parts, in one weights file |
//!
//! Each row uses only the rows above it.

mod adam;
mod assembly;
mod best;
mod checkpoint;
mod device;
mod epochs;
mod fitted;
mod group;
mod least_squares;
mod measure;
mod metrics_file;
mod optimizer;
mod outputs;
mod part;
mod parts;
mod phase;
mod report;
mod report_file;
mod run;
mod schedule;
mod settings;
mod solver;
mod state;
#[cfg(test)]
mod tests;
mod units;
mod window;

pub use checkpoint::{CheckpointError, CheckpointPolicy, Checkpointer, NoCheckpoints, Snapshot};
pub use device::{Device, NoGpu, PickedDevice};
pub use epochs::PhaseError;
pub use fitted::FittedPhase;
pub use optimizer::Optimizer;
pub use outputs::side_files;
pub use parts::{MergePartsError, MergedParts, merge_parts};
pub use phase::{PhaseEnd, PhaseFit};
pub use report::{FitReport, Metrics, PhaseReport};
pub use report_file::ReportError;
pub use run::{Fit, FitError, Limits};
pub use schedule::{Schedule, ScheduleError};
pub use settings::{
    AdamSettings, FactorSettings, FitSettings, LeastSquaresSettings, MAX_RIDGE, SettingsError,
};
pub use solver::{Advance, Problem, RestoreError, Solver};
pub use state::{Epoch, State, StateError};
pub use units::{Units, UnitsError};
pub use window::{Window, WindowError};
