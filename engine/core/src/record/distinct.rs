//! Finds duplicate games: a set of games, which are identified by their moves.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

use crate::board::Square;

/// Returns a key for the moves of a game: the first 16 bytes of their SHA-256.
pub fn key_of_moves(moves: &[Square]) -> [u8; 16] {
    let moves: Vec<u8> = moves.iter().map(|square| square.index() as u8).collect();
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(moves)[..16]);
    key
}

/// A set of games, identified by [`key_of_moves`].
#[derive(Default)]
pub struct DistinctGames(HashSet<[u8; 16]>);

impl DistinctGames {
    /// Adds a game. Returns true if the set did not contain a game with the same moves.
    pub fn insert(&mut self, moves: &[Square]) -> bool {
        self.0.insert(key_of_moves(moves))
    }
}
