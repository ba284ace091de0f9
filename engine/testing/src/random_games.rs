//! Games of random moves.

use othello_engine::board::{Position, Square, Squares};
use othello_engine::random::Generator;

/// The moves of random game number `seed`.
pub fn random_moves(seed: u64) -> Vec<Square> {
    let mut random = Generator::split(1, seed);
    let mut position = Position::START;
    let mut squares = vec![];
    while !position.is_over() {
        let moves = position.moves();
        if moves == 0 {
            position = position.pass();
            continue;
        }
        let choice = random.below(moves.count_ones()) as usize;
        let square = Squares(moves).nth(choice).expect("one of the moves");
        position = position.play(square).expect("a legal move");
        squares.push(square);
    }
    squares
}
