//! Compares Othello evaluations and the recipes that make them.
//!
//! [`arena`] plays paired matches and computes their statistics, [`experiments`] compares recipes
//! on held-out games, extrapolates learning curves and tunes settings, [`scorecard`] measures
//! weights and programs by the same tests, [`throughput`] measures the speed of a fit, and
//! [`report`] draws a page of charts.
//!
//! ```
//! use othello_lab::experiments::Law;
//!
//! // The error of a recipe as a function of the number of games: floor + scale · games^-exponent.
//! let law = Law { floor: 3.0, scale: 40.0, exponent: 0.5 };
//! assert_eq!(law.at(1600.0), 4.0);
//! ```

pub mod arena;
mod error;
pub mod experiments;
pub mod report;
pub mod scorecard;
pub mod throughput;

pub use error::{LabError, Result};
