//! Filters, which select the positions for a fit, a dataset or an export.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use othello_engine::board::transcript::Step;
use othello_engine::random::Generator;
use othello_engine::record::{Game, PlacedPosition, ScoredPosition};
use othello_engine::text::{Invalid, parse_range};
use serde::{Deserialize, Serialize};

use crate::source::{ADD_VALUES, DataError};

/// A number by which a filter selects positions. Only positions of games have the numbers `Flips`
/// and `Surprise`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, derive_more::Display)]
#[display(rename_all = "lowercase")]
enum Key {
    Ply,
    Moves,
    Flips,
    Value,
    Surprise,
    Share,
}

/// The keys in the order of the enum, each with the upper limit of its range.
const KEYS: [(Key, f64); 6] = [
    (Key::Ply, 60.0),
    (Key::Moves, 64.0),
    (Key::Flips, 64.0),
    (Key::Value, 64.0),
    (Key::Surprise, 128.0),
    (Key::Share, 1.0),
];

/// A filter: conditions on positions, at most one for each key, as text `KEY=A..B,…` (A and B
/// included; `share=B` means `share=0..B`). A position without a number for the key, such as
/// `value` in a game without recorded values, does not pass.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Filter(Vec<(Key, RangeInclusive<f64>)>);

/// For each key of a filter, two numbers of excluded positions: those whose number for the key is
/// outside the range, and those that have no such number.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Excluded([[u64; 2]; KEYS.len()]);

impl Excluded {
    /// Returns the number of excluded positions.
    pub fn total(&self) -> u64 {
        self.0.iter().flatten().fold(0, |sum, count| sum.saturating_add(*count))
    }

    pub(super) fn notice(&self) -> Option<String> {
        (self.total() > 0).then(|| format!("the filter excludes positions: {self}"))
    }

    pub(crate) fn all_of(&self, files: &str, filter: &Filter) -> DataError {
        let remedy = match [Key::Value, Key::Surprise].map(|key| self.0[key as usize][1]) {
            [0, 0] => "",
            _ => ADD_VALUES,
        };
        let excluded = format!("the filter `{filter}` excludes all positions of {files}");
        DataError::NoPosition(format!("{excluded}: {self}{remedy}"))
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *own = own.saturating_add(*other);
        }
    }
}

impl fmt::Display for Excluded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = KEYS.iter().zip(&self.0).flat_map(|((key, _), counts)| {
            ["by", "without"].into_iter().zip(counts).map(move |(how, count)| (count, how, key))
        });
        let counts = counts.filter(|(count, ..)| **count > 0);
        let counts = counts.map(|(count, how, key)| format!("{count} {how} {key}"));
        f.write_str(&counts.collect::<Vec<_>>().join(", "))
    }
}

/// The game of a position, and the position together with the move that was played in it.
pub type Played<'a> = (&'a Game, &'a Step);

impl Filter {
    /// Returns true if the filter has no conditions, so that all positions pass.
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the position passes; otherwise counts its first failed condition in
    /// `excluded`. `played` is `None` for a position outside games. The key `share` compares a
    /// random number from 0 to 1 for each position, which `seed` determines.
    pub fn passes(
        &self,
        row: &ScoredPosition,
        played: Option<Played<'_>>,
        seed: u64,
        excluded: &mut Excluded,
    ) -> bool {
        self.0.iter().all(|(key, range)| {
            let number = key.number(row, played, seed);
            let passes = number.is_some_and(|number| range.contains(&number));
            excluded.0[*key as usize][usize::from(number.is_none())] += u64::from(!passes);
            passes
        })
    }
}

impl Key {
    fn number(self, row: &ScoredPosition, played: Option<Played<'_>>, seed: u64) -> Option<f64> {
        let position = row.position();
        let value = || {
            let (game, step) = played?;
            game.values()?.get(step.position.ply() as usize).copied().flatten().map(f64::from)
        };
        Some(match self {
            Self::Ply => position.ply().into(),
            Self::Moves => position.moves().count_ones().into(),
            Self::Flips => {
                let (_, step) = played?;
                step.position.flips(step.square).count_ones().into()
            }
            Self::Value if played.is_none() => row.label().discs().abs(),
            Self::Value => value()?.abs(),
            Self::Surprise => {
                let (game, step) = played?;
                (value()? - f64::from(game.black_score()? * step.side.sign())).abs()
            }
            Self::Share => {
                let number = PlacedPosition::number_alone(&position);
                Generator::split(seed, number).next_u64() as f64 / u64::MAX as f64
            }
        })
    }
}

impl FromStr for Filter {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let mut filter = Self::default();
        for condition in text.split(',').filter(|_| !text.trim().is_empty()) {
            let wrong = |expected: &str| {
                Invalid::not(condition.trim(), "a condition of a filter", expected)
            };
            let (name, range) = condition.split_once('=').unwrap_or((condition, ""));
            let found = KEYS.iter().find(|(key, _)| key.to_string() == name.trim());
            let &(key, most) = found.ok_or_else(|| {
                let names = KEYS.map(|(key, _)| key.to_string()).join(", ");
                wrong(&format!("KEY=A..B with a key of {names}, such as ply=10..50"))
            })?;
            if filter.0.iter().any(|(own, _)| *own == key) {
                return Err(wrong(&format!("`{key}` only once")));
            }
            let expected = format!("`{key}=A..B` with numbers from 0 to {most}");
            let range = parse_range(range, &(0.0..=most)).ok_or_else(|| wrong(&expected))?;
            let is_share = key == Key::Share && !range.contains(&range.start().next_up());
            filter.0.push((key, if is_share { 0.0..=*range.end() } else { range }));
        }
        filter.0.sort_by_key(|(key, _)| *key);
        Ok(filter)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = self.0.iter();
        let bounds = bounds.map(|(key, range)| format!("{key}={}..{}", range.start(), range.end()));
        f.write_str(&bounds.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_as_they_are_written_and_refused_by_their_condition() {
        for text in ["", "ply=10..50", "ply=10..50,moves=2..60,value=0..30.5,share=0..0.25"] {
            assert_eq!(text.parse::<Filter>().unwrap().to_string(), text);
        }
        let filter: Filter = " value = 0..=30 , ply=8,share=0.5".parse().unwrap();
        assert_eq!(filter.to_string(), "ply=8..8,value=0..30,share=0..0.5");
        assert!(Filter::default().is_all() && !filter.is_all());
        for (wrong, expected) in [
            (
                "depth=3..4",
                "`depth=3..4` is not a condition of a filter; expected KEY=A..B with a key of ply",
            ),
            ("ply=10..50,", "`` is not a condition"),
            ("ply", "`ply=A..B` with numbers from 0 to 60"),
            ("ply=50..10", "`ply=A..B`"),
            ("value=-5..5", "`value=A..B` with numbers from 0 to 64"),
            ("value=NaN..5", "`value=A..B`"),
            ("ply=1..2,ply=3..4", "`ply` only once"),
            ("share=2", "`share=A..B` with numbers from 0 to 1"),
        ] {
            let error = wrong.parse::<Filter>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
