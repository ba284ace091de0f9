//! Filters: the positions that a fit, a dataset or an export takes.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use othello_engine::board::Position;
use othello_engine::board::transcript::Step;
use othello_engine::random::Generator;
use othello_engine::record::{Game, PlacedPosition, ScoredPosition};
use othello_engine::text::{excerpt, parse_range};
use serde::{Deserialize, Serialize};

use super::Share;
use crate::InvalidSetting;

/// The properties of a position that a filter can bound, in the order of [`KEYS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Ply,
    Moves,
    Flips,
    Value,
    Surprise,
    Share,
}

/// The name of each key, its greatest number, and its name in reports.
const KEYS: [(Key, &str, f64, &str); 6] = [
    (Key::Ply, "ply", 60.0, "ply"),
    (Key::Moves, "moves", 64.0, "legal moves"),
    (Key::Flips, "flips", 64.0, "flips"),
    (Key::Value, "value", 64.0, "value"),
    (Key::Surprise, "surprise", 128.0, "surprise"),
    (Key::Share, "share", 1.0, "share"),
];

/// The conditions that a position must meet, each at most once. As text: `KEY=A..B`, separated by
/// commas; ranges include both ends.
///
/// | key | number |
/// |---|---|
/// | `ply` | discs − 4 |
/// | `moves` | legal moves |
/// | `flips` | discs that the played move turns |
/// | `value` | absolute value of the search, or of the label outside games, in discs |
/// | `surprise` | absolute difference between the value and the game's result, in discs |
/// | `share` | the share of the positions, drawn by seed and position: `share=0.5` |
///
/// A position without the number, such as a value, does not meet the condition.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Filter {
    /// The bounds, sorted by key.
    bounds: Vec<(Key, RangeInclusive<f64>)>,
    share: Share,
}

/// The number of positions that each key excludes, and of those that lack the number of the key.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Excluded([[u64; 2]; KEYS.len()]);

impl Excluded {
    /// Returns the number of excluded positions.
    pub fn total(&self) -> u64 {
        self.0.iter().flatten().fold(0, |sum, count| sum.saturating_add(*count))
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *own = own.saturating_add(*other);
        }
    }
}

impl fmt::Display for Excluded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = KEYS.iter().zip(&self.0).flat_map(|((.., name), &[outside, lacking])| {
            [(outside, format!("{outside} by {name}")), (lacking, format!("{lacking} without {name}"))]
        });
        let counts = counts.filter(|(count, _)| *count > 0).map(|(_, text)| text);
        f.write_str(&counts.collect::<Vec<_>>().join(", "))
    }
}

/// A position of a game, with the move that was played there.
#[derive(Clone, Copy)]
pub(super) struct Played<'a> {
    pub(super) game: &'a Game,
    pub(super) step: &'a Step,
    pub(super) ply: usize,
}

impl Filter {
    /// Returns true if all positions pass.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether a position outside games passes, and counts it if not.
    pub fn passes(&self, row: &ScoredPosition, seed: u64, excluded: &mut Excluded) -> bool {
        self.passes_played(row, None, seed, excluded)
    }

    pub(super) fn passes_played(
        &self,
        row: &ScoredPosition,
        played: Option<Played<'_>>,
        seed: u64,
        excluded: &mut Excluded,
    ) -> bool {
        let position = row.position();
        for (key, range) in &self.bounds {
            let number = number(*key, row, &position, played);
            if !number.is_some_and(|number| range.contains(&number)) {
                excluded.0[*key as usize][usize::from(number.is_none())] += 1;
                return false;
            }
        }
        if !self.share.is_all() {
            let drawn = Generator::split(seed, PlacedPosition::number_alone(&position)).next_u64();
            if (drawn >> 11) as f64 / (1_u64 << 53) as f64 >= f64::from(self.share) {
                excluded.0[Key::Share as usize][0] += 1;
                return false;
            }
        }
        true
    }
}

fn number(
    key: Key,
    row: &ScoredPosition,
    position: &Position,
    played: Option<Played<'_>>,
) -> Option<f64> {
    let value = |played: Played<'_>| {
        played.game.values()?.get(played.ply).copied().flatten().map(f64::from)
    };
    Some(match (key, played) {
        (Key::Ply, _) => position.ply().into(),
        (Key::Moves, _) => position.moves().count_ones().into(),
        (Key::Flips, Some(Played { step, .. })) => {
            step.position.flips(step.square).count_ones().into()
        }
        (Key::Value, Some(played)) => value(played)?.abs(),
        (Key::Value, None) => row.label().discs().abs(),
        (Key::Surprise, Some(played)) => {
            let result = played.game.black_score()? * played.step.side.sign();
            (value(played)? - f64::from(result)).abs()
        }
        (Key::Flips | Key::Surprise, None) | (Key::Share, _) => return None,
    })
}

impl FromStr for Filter {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        let mut filter = Self::default();
        for condition in text.split(',').filter(|_| !text.trim().is_empty()) {
            let wrong = |expected: &str| {
                InvalidSetting::of_text(condition.trim(), "a condition of a filter", expected)
            };
            let (name, range) = condition.split_once('=').unwrap_or((condition, ""));
            let name = name.trim();
            let found = KEYS.iter().find(|(_, own, ..)| *own == name);
            let &(key, name, most, _) = found.ok_or_else(|| {
                let names = KEYS.map(|(_, name, ..)| name).join(", ");
                wrong(&format!("KEY=A..B with a key of {names}, such as ply=10..50"))
            })?;
            let is_again = filter.bounds.iter().any(|(own, _)| *own == key);
            if is_again || (key == Key::Share && !filter.share.is_all()) {
                return Err(wrong(&format!("`{name}` only once")));
            }
            if key == Key::Share {
                filter.share = range.parse().map_err(|_| wrong("share=0.000001 to share=1"))?;
            } else {
                let range = parse_range(range, &(0.0..=most));
                let expected = format!("`{name}=A..B` with numbers from 0 to {most}");
                filter.bounds.push((key, range.ok_or_else(|| wrong(&expected))?));
            }
        }
        filter.bounds.sort_by_key(|(key, _)| *key);
        Ok(filter)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |(key, range): &(Key, RangeInclusive<f64>)| {
            format!("{}={}..{}", KEYS[*key as usize].1, range.start(), range.end())
        };
        let share = (!self.share.is_all()).then(|| format!("share={}", self.share));
        let all = self.bounds.iter().map(bound).chain(share);
        f.write_str(&all.collect::<Vec<_>>().join(","))
    }
}

impl TryFrom<String> for Filter {
    type Error = InvalidSetting;

    fn try_from(text: String) -> Result<Self, InvalidSetting> {
        text.parse()
    }
}

impl From<Filter> for String {
    fn from(filter: Filter) -> Self {
        filter.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_as_they_are_written_and_refused_by_their_condition() {
        for text in ["", "ply=10..50", "ply=10..50,moves=2..60,value=0..30.5,share=0.25"] {
            assert_eq!(text.parse::<Filter>().unwrap().to_string(), text);
        }
        let filter: Filter = " value = 0..=30 , ply=8".parse().unwrap();
        assert_eq!(filter.to_string(), "ply=8..8,value=0..30");
        assert!(Filter::default().is_all() && !filter.is_all());
        assert!("share=1".parse::<Filter>().unwrap().is_all());
        for (wrong, expected) in [
            ("depth=3..4", "`depth=3..4` is not a condition of a filter; expected KEY=A..B with a key of ply"),
            ("ply=10..50,", "`` is not a condition"),
            ("ply", "`ply=A..B` with numbers from 0 to 60"),
            ("ply=50..10", "`ply=A..B`"),
            ("value=-5..5", "`value=A..B` with numbers from 0 to 64"),
            ("value=NaN..5", "`value=A..B`"),
            ("ply=1..2,ply=3..4", "`ply` only once"),
            ("share=0", "share=0.000001 to share=1"),
        ] {
            let error = wrong.parse::<Filter>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
