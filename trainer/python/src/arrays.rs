//! Boards as two arrays, and arrays that are returned to Python.

use numpy::{AllowTypeChange, PyArrayLike1};
use othello_engine::board::Position;
use pyo3::prelude::*;

use crate::errors::refused;

/// The discs of one side on many boards: an array of `uint64`, or an object that NumPy converts to
/// one.
pub(crate) type Discs<'py> = PyArrayLike1<'py, u64, AllowTypeChange>;

/// Checks that each pair of numbers is a position.
pub(crate) fn boards(player: &Discs<'_>, opponent: &Discs<'_>) -> PyResult<Vec<Position>> {
    let (player, opponent) = (player.as_array(), opponent.as_array());
    if player.len() != opponent.len() {
        let (players, opponents) = (player.len(), opponent.len());
        return Err(refused(format!(
            "{players} boards of the player and {opponents} of the opponent; expected as many"
        )));
    }
    let pairs = player.iter().zip(opponent).enumerate();
    pairs.map(|(place, (&player, &opponent))| board(player, opponent, place)).collect()
}

fn board(player: u64, opponent: u64, place: usize) -> PyResult<Position> {
    let position = Position::new(player, opponent)
        .ok_or_else(|| refused(format!("board {place}: both sides have a disc on one square")))?;
    match position.discs() {
        0..4 => Err(refused(format!(
            "board {place} has {} discs; a position has at least 4",
            position.discs()
        ))),
        _ => Ok(position),
    }
}
