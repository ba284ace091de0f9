//! `--max-mae X`: whether an error is small enough.

use othello_engine::cli::{Outcome, Session};
use othello_engine::progress::Progress as _;

/// A mean absolute error beside the largest one that is allowed, in discs.
pub(super) struct Verdict {
    limit: f64,
    mae: Option<f64>,
}

impl Verdict {
    /// The verdict on an error; `None` where there are no positions to measure it on.
    pub(super) fn new(limit: f64, mae: Option<f64>) -> Self {
        Self { limit, mae }
    }

    /// Whether the error is within the limit. One that is not known is not.
    pub(super) fn passed(&self) -> bool {
        self.mae.is_some_and(|mae| mae <= self.limit)
    }

    /// Exit status 1 where the error is too large, with a line that says so. `error` is what was
    /// measured.
    pub(super) fn outcome(&self, error: &str, session: &Session) -> Outcome {
        let Self { limit, mae } = self;
        if !self.passed() {
            session.progress().message(&match mae {
                Some(mae) => {
                    format!("failed: the {error} is {mae:.3} discs, above --max-mae {limit}")
                }
                None => {
                    format!("failed: --max-mae {limit}, and no positions to measure the {error} on")
                }
            });
        }
        Outcome::wrong_if(!self.passed())
    }
}

/// Reads a limit that an error can be above: NaN and what is below 0 would never or always be.
pub(super) fn largest_error(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|discs: &f64| discs.is_finite() && *discs >= 0.0);
    discs.ok_or_else(|| "expected a number of discs, 0 or more".to_owned())
}
