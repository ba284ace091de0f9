//! A fitted phase.

use super::report::{Metrics, PhaseReport};

/// The fitted weights of one phase, in the order of weights files, and the report of their fit.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedPhase {
    /// Weights in steps of 1/32 disc.
    pub steps: Vec<i16>,
    /// The number of times the phase's own training positions have each parameter.
    pub counts: Vec<u32>,
    /// The errors and the length of the fit.
    pub report: PhaseReport,
    /// One line for each epoch.
    pub metrics: Vec<Metrics>,
}
