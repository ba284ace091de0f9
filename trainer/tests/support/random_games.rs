//! Games of random moves.

use othello_engine::board::Square;
use othello_engine::random::random_game;

/// The moves of random game number `number`.
pub(crate) fn random_moves(number: u64) -> Vec<Square> {
    random_game(1, number, usize::MAX).steps.iter().map(|step| step.square).collect()
}
