use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde_json::Value;

use crate::random::Generator;
use crate::text::{Invalid, parse_range};

const MOST: u32 = 60;

/// The number of empty squares (0 to 60) at which exact play begins, drawn for each game from a
/// range. Text form: a range such as `15..16`, which includes 16, or one number such as `16`.
///
/// If exact play begins at the same number in all games, the same side makes the first exact move.
/// Scores of weak games then favour this side, so weights fitted to these scores are biased by the
/// parity of empty squares. With two consecutive numbers, half of the games favour each side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PerfectFrom(RangeInclusive<u32>);

impl PerfectFrom {
    /// Returns the default: exact play begins at 12 or 13 empty squares, drawn for each game.
    pub fn usual() -> Self {
        Self(12..=13)
    }

    /// Returns the range of the number of empty squares at which exact play begins, drawn per game.
    pub fn range(&self) -> RangeInclusive<u32> {
        self.0.clone()
    }

    /// Returns the greatest number of empty squares at which exact play can begin.
    pub fn most(&self) -> u32 {
        *self.0.end()
    }

    pub(super) fn draw(&self, random: &mut Generator) -> u32 {
        let (first, last) = (*self.0.start(), *self.0.end());
        if first == last { first } else { first + random.below(last - first + 1) }
    }

    pub(super) fn to_json(&self) -> Value {
        let is_single = self.0.start() == self.0.end();
        if is_single { self.most().into() } else { self.to_string().into() }
    }
}

impl From<u32> for PerfectFrom {
    fn from(empties: u32) -> Self {
        Self(empties..=empties)
    }
}

impl fmt::Display for PerfectFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.0.start(), self.0.end());
        if first == last { write!(f, "{first}") } else { write!(f, "{first}..{last}") }
    }
}

impl FromStr for PerfectFrom {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        parse_range(text, &(0..=MOST)).map(Self).ok_or_else(|| {
            let range = "or a range with the smaller number first, such as 15..16";
            Invalid::not(text, "a number of empty squares", &format!("0 to {MOST}, {range}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_a_range_is_read_back_as_it_was_written() {
        for (text, first, last) in [("16", 16, 16), ("15..16", 15, 16), ("0", 0, 0)] {
            let perfect: PerfectFrom = text.parse().unwrap();
            assert_eq!(perfect.range(), first..=last);
            assert_eq!(perfect.to_string(), text);
        }
        assert_eq!("15..=16".parse::<PerfectFrom>(), "15..16".parse());
        for text in ["", "61", "16..15", "-1", "12..61", "12..", "half"] {
            assert!(text.parse::<PerfectFrom>().is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_of_a_range_are_drawn_equally_often() {
        let perfect: PerfectFrom = "12..14".parse().unwrap();
        let mut random = Generator::new(3);
        let mut counts = [0; 3];
        for _ in 0..3000 {
            counts[(perfect.draw(&mut random) - 12) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }

    /// A single number must be a JSON number, although a range is a text. Files with one number
    /// then have the same bytes as the files of earlier versions, which had no ranges.
    #[test]
    fn the_provenance_of_a_single_number_is_a_number() {
        assert_eq!(PerfectFrom::from(12).to_json(), 12);
        assert_eq!("12..13".parse::<PerfectFrom>().unwrap().to_json(), "12..13");
    }
}
