//! The result of a fit, as `fit` prints it.

use std::fmt;
use std::path::PathBuf;

use othello_engine::board::Phase;
use serde::Serialize;

use crate::fit::{Filled, FitReport};

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Fitted {
    /// The device: `cpu`, `cuda`, or `host` (the kernels of a GPU, run on the CPU).
    pub(super) device: &'static str,
    /// The optimizer.
    pub(super) optimizer: String,
    /// The shard that this run fitted; absent if the run fitted all phases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<String>,
    /// The results of the fitted phases.
    pub(super) phases: FitReport,
    /// The phases outside `--phases`, which got the weights of a fitted phase.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) filled: Vec<Filled>,
    /// The phases whose fit stopped at the time limit.
    pub(super) unfinished: Vec<Phase>,
    /// The number of training positions that were read.
    pub(super) positions: u64,
    /// The MAE on the validation set, in discs; null without positions.
    pub(super) validation_mae: Option<f64>,
    /// The MAE on the test set, in discs; null without positions.
    pub(super) test_mae: Option<f64>,
    /// The number of positions that the test set lacks because training has them.
    pub(super) omitted_test_positions: u64,
    /// True if the validation error is within `--max-mae`; null without the flag.
    pub(super) passed: Option<bool>,
    /// The weights file.
    pub(super) weights: PathBuf,
    /// The wall time.
    pub(super) seconds: f64,
    /// The SHA-256 of the weights file; a shard writes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sha256: Option<String>,
}

impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.phases)?;
        let discs = |mae: Option<f64>| mae.map_or("-".into(), |mae| format!("{mae:.3} discs"));
        let (validation, test) = (discs(self.validation_mae), discs(self.test_mae));
        let tested: u64 = self.phases.0.iter().map(|row| row.test_positions).sum();
        write!(
            f,
            "MAE over all phases: validation {validation}, test {test} on {tested} positions"
        )?;
        match self.omitted_test_positions {
            0 => writeln!(f, " that training has not")?,
            omitted => writeln!(f, " that training has not (of {})", tested + omitted)?,
        }
        writeln!(f, "{} training positions, {:.1} s", self.positions, self.seconds)?;
        let weights = self.weights.display();
        if let phases @ 1.. = self.unfinished.len() {
            writeln!(f, "{weights}: the time ended before {phases} phases were finished")?;
        }
        match &self.sha256 {
            Some(sha256) => write!(f, "{weights}  sha256 {sha256}"),
            None => {
                write!(f, "{weights}.parts has the parts of this shard; `pack` makes the weights")
            }
        }
    }
}
