//! Textbook programs: they measure the rows of `docs/log/published-claims.md` that none of our
//! commands measures. `docs/log/published-claims.txt` has the command lines.
//!
//! ```sh
//! cargo run --release -p othello-testing --example textbook -- \
//!     windows datasets/problems/fforum-1-19.obf 60 3
//! ```

use std::error::Error;
use std::path::Path;
use std::str::FromStr;

use othello_engine::board::{Position, Squares};
use othello_engine::text::Lines;

pub(crate) mod line_board;
pub(crate) mod plain_search;
pub(crate) mod stoner;
pub(crate) mod tree_search;

type Done<T = ()> = Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: textbook COMPARISON FILE DEPTH COUNT | game DEPTH EXACT | \
    ages DEPTH EXACT | lines PLIES GAMES | stoner LAST_PLY | tree OPENINGS PAIRS NODES SIMULATIONS";

fn main() -> Done {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["lines", plies, games] => line_board::run(plies.parse()?, games.parse()?),
        ["stoner", last] => stoner::run(last.parse()?)?,
        ["tree", openings, pairs, nodes, simulations] => {
            let openings = first_lines(openings, pairs)?;
            tree_search::run(&openings, nodes.parse()?, simulations.parse()?)?;
        }
        [comparison @ ("game" | "ages"), depth, exact] => {
            plain_search::compare_games(comparison, depth.parse()?, exact.parse()?)?;
        }
        [comparison, file, depth, count] => {
            plain_search::compare(comparison, &first_lines(file, count)?, depth.parse()?)?;
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

fn first_lines<T: FromStr<Err: std::fmt::Display>>(file: &str, count: &str) -> Done<Vec<T>> {
    Ok(Lines::open(Path::new(file))?.next_lines(count.parse()?)?)
}

/// Iterates over the positions after each move, or after the pass if there is no move.
fn children(position: &Position) -> impl Iterator<Item = Position> {
    let moves = position.moves();
    let passed = (moves == 0).then(|| position.pass());
    Squares(moves).map(|square| position.after(square, position.flips(square))).chain(passed)
}

/// Returns the engine's hash of a board: the folded product of its bitboards.
fn hash(position: &Position) -> u64 {
    let [player, opponent] = [position.player(), position.opponent()].map(u128::from);
    let product = (player ^ 0x9E37_79B9_7F4A_7C15) * (opponent ^ 0xD1B5_4A32_D192_ED03);
    (product >> 64) as u64 ^ product as u64
}

/// Returns the processor time of this thread, which does not depend on other load; 0 if the system
/// does not report it.
fn processor_seconds() -> f64 {
    let found = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    found.and_then(|text| text.split(' ').next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
