//! Games of random moves, and normally distributed noise.

use std::ops::Range;

use othello_engine::board::Square;
use othello_engine::random::{Generator, random_game};

/// Returns the moves of the random game with the index `number`, without passes.
pub fn random_moves(number: u64) -> Vec<Square> {
    random_game(1, number, usize::MAX).steps.iter().map(|step| step.square).collect()
}

/// Returns a random number of nearly normal distribution, with mean 0 and variance 1.
pub fn noise(random: &mut Generator) -> f64 {
    let draw = |random: &mut Generator| f64::from(random.below(1 << 20)) / f64::from(1 << 20);
    (0..12).map(|_| draw(random)).sum::<f64>() - 6.0
}

/// Returns a WTHOR file of the random games with the indices `games`. For every game, the file
/// states a draw as theoretical score (under perfect play from 24 empty squares), without a search.
pub fn wthor_file(games: Range<u64>) -> Vec<u8> {
    let mut bytes = vec![20, 20, 1, 1];
    bytes.extend(((games.end - games.start) as u32).to_le_bytes());
    bytes.extend([0, 0, 0xE4, 0x07, 8, 0, 24, 0]);
    for seed in games {
        let mut record = [0; 68];
        let game = random_game(1, seed, usize::MAX);
        let score = game.black_score().expect("a whole game");
        record[6..8].copy_from_slice(&[((64 + score) / 2) as u8, 32]);
        for (code, step) in record[8..].iter_mut().zip(game.steps) {
            let index = step.square.index() as u8;
            *code = 10 * (index / 8 + 1) + index % 8 + 1;
        }
        bytes.extend(record);
    }
    bytes
}
