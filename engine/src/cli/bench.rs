//! `othello-engine bench`: a fixed set of searches on one thread. The printed number of nodes
//! serves as a fingerprint: almost every change to the search changes it.

use std::time::Instant;

use serde::Serialize;

use super::{Outcome, Session};
use crate::eval::{Evaluator, WeightsChoice};
use crate::progress::Progress as _;
use crate::random::{Generator, random_position_to_move};
use crate::search::{Search, Searcher};
use crate::simd::InstructionSet;

/// Arguments of `bench`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
}

const POSITIONS: u64 = 24;
const HASH_MEGABYTES: usize = 16;
const DEPTH: u32 = 9;
const LEAST_MIDGAME_EMPTIES: u32 = 28;
const SOLVED_EMPTIES: u32 = 17;

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{nodes} nodes, {seconds:.3} s, {:.2} M nodes/s", nps / 1e6)]
struct Part {
    /// The nodes that the searches visited.
    nodes: u64,
    /// The wall time of the searches.
    seconds: f64,
    /// The nodes a second.
    nps: f64,
}

impl Part {
    fn new(nodes: u64, seconds: f64) -> Self {
        Self { nodes, seconds, nps: nodes as f64 / seconds.max(1e-9) }
    }
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "{POSITIONS} positions to depth {DEPTH}: {midgame}\n{POSITIONS} positions with {SOLVED_EMPTIES} empty \
     squares: {endgame}\nall: {all}, instructions {instructions}"
)]
pub(in crate::cli) struct Bench {
    #[serde(flatten)]
    all: Part,
    /// The nodes and the time of the searches to a fixed depth.
    midgame: Part,
    /// The nodes and the time of the exact searches.
    endgame: Part,
    /// The instruction set that the program used.
    instructions: String,
}

/// Runs the benchmark and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::prepared(&arguments.weights)?;
    let mut searcher = Search::new(&evaluator).hash_mb(HASH_MEGABYTES).searcher()?;
    session.progress().begin("bench (positions)", 0, 2 * POSITIONS);
    let mut time = |search: &mut dyn FnMut(&mut Searcher<'_, Evaluator>, u64) -> u64| {
        let begun = Instant::now();
        let nodes = (0..POSITIONS).map(|number| {
            searcher.new_game();
            let nodes = search(&mut searcher, number);
            session.progress().advance(1);
            nodes
        });
        Part::new(nodes.sum(), begun.elapsed().as_secs_f64())
    };
    let position = |number, empties| random_position_to_move(&mut Generator::new(number), empties);
    let midgame = time(&mut |searcher, number| {
        let empties = LEAST_MIDGAME_EMPTIES + number as u32;
        searcher.search(&position(number, empties), DEPTH).nodes
    });
    let endgame =
        time(&mut |searcher, number| searcher.solve(&position(number, SOLVED_EMPTIES)).nodes);
    let all = Part::new(midgame.nodes + endgame.nodes, midgame.seconds + endgame.seconds);
    let instructions = InstructionSet::chosen().to_string();
    session.print(&Bench { all, midgame, endgame, instructions })
}
