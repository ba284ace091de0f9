//! `--max-mae X` and `--max-bias X`: whether errors are small enough.

use othello_engine::cli::{Outcome, Session};
use othello_engine::progress::Progress as _;

/// The verdict on errors by the limits that were given; without one there is nothing to say.
#[derive(Default)]
pub(super) struct Verdict(Vec<Limit>);

/// Errors beside the largest one that is allowed, in discs.
struct Limit {
    flag: &'static str,
    largest: f64,
    /// The errors, each with a name such as "mean absolute error".
    errors: Vec<(String, f64)>,
    /// The words for where there are none to compare, such as "no positions to measure the error on".
    unknown: String,
}

impl Verdict {
    /// This verdict with a limit, where the flag gave one. `errors` are what is compared with it, each with
    /// its name; `unknown` says in words that there are none.
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

    /// This verdict with `--max-mae`, where it was given. `error` names the mean absolute error, which is
    /// `None` without positions.
    pub(super) fn with_max_mae(self, largest: Option<f64>, error: &str, mae: Option<f64>) -> Self {
        let unknown = format!("no positions to measure the {error} on");
        self.with("--max-mae", largest, mae.map(|mae| (error.to_owned(), mae)), &unknown)
    }

    /// Whether all errors are within their limits; `None` without limits. What is not known is not within.
    pub(super) fn passed(&self) -> Option<bool> {
        (!self.0.is_empty()).then(|| self.0.iter().all(|limit| limit.failures().is_empty()))
    }

    /// Exit status 1 where an error is too large, with a line for each that is.
    pub(super) fn outcome(&self, session: &Session) -> Outcome {
        for failure in self.0.iter().flat_map(Limit::failures) {
            session.progress().message(&format!("failed: {failure}"));
        }
        Outcome::wrong_if(self.passed() == Some(false))
    }
}

impl Limit {
    /// A sentence for each error that is too large, or that there are none to compare.
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

/// Reads a limit that an error can be above: NaN and what is below 0 would never or always be.
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
