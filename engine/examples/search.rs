//! Plays the best move of a search to a fixed depth, from the start to the end of the game.
//!
//! ```sh
//! cargo run --release -p othello-engine --no-default-features --example search
//! ```

use othello_engine::board::{Position, Side};
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::search::{Found, Search, Strength, TableError};

/// The strength of both players: depth 4, and exact solving at ten or fewer empty squares.
const STRENGTH: Strength = Strength { depth: 4, exact: 10 };

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let evaluator = Evaluator::load(&WeightsChoice::Embedded)?;
    let black_score = play(&evaluator)?;
    println!("black {black_score:+}");
    Ok(())
}

/// Plays a game of the engine against itself; returns the score for black.
pub(crate) fn play(evaluator: &Evaluator) -> Result<i32, TableError> {
    // The searcher's transposition table keeps the results of earlier searches of the game.
    let mut searcher = Search::new(evaluator).searcher()?;
    let (mut position, mut side) = (Position::START, Side::Black);
    while !position.is_over() {
        let Found { value, best, nodes, .. } = searcher.search(&position, STRENGTH);
        let next = best.and_then(|square| position.play(square));
        position = next.unwrap_or_else(|| position.pass());
        let name = best.map_or("pass".into(), |square| square.to_string());
        println!("{side:?} {name} {value:+.2} ({nodes} nodes)");
        side = side.other();
    }
    Ok(position.score() * side.sign())
}
