//! Solves a position: perfect play by both sides.
//!
//! ```sh
//! cargo run --release -p othello-engine --no-default-features --example solve
//! ```

use othello_engine::board::notation::{BoardLine, NotationError};
use othello_engine::eval::embedded;
use othello_engine::search::{Searcher, Solution};

/// The first problem of fforum, with 14 empty squares.
pub(crate) const BOARD: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

fn main() -> Result<(), NotationError> {
    let Solution { score, best, nodes } = solve(BOARD)?;
    let best = best.map_or("pass".into(), |square| square.to_string());
    println!("{score:+} discs with {best}, {nodes} nodes");
    Ok(())
}

/// Returns the score of a board line for the side to move. The weights only order the moves.
pub(crate) fn solve(line: &str) -> Result<Solution, NotationError> {
    let board: BoardLine = line.parse()?;
    let tables = embedded::tables();
    Ok(Searcher::new(&tables, 64).solve(&board.position))
}
