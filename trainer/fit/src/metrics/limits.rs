//! Checks that measured errors do not exceed the limits that the user gives.

/// The limits that the user gives, if any, each with the errors that must not exceed it.
#[derive(Default)]
pub struct ErrorLimits(Vec<Limit>);

struct Limit {
    flag: &'static str,
    largest: f64,
    /// The errors to compare with the limit, each with a name such as "mean absolute error".
    errors: Vec<(String, f64)>,
    /// The message if no errors could be measured, such as "no positions to measure the error on".
    unknown: String,
}

impl ErrorLimits {
    /// Adds the limit `largest`, if any, on named errors. If there are no errors, the check of the
    /// limit fails with the message `unknown`.
    pub fn with(
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

    /// Adds the limit `largest` of `--max-mae`, if given, on `mae`. Messages call it `error`.
    pub fn with_max_mae(self, largest: Option<f64>, error: &str, mae: Option<f64>) -> Self {
        let unknown = format!("no positions to measure the {error} on");
        self.with("--max-mae", largest, mae.map(|mae| (error.to_owned(), mae)), &unknown)
    }

    /// Returns true if all errors are known and within their limits; `None` if there are no limits.
    pub fn passed(&self) -> Option<bool> {
        (!self.0.is_empty()).then(|| self.0.iter().all(|limit| limit.failures().is_empty()))
    }

    /// Returns a sentence for each error above its limit, and for each limit whose errors are
    /// unknown because there are no positions.
    pub fn failures(&self) -> impl Iterator<Item = String> {
        self.0.iter().flat_map(Limit::failures)
    }
}

impl Limit {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(limits: &[(f64, &[f64])]) -> ErrorLimits {
        limits.iter().fold(ErrorLimits::default(), |verdict, (largest, errors)| {
            let named = errors.iter().map(|error| (format!("error {error}"), *error));
            verdict.with("--max-x", Some(*largest), named, "nothing to measure it on")
        })
    }

    #[test]
    fn every_limit_counts_and_too_low_is_as_bad_as_too_high() {
        assert_eq!(ErrorLimits::default().with_max_mae(None, "error", Some(5.0)).passed(), None);
        assert_eq!(verdict(&[(1.0, &[1.0, -1.0]), (2.0, &[0.5])]).passed(), Some(true));
        assert_eq!(verdict(&[(1.0, &[0.0]), (2.0, &[1.0, -2.5])]).passed(), Some(false));
        assert_eq!(verdict(&[(1.0, &[0.0]), (2.0, &[])]).passed(), Some(false));
        let said: Vec<String> = verdict(&[(2.0, &[3.0, 1.0, -2.5])]).failures().collect();
        let expected = ["error 3 is 3.000", "error -2.5 is -2.500"];
        let expected = expected.map(|error| format!("the {error} discs, above --max-x 2"));
        assert_eq!(said, expected);
    }
}
