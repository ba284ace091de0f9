//! Small histograms for people.

use std::collections::BTreeMap;
use std::fmt;

/// How many there are of each number.
#[derive(Default)]
pub(super) struct Histogram(BTreeMap<i32, u64>);

/// The longest bar, in characters.
const LONGEST: f64 = 50.0;

impl Histogram {
    /// Adds some of a number.
    pub(super) fn add(&mut self, number: i32, count: u64) {
        *self.0.entry(number).or_default() += count;
    }
}

/// A line for each number, with a bar; the longest has 50 characters.
impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.0.values().copied().max().unwrap_or(1).max(1) as f64;
        for (number, count) in &self.0 {
            let bar = "#".repeat((LONGEST * *count as f64 / most).ceil() as usize);
            writeln!(f, "{number:5}  {count:9}  {bar}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share_of_the_largest() {
        let mut bars = Histogram::default();
        for (number, count) in [(-8, 1), (0, 100), (8, 30), (8, 20)] {
            bars.add(number, count);
        }
        let lengths: Vec<usize> =
            bars.to_string().lines().map(|l| l.matches('#').count()).collect();
        assert_eq!(lengths, [1, 50, 25]);
        assert_eq!(Histogram::default().to_string(), "");
    }
}
