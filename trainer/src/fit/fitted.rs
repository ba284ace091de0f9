//! A fitted phase.

use super::report::{Metrics, PhaseReport};

/// The weights of one phase, by the numbering of weights files, and how they were found.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedPhase {
    /// Weights in steps of 1/32 disc.
    pub steps: Vec<i16>,
    /// How often the phase's own training positions met each parameter.
    pub counts: Vec<u32>,
    /// How the fit came out.
    pub report: PhaseReport,
    /// One line for each epoch.
    pub metrics: Vec<Metrics>,
}
