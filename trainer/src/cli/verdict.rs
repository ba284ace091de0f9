//! `--max-mae X` and `--max-bias X`: the limits of errors on the command line.

use othello_cli::{Outcome, Session};
use othello_engine::progress::Progress as _;

use crate::metrics::ErrorLimits;

/// Returns exit status 1 if an error is too large, and prints a line for each such error.
pub(super) fn outcome(limits: &ErrorLimits, session: &Session) -> Outcome {
    for failure in limits.failures() {
        session.progress().message(&format!("failed: {failure}"));
    }
    Outcome::wrong_if(limits.passed() == Some(false))
}

/// Parses a limit on an error. Refuses NaN, which no error would exceed, and negative limits, which
/// every error would exceed.
pub(super) fn largest_error(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|discs: &f64| discs.is_finite() && *discs >= 0.0);
    discs.ok_or_else(|| "expected a number of discs, 0 or more".to_owned())
}
