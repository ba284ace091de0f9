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

/// A WTHOR file of the random games below `games`, without theoretical scores.
pub fn wthor_file(games: u64) -> Vec<u8> {
    let mut bytes = vec![20, 20, 1, 1];
    bytes.extend((games as u32).to_le_bytes());
    bytes.extend([0, 0, 0xE4, 0x07, 8, 0, 0, 0]);
    for seed in 0..games {
        let mut record = [0; 68];
        for (code, square) in record[8..].iter_mut().zip(random_moves(seed)) {
            *code = 10 * (square.index() as u8 / 8 + 1) + square.index() as u8 % 8 + 1;
        }
        bytes.extend(record);
    }
    bytes
}
