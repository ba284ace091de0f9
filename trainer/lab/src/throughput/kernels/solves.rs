//! Exact scores on a device, compared with one thread of the CPU on the same positions.

use std::fmt;
use std::time::Instant;

use othello_engine::board::{Discs, Position};
use othello_engine::eval::Evaluate;
use othello_engine::progress::Silent;
use othello_engine::search::Searcher;
use othello_kernels::Launcher;
use serde::Serialize;

use super::super::{BenchError, ensure};
use othello_fit::backend::kernels::KernelSolver;
use othello_fit::backend::{BackendError, SolveMany as _, Solved};

/// The numbers of empty squares of the positions that are solved.
pub const SOLVED_EMPTIES: [u32; 3] = [10, 12, 14];

const CPU_SECONDS: f64 = 1.0;

/// The positions to solve, and the evaluation that orders moves in the CPU's searches.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a, E> {
    /// The evaluation.
    pub evaluator: &'a E,
    /// The positions for each of [`SOLVED_EMPTIES`].
    pub positions: &'a [Vec<Position>],
}

/// The rates of exact scores of positions with one number of empty squares.
#[derive(Serialize, schemars::JsonSchema, Debug)]
pub(super) struct SolveRates {
    empties: u32,
    /// The number of positions on the device.
    positions: usize,
    /// The number of these positions that the device did not solve within its limit of steps.
    given_up: usize,
    /// The rate of the device by wall time.
    positions_per_second: f64,
    nodes_per_second: f64,
    nodes_per_position: f64,
    /// The number of steps of a thread for each position.
    steps_per_position: f64,
    /// The number of these positions that the CPU also solved; then its rates on one thread.
    cpu_positions: usize,
    cpu_positions_per_second: f64,
    cpu_nodes_per_second: f64,
    /// The rate of the device divided by that of the thread.
    ratio: f64,
}

impl fmt::Display for SolveRates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { empties, positions_per_second: rate, cpu_positions_per_second: cpu, .. } = self;
        let nodes = self.nodes_per_second / 1e6;
        let device = format!("{rate:.0} exact scores/s, {nodes:.0} million nodes/s");
        let cpu = format!("one thread of the CPU {cpu:.0}/s, ratio {:.1}", self.ratio);
        write!(f, "{empties} empty squares: {device}; {cpu}")
    }
}

pub(super) fn measure<L: Launcher, E: Evaluate>(
    solver: &KernelSolver<L>,
    ends: Ends<'_, E>,
) -> Result<Vec<SolveRates>, BenchError> {
    let mut rates = vec![];
    for (&empties, positions) in SOLVED_EMPTIES.iter().zip(ends.positions) {
        let positions = &positions[..positions.len().min(solver.threads() as usize)];
        let Some(first) = positions.get(..1) else { continue };
        // The first launch also loads the kernel.
        solve(solver, first)?;
        let begun = Instant::now();
        let Solved { scores, nodes, steps } = solve(solver, positions)?;
        let seconds = begun.elapsed().as_secs_f64();
        let count = positions.len() as f64;
        let [cpu_positions, cpu_nodes, cpu_seconds] = on_cpu(ends.evaluator, positions, &scores)?;
        rates.push(SolveRates {
            empties,
            positions: positions.len(),
            given_up: scores.iter().filter(|score| score.is_none()).count(),
            positions_per_second: count / seconds,
            nodes_per_second: nodes as f64 / seconds,
            nodes_per_position: nodes as f64 / count,
            steps_per_position: steps as f64 / count,
            cpu_positions: cpu_positions as usize,
            cpu_positions_per_second: cpu_positions / cpu_seconds,
            cpu_nodes_per_second: cpu_nodes / cpu_seconds,
            ratio: count / seconds / (cpu_positions / cpu_seconds),
        });
    }
    Ok(rates)
}

fn solve<L: Launcher>(
    solver: &KernelSolver<L>,
    positions: &[Position],
) -> Result<Solved, BackendError> {
    let solved = solver.solve_many(positions, &Silent);
    solved.map_err(|error| BackendError { device: "kernels", reason: error.to_string() })
}

/// Solves positions on one thread for some time, each from empty tables; refuses scores that differ
/// from the device's. Returns the number of positions, the nodes and the seconds.
fn on_cpu<E: Evaluate>(
    evaluator: &E,
    positions: &[Position],
    scores: &[Option<i8>],
) -> Result<[f64; 3], BenchError> {
    let mut searcher = Searcher::new(evaluator, 16);
    let [mut solved, mut nodes, mut seconds] = [0.0; 3];
    let begun = Instant::now();
    for (position, &score) in positions.iter().zip(scores) {
        searcher.new_game();
        let solution = searcher.solve(position);
        let same = score.is_none_or(|score| Discs::from(score) == solution.score);
        ensure(same, || {
            format!("the device's score of {position:?} is {score:?}, not {}", solution.score)
        })?;
        solved += 1.0;
        nodes += solution.nodes as f64;
        seconds = begun.elapsed().as_secs_f64();
        if seconds > CPU_SECONDS {
            break;
        }
    }
    Ok([solved, nodes, seconds])
}
