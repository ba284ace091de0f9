//! Solves a position: finds its exact score and a best move.
//!
//! ```sh
//! cargo run --release -p othello-engine --no-default-features --example solve
//! ```

use std::error::Error;

use othello_engine::board::notation::BoardLine;
use othello_engine::eval::embedded;
use othello_engine::search::{Found, Search, Strength};

/// Problem 1 of the FFO suite, with 14 empty squares: squares a1 to h8, and the side to move.
pub(crate) const BOARD: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

fn main() -> Result<(), Box<dyn Error>> {
    let Found { value, best, nodes, .. } = solve(BOARD)?;
    let best = best.map_or("pass".into(), |square| square.to_string());
    println!("{:+} discs with {best}, {nodes} nodes", value.score());
    Ok(())
}

/// Solves a board line for the side to move. The weights only order the moves.
pub(crate) fn solve(line: &str) -> Result<Found, Box<dyn Error>> {
    let board: BoardLine = line.parse()?;
    let tables = embedded::tables();
    Ok(Search::new(&tables).strength(Strength::PERFECT).hash_mb(64).find(&board.position)?)
}
