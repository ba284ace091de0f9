//! Commands that fit and measure pattern evaluations of Othello positions in 60 phases.
//!
//! [`othello_fit`] contains the data, the model and the fit; [`othello_lab`] contains matches and
//! comparisons. Both are re-exported here. [`cli`] contains one module for each subcommand.
//!
//! ```
//! use othello_trainer::source::LabelRules;
//!
//! // The label of a position is its exact score if known, otherwise the value of a search.
//! let rules: LabelRules = "all:exact,all:value".parse()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(missing_docs, reason = "the modules of a program, which nobody calls")]

pub mod cli;
pub mod recipe;

#[doc(inline)]
pub use othello_fit::{
    backend, calibrate, dataset, export, fit, memory, metrics, model, records, source,
};
#[doc(inline)]
pub use othello_lab::{arena, experiments, report, scorecard, throughput};
