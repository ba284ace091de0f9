//! The argument `--sprt ELO0,ELO1` of matches: the sequential test that ends them.

use crate::arena::{ErrorRate, Hypotheses, Sprt};

/// Arguments of a sequential test.
#[derive(clap::Args, Debug)]
pub(super) struct SprtArguments {
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Hypotheses>,
    #[arg(long, value_name = "P", default_value = "0.05", requires = "sprt")]
    alpha: ErrorRate,
    #[arg(long, value_name = "P", default_value = "0.05", requires = "sprt")]
    beta: ErrorRate,
}

impl SprtArguments {
    /// Returns the test, if requested.
    pub(super) fn test(&self) -> Option<Sprt> {
        let &Self { sprt, alpha, beta } = self;
        sprt.map(|hypotheses| Sprt { hypotheses, alpha, beta })
    }
}
