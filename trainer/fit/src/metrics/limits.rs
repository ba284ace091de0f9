//! Checks that measured errors do not exceed the limits that the user gives.

/// The check of errors against limits. Has a message for each error above its limit, and for each
/// limit without errors; `None` if the user gives no limits.
#[derive(Default)]
pub struct ErrorLimits(Option<Vec<String>>);

impl ErrorLimits {
    /// Compares `errors`, pairs of a name and an error in discs, with the limit `largest` that the
    /// user gives by `flag`, if any. If there are no pairs, because nothing was measured, the limit
    /// counts as exceeded, and the message ends with `unknown`.
    pub fn with(
        mut self,
        flag: &str,
        largest: Option<f64>,
        errors: impl IntoIterator<Item = (String, f64)>,
        unknown: &str,
    ) -> Self {
        let Some(largest) = largest else { return self };
        let failures = self.0.get_or_insert_default();
        let mut errors = errors.into_iter().peekable();
        if errors.peek().is_none() {
            failures.push(format!("{flag} {largest}, and {unknown}"));
        }
        let above = errors.filter(|(_, error)| error.abs() > largest);
        failures.extend(above.map(|(name, error)| {
            format!("the {name} is {error:.3} discs, above {flag} {largest}")
        }));
        self
    }

    /// Compares `mae`, a mean absolute error in discs that messages call `error`, with the limit
    /// `largest` (`--max-mae`), if given. If `mae` is `None`, the limit counts as exceeded.
    pub fn with_max_mae(self, largest: Option<f64>, error: &str, mae: Option<f64>) -> Self {
        let unknown = format!("no positions to measure the {error} on");
        self.with("--max-mae", largest, mae.map(|mae| (error.to_owned(), mae)), &unknown)
    }

    /// Returns true if all errors are known and within their limits; `None` if there are no limits.
    pub fn passed(&self) -> Option<bool> {
        self.0.as_ref().map(Vec::is_empty)
    }

    /// Returns a sentence for each error above its limit, and for each limit whose errors are
    /// unknown because there are no positions.
    pub fn failures(&self) -> &[String] {
        self.0.as_deref().unwrap_or_default()
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
        let expected = ["error 3 is 3.000", "error -2.5 is -2.500"];
        let expected = expected.map(|error| format!("the {error} discs, above --max-x 2"));
        assert_eq!(verdict(&[(2.0, &[3.0, 1.0, -2.5])]).failures(), expected);
    }
}
