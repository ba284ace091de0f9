//! `--max-mae X` and `--max-bias X`: checks that errors are small enough.

use othello_engine::cli::{Outcome, Session};
use othello_engine::progress::Progress as _;

/// The verdict on errors by the given limits; empty without limits.
#[derive(Default)]
pub(super) struct Verdict(Vec<Limit>);

/// Errors, and the largest that is allowed, in discs.
struct Limit {
    flag: &'static str,
    largest: f64,
    /// The errors, each with a name such as "mean absolute error".
    errors: Vec<(String, f64)>,
    /// The words for a lack of errors, such as "no positions to measure the error on".
    unknown: String,
}

impl Verdict {
    /// Adds a limit, if the flag gave one. `errors` are compared with it, each with its name;
    /// `unknown` says in words that there are none.
    pub(super) fn with(
        mut self,
        flag: &'static str,
        largest: Option<f64>,
        errors: impl IntoIterator<Item = (String, f64)>,
        unknown: &str,
    ) -> Self {
        let errors = errors.into_iter().collect();
        let limit = largest.map(|largest| Limit { flag, largest, errors, unknown: unknown.into() });
        self.0.extend(limit);
        self
    }

    /// Adds `--max-mae`, if given. `error` names the mean absolute error, which is `None` without
    /// positions.
    pub(super) fn with_max_mae(self, largest: Option<f64>, error: &str, mae: Option<f64>) -> Self {
        let unknown = format!("no positions to measure the {error} on");
        self.with("--max-mae", largest, mae.map(|mae| (error.to_owned(), mae)), &unknown)
    }

    /// Returns true if all errors are within their limits; `None` without limits. A missing error
    /// is not within its limit.
    pub(super) fn passed(&self) -> Option<bool> {
        (!self.0.is_empty()).then(|| self.0.iter().all(|limit| limit.failures().is_empty()))
    }

    /// Returns exit status 1 if an error is too large, and prints a line for each such error.
    pub(super) fn outcome(&self, session: &Session) -> Outcome {
        for failure in self.0.iter().flat_map(Limit::failures) {
            session.progress().message(&format!("failed: {failure}"));
        }
        Outcome::wrong_if(self.passed() == Some(false))
    }
}

impl Limit {
    /// Returns a sentence for each error that is too large, or one that there are none to compare.
    fn failures(&self) -> Vec<String> {
        let Self { flag, largest, errors, unknown } = self;
        if errors.is_empty() {
            return vec![format!("{flag} {largest}, and {unknown}")];
        }
        let above = errors.iter().filter(|(_, error)| error.abs() > *largest);
        above
            .map(|(name, error)| format!("the {name} is {error:.3} discs, above {flag} {largest}"))
            .collect()
    }
}

/// Parses a limit on an error. NaN and negative limits, which an error would never or always
/// exceed, are refused.
pub(super) fn largest_error(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|discs: &f64| discs.is_finite() && *discs >= 0.0);
    discs.ok_or_else(|| "expected a number of discs, 0 or more".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(limits: &[(f64, &[f64])]) -> Verdict {
        limits.iter().fold(Verdict::default(), |verdict, (largest, errors)| {
            let named = errors.iter().map(|error| (format!("error {error}"), *error));
            verdict.with("--max-x", Some(*largest), named, "nothing to measure it on")
        })
    }

    #[test]
    fn every_limit_counts_and_too_low_is_as_bad_as_too_high() {
        assert_eq!(Verdict::default().with_max_mae(None, "error", Some(5.0)).passed(), None);
        assert_eq!(verdict(&[(1.0, &[1.0, -1.0]), (2.0, &[0.5])]).passed(), Some(true));
        assert_eq!(verdict(&[(1.0, &[0.0]), (2.0, &[1.0, -2.5])]).passed(), Some(false));
        assert_eq!(verdict(&[(1.0, &[0.0]), (2.0, &[])]).passed(), Some(false));
        let said = verdict(&[(2.0, &[3.0, 1.0, -2.5])]).0[0].failures();
        let expected = ["error 3 is 3.000", "error -2.5 is -2.500"];
        let expected = expected.map(|error| format!("the {error} discs, above --max-x 2"));
        assert_eq!(said, expected);
    }
}
