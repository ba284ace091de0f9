//! Othello trainer: the commands that fit pattern weights for 60 phases and measure them.
//!
//! [`othello_fit`] has the data, the model and the fit, [`othello_lab`] the comparisons; both are
//! re-exported here. [`cli`] has one file for each subcommand.
//!
//! ```
//! use othello_trainer::source::LabelRules;
//!
//! // Exact scores label the last positions, values of searches the others.
//! let rules: LabelRules = "all:exact,all:value".parse()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cli;
pub mod recipe;

#[doc(inline)]
pub use othello_fit::{
    backend, calibrate, dataset, export, fit, memory, metrics, model, records, source,
};
#[doc(inline)]
pub use othello_lab::{arena, experiments, report, scorecard, throughput};
