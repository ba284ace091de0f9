//! Which games were met before.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

use crate::board::Square;

/// What stands for the moves of a game: 16 bytes of a checksum. Two games in 2⁶⁴ would be confused.
pub fn key_of_moves(moves: &[Square]) -> [u8; 16] {
    let moves: Vec<u8> = moves.iter().map(|square| square.index() as u8).collect();
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(moves)[..16]);
    key
}

/// Games by their moves, as [`key_of_moves`] tells them apart.
#[derive(Default)]
pub struct DistinctGames(HashSet<[u8; 16]>);

impl DistinctGames {
    /// Adds a game; whether its moves were not met before.
    pub fn insert(&mut self, moves: &[Square]) -> bool {
        self.0.insert(key_of_moves(moves))
    }

    /// How many different games were added.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no game was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
