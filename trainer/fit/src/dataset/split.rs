//! Splits games, and positions outside games, into training, validation and test.

use std::str::FromStr;

use othello_engine::board::Position;
use othello_engine::record::{Game, PlacedPosition};
use othello_engine::text::Invalid;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// One of the three subsets of a dataset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, derive_more::Display, clap::ValueEnum)]
#[display(rename_all = "lowercase")]
pub enum Subset {
    /// Positions that the weights were fitted to
    Training,
    /// Positions whose error decided when the fit stopped
    Validation,
    /// Positions that only the report of the fit used
    Test,
}

impl Subset {
    /// The three subsets.
    pub const ALL: [Self; 3] = [Self::Training, Self::Validation, Self::Test];
}

/// A share of the games, from 0.000001 to 1, stored as a whole number of millionths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, derive_more::Display)]
#[display("{}", f64::from(*self))]
#[derive(Serialize, schemars::JsonSchema, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(u32);

impl Share {
    /// The share that contains all games.
    pub const ALL: Self = Self(Self::ONE);
    const ONE: u32 = 1_000_000;

    /// Returns the product of the two shares, rounded down, but at least one millionth.
    #[must_use]
    pub fn of(self, other: Self) -> Self {
        let both = u64::from(self.0) * u64::from(other.0) / u64::from(Self::ONE);
        Self(u32::try_from(both).unwrap_or(Self::ONE).max(1))
    }

    /// Returns true if the share is 1: it contains all games.
    pub fn is_all(&self) -> bool {
        *self == Self::ALL
    }
}

impl Default for Share {
    fn default() -> Self {
        Self::ALL
    }
}

impl TryFrom<f64> for Share {
    type Error = Invalid;

    fn try_from(share: f64) -> Result<Self, Invalid> {
        let millionths = (share * f64::from(Self::ONE)).round();
        let in_range = (1.0..=f64::from(Self::ONE)).contains(&millionths);
        in_range.then_some(Self(millionths as u32)).ok_or_else(|| {
            let expected = "a number from 0.000001 to 1";
            Invalid::not(&share.to_string(), "a share of the games", expected)
        })
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        Self::from(share.0) / Self::from(Share::ONE)
    }
}

impl FromStr for Share {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        text.trim().parse().unwrap_or(f64::NAN).try_into()
    }
}

/// The split of a dataset into training, validation and test. A hash of the seed and a game's moves
/// chooses the subset of the game; symmetric images of a game have equal hashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Split {
    /// The seed of the split. Different seeds give different splits.
    pub seed: u64,
    /// The percentage of games whose positions are for validation.
    pub validation_percent: u8,
    /// The percentage of games whose positions are for the test. The other games are for training.
    pub test_percent: u8,
    /// The share of the games to use. With one seed, a larger share has all games of a smaller one.
    #[serde(default)]
    pub share: Share,
}

impl Split {
    /// Returns a split with 90 % for training, 5 % for validation and 5 % for the test.
    pub fn new(seed: u64) -> Self {
        Self { seed, validation_percent: 5, test_percent: 5, share: Share::ALL }
    }

    /// Returns a split in which all games and positions are for training.
    pub fn none() -> Self {
        Self { seed: 0, validation_percent: 0, test_percent: 0, share: Share::ALL }
    }

    /// Returns the subset of a game; `None` if [`Self::share`] omits the game.
    pub fn of_game(&self, game: &Game) -> Option<Subset> {
        let moves = game.canonical_squares().into_iter();
        self.subset(&moves.map(|square| square.index() as u8).collect::<Vec<u8>>())
    }

    /// Returns the subset of a canonical position outside games; `None` if [`Self::share`] omits
    /// the position.
    pub fn of_position(&self, canonical: &Position) -> Option<Subset> {
        let boards = [canonical.player().to_le_bytes(), canonical.opponent().to_le_bytes()];
        self.subset(boards.as_flattened())
    }

    /// Returns the subset that the position's record states. If the record states none, returns the
    /// subset that the split gives to its game. Returns `None` if [`Self::share`] omits the game.
    pub fn of_placed(&self, placed: &PlacedPosition) -> Option<Subset> {
        let drawn = self.subset(&placed.game.to_le_bytes())?;
        let stated = placed.subset.and_then(|subset| Subset::ALL.get(usize::from(subset)));
        Some(stated.copied().unwrap_or(drawn))
    }

    fn subset(&self, key: &[u8]) -> Option<Subset> {
        let hash: [u8; 32] =
            Sha256::new().chain_update(self.seed.to_le_bytes()).chain_update(key).finalize().into();
        // Independent draws from the hash: one for the subset and one for the share.
        let draw = |number: usize, below: u32| {
            let bytes = hash.as_chunks().0.get(number).copied().unwrap_or_default();
            (u128::from(u64::from_le_bytes(bytes)) * u128::from(below)) >> 64
        };
        if draw(1, Share::ONE) >= u128::from(self.share.0) {
            return None;
        }
        let validation = u128::from(self.validation_percent);
        Some(match draw(0, 100) {
            percentile if percentile < validation => Subset::Validation,
            percentile if percentile < validation + u128::from(self.test_percent) => Subset::Test,
            _ => Subset::Training,
        })
    }
}

#[cfg(test)]
mod tests {
    use othello_testing::random_games::random_moves;

    use super::*;

    #[test]
    fn a_smaller_share_is_part_of_a_larger_one_and_splits_alike() {
        let games: Vec<Game> =
            (0..4000).map(|seed| Game::new(0, &random_moves(seed)).unwrap()).collect();
        let parts = |share: f64| -> Vec<Option<Subset>> {
            let split = Split { share: share.try_into().unwrap(), ..Split::new(3) };
            games.iter().map(|game| split.of_game(game)).collect()
        };
        let [quarter, half, all] = [0.25, 0.5, 1.0].map(parts);
        let count = |parts: &[Option<Subset>]| parts.iter().flatten().count();
        assert!(count(&quarter).abs_diff(1000) < 100 && count(&half).abs_diff(2000) < 120);
        assert_eq!(count(&all), 4000);
        for (small, large) in [(&quarter, &half), (&half, &all)] {
            assert!(
                small.iter().zip(large).all(|(small, large)| small.is_none() || small == large)
            );
        }
        // Shares and subsets must be independent: of half the games, 5 % are also for validation.
        let validation = half.iter().filter(|&&part| part == Some(Subset::Validation)).count();
        assert!(validation.abs_diff(100) < 45, "{validation}");
    }

    #[test]
    fn shares_are_above_0_and_at_most_1() {
        assert_eq!("0.0625".parse::<Share>().unwrap().to_string(), "0.0625");
        assert!("1".parse::<Share>().unwrap().is_all());
        let half: Share = 0.5.try_into().unwrap();
        assert_eq!((half.of(half), half.of(Share::ALL)), (0.25.try_into().unwrap(), half));
        for text in ["0", "-1", "1.1", "NaN", "1e-9", "x"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }
}
