//! Which part a game, or a position that belongs to none, falls in.

use othello_engine::board::Position;
use othello_engine::record::Game;
use sha2::{Digest as _, Sha256};

/// One of the three parts of a dataset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Fitted.
    Training,
    /// Tells when to stop.
    Validation,
    /// Measured at the end.
    Test,
}

impl Part {
    /// The three parts.
    pub const ALL: [Self; 3] = [Self::Training, Self::Validation, Self::Test];
}

/// How a dataset is split: a game falls in a part by a hash of the seed and its moves, so that it
/// falls in the same part whatever else is read, and so do its images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// Another seed, another split.
    pub seed: u64,
    /// The share of games for validation.
    pub validation_percent: u8,
    /// The share of games for the test; what is left is for training.
    pub test_percent: u8,
}

impl Split {
    /// 90 % for training, 5 % for validation, 5 % for the test.
    pub fn new(seed: u64) -> Self {
        Self { seed, validation_percent: 5, test_percent: 5 }
    }

    /// Everything for training.
    pub fn none() -> Self {
        Self { seed: 0, validation_percent: 0, test_percent: 0 }
    }

    /// The part of a game.
    pub fn of_game(&self, game: &Game) -> Part {
        let moves = game.canonical_squares().into_iter();
        self.part(&moves.map(|square| square.index() as u8).collect::<Vec<u8>>())
    }

    /// The part of a position that belongs to no game, given in its canonical form.
    pub fn of_position(&self, canonical: &Position) -> Part {
        let boards = [canonical.player().to_le_bytes(), canonical.opponent().to_le_bytes()];
        self.part(boards.as_flattened())
    }

    fn part(&self, key: &[u8]) -> Part {
        let hash: [u8; 32] =
            Sha256::new().chain_update(self.seed.to_le_bytes()).chain_update(key).finalize().into();
        let draw = hash.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes));
        let percentile = (u128::from(draw) * 100) >> 64;
        let validation = u128::from(self.validation_percent);
        if percentile < validation {
            Part::Validation
        } else if percentile < validation + u128::from(self.test_percent) {
            Part::Test
        } else {
            Part::Training
        }
    }
}
