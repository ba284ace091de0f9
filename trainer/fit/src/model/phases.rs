//! The command-line argument `--phases A..B`: a range of phases.

use std::ops::RangeInclusive;
use std::str::FromStr;

use othello_engine::board::{PHASES, Phase};
use othello_engine::text::{Invalid, parse_range};

/// A range of phases on the command line: `A..B`, which includes B, or one phase `A`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phases(pub RangeInclusive<Phase>);

impl Default for Phases {
    fn default() -> Self {
        let bound = |index| Phase::new(index).expect("0 and 59 are phases");
        Self(bound(0)..=bound(59))
    }
}

impl Phases {
    /// Returns the phases of positions with these numbers of empty squares.
    pub fn with_empties(empties: RangeInclusive<usize>) -> Self {
        let Self(all) = Self::default();
        let bound = |empties, end| Phase::new(PHASES.saturating_sub(empties)).unwrap_or(end);
        Self(bound(*empties.end(), *all.start())..=bound(*empties.start(), *all.end()))
    }

    /// Returns the phases in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Phase> {
        Phase::all().filter(|phase| self.0.contains(phase))
    }
}

impl FromStr for Phases {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let phases = parse_range(text, &(0..=PHASES - 1)).and_then(|range| {
            let (first, last) = range.into_inner();
            Some(Phase::new(first)?..=Phase::new(last)?)
        });
        phases.map(Self).ok_or_else(|| {
            let expected = "`A..B` with 0 ≤ A ≤ B ≤ 59, B included";
            Invalid::not(text, "a range of phases", expected)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_squares_and_phases_are_60_together() {
        let phases = |empties: RangeInclusive<usize>| {
            let Phases(range) = Phases::with_empties(empties);
            (range.start().index(), range.end().index())
        };
        assert_eq!(phases(13..=24), (36, 47));
        assert_eq!(phases(0..=99), (0, 59));
    }

    #[test]
    fn the_last_phase_is_taken_in() {
        let range = |text: &str| {
            let Phases(range) = text.parse().unwrap();
            (range.start().index(), range.end().index())
        };
        assert_eq!(range("34..38"), (34, 38));
        assert_eq!(range("34..=38"), (34, 38));
        assert_eq!(range("36"), (36, 36));
        for text in ["", "38..34", "0..60", "a..b", "-1..3", "3.."] {
            assert!(text.parse::<Phases>().is_err(), "{text}");
        }
    }
}
