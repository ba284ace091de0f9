//! Identifies games by their moves, to find duplicates.

use sha2::{Digest as _, Sha256};

use crate::board::Square;

/// Returns a key for the moves of a game: the first 16 bytes of their SHA-256.
pub fn key_of_moves(moves: &[Square]) -> [u8; 16] {
    let moves: Vec<u8> = moves.iter().map(|square| square.index() as u8).collect();
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(moves)[..16]);
    key
}
