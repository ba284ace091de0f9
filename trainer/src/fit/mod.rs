//! The fit: from a dataset to the weights of 60 phases.

mod adam;
mod assembly;
mod beside;
mod best;
mod checkpoint;
mod least_squares;
mod measure;
mod optimizer;
mod phase;
mod report;
mod run;
mod schedule;
mod settings;
mod snapshot;
mod solver;
#[cfg(test)]
mod tests;
mod unfinished;
mod window;

pub use checkpoint::CheckpointError;
pub use optimizer::Optimizer;
pub use phase::{FittedPhase, Keeper, Next, PhaseEnd, PhaseError, PhaseFit};
pub use report::{FitReport, Metrics, PhaseReport};
pub use run::{Fit, FitError, Limits};
pub use schedule::{Schedule, ScheduleError};
pub use settings::{AdamSettings, FitSettings, LeastSquaresSettings, SettingsError};
pub use snapshot::Snapshot;
pub use solver::StateError;
pub use window::{Window, WindowError};
