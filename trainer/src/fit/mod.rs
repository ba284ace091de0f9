//! The fit: from a dataset to the weights of 60 phases.

mod checkpoint;
mod least_squares;
mod phase;
mod report;
mod run;
mod settings;
mod window;

pub use checkpoint::CheckpointError;
pub use least_squares::{Problem, Step, Verdict};
pub use phase::{FittedPhase, fit_phase};
pub use report::{FitReport, Metrics, PhaseReport};
pub use run::{Fit, FitError};
pub use settings::{FitSettings, SettingsError};
pub use window::{Window, WindowError};
