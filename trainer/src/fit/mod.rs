//! The fit: from a dataset to the weights of 60 phases.
//!
//! | modules | what they hold |
//! |---|---|
//! | `optimizer`, `schedule`, `window`, `settings` | what decides a fit besides its data |
//! | `state`, `report`, `best`, `fitted` | where a fit stands, and what it comes to |
//! | `solver`, `adam`, `least_squares` | the optimizers: a problem, and updates |
//! | `checkpoint` | what is kept in case of a kill |
//! | `units` | what is fitted at a time, and how machines share it |
//! | `epochs`, `measure`, `phase`, `group` | the fit of one phase, or of phases that share factors, and the errors of the weights |
//! | `assembly`, `metrics_file`, `report_file`, `outputs`, `run` | all phases, into one weights file |
//! | `part`, `parts` | some of the phases, into a part; all parts, into one weights file |
//!
//! Each row uses those above it.

mod adam;
mod assembly;
mod best;
mod checkpoint;
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
