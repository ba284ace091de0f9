//! Plays the best move of a search to a fixed depth, from the start to the end of the game.
//!
//! ```sh
//! cargo run --release -p othello-engine --no-default-features --example search
//! ```

use othello_engine::board::{Position, Side};
use othello_engine::eval::{Evaluator, WeightsChoice, WeightsError};
use othello_engine::search::{Found, Searcher};

const DEPTH: u32 = 4;
/// The number of empty squares at or below which the game is solved.
const EXACT: u32 = 10;

fn main() -> Result<(), WeightsError> {
    let evaluator = Evaluator::load(&WeightsChoice::Embedded)?;
    let black_score = play(&evaluator);
    println!("black {black_score:+}");
    Ok(())
}

/// Plays a game of the engine against itself; returns the score for black.
pub(crate) fn play(evaluator: &Evaluator) -> i32 {
    let mut searcher = Searcher::new(evaluator, 16);
    let (mut position, mut side) = (Position::START, Side::Black);
    while !position.is_over() {
        // A search as deep as the number of empty squares is exact.
        let depth = if position.empties() > EXACT { DEPTH } else { EXACT };
        let Found { value, best, nodes, .. } = searcher.search(&position, depth);
        // A side without a move passes.
        position = match best.and_then(|square| position.play(square)) {
            Some(next) => next,
            None => position.pass(),
        };
        let name = best.map_or("pass".into(), |square| square.to_string());
        println!("{side:?} {name} {value:+.2} ({nodes} nodes)");
        side = side.other();
    }
    position.score() * side.sign()
}
