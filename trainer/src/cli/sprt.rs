//! The argument `--sprt ELO0,ELO1` of matches: the sequential test that ends them.

use crate::arena::{ErrorRate, Hypotheses, Sprt};

/// Arguments of a sequential test.
#[derive(clap::Args, Debug)]
pub(super) struct SprtArguments {
    /// Stop as soon as a sequential test decides between these differences in Elo points (SPRT, by
    /// pair); the first player is better by the larger one, or only by the smaller one
    #[arg(
        long,
        help_heading = "Sequential test",
        value_name = "ELO0,ELO1",
        allow_hyphen_values = true
    )]
    sprt: Option<Hypotheses>,
    /// Probability that the sequential test decides for the larger difference if the smaller one
    /// holds
    #[arg(
        long,
        help_heading = "Sequential test",
        value_name = "P",
        default_value = "0.05",
        requires = "sprt"
    )]
    alpha: ErrorRate,
    /// Probability that the sequential test decides for the smaller difference if the larger one
    /// holds
    #[arg(
        long,
        help_heading = "Sequential test",
        value_name = "P",
        default_value = "0.05",
        requires = "sprt"
    )]
    beta: ErrorRate,
}

impl SprtArguments {
    /// Returns the test, if requested.
    pub(super) fn test(&self) -> Option<Sprt> {
        let &Self { sprt, alpha, beta } = self;
        sprt.map(|hypotheses| Sprt { hypotheses, alpha, beta })
    }
}
