//! Computes the exact scores of many positions with few empty squares, by the kernel in `solve.cu`.

use std::cmp::Reverse;

use bytemuck::{cast_slice, cast_slice_mut};
use othello_engine::board::Position;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress;
use othello_engine::record::RecordError;
use othello_kernels::{Launcher, Program, Value, index};
use rayon::prelude::*;

use super::header::header;
use super::memory::uploaded;
use crate::backend::{Result, SolveMany, Solved};
use crate::model::Model;

pub(super) const MOST_EMPTIES: u32 = 14;

/// The number of steps (move generations) after which the kernel stops a search. So many steps take
/// seconds. They were not enough for 1 of 496 positions of strong self-play with 14 empty squares.
const MOST_STEPS: u32 = 1 << 20;

const UNSOLVED: i32 = 1000;

/// The estimated steps of each thread in a launch (about 2 s). During a longer launch, a screen on
/// the same GPU would freeze.
const STEPS_PER_THREAD: f64 = (1 << 17) as f64;

/// The number of threads per block that [`Limits::blocks`](othello_kernels::Limits) assumes.
const USUAL_BLOCK: u32 = 128;

/// A solver of positions with few empty squares, which runs the solving kernel on any launcher.
#[derive(Debug)]
pub struct KernelSolver<L> {
    launcher: L,
    pub(crate) most_steps: u32,
}

impl<L: Launcher> KernelSolver<L> {
    /// Creates a solver. `launcher` must have compiled the [`solver_program`].
    pub fn new(launcher: L) -> Self {
        Self { launcher, most_steps: MOST_STEPS }
    }

    fn launch(&self, positions: &[Position]) -> Result<Solved> {
        let board = |position: &Position| [position.player(), position.opponent()];
        let boards: Vec<u64> = positions.iter().flat_map(board).collect();
        let mut scores = vec![0i32; positions.len()];
        let mut totals = [0u64; 2];
        let launcher = &self.launcher;
        let there = uploaded(launcher, cast_slice(&boards))?;
        let mut next = launcher.allocate(size_of::<u32>())?;
        let mut scores_there = launcher.allocate(size_of_val(&*scores))?;
        let mut totals_there = launcher.allocate(size_of_val(&totals))?;
        let mut arguments = [
            Value::In(&there),
            Value::U32(positions.len() as u32),
            Value::U32(self.most_steps),
            Value::Out(&mut next),
            Value::Out(&mut scores_there),
            Value::Out(&mut totals_there),
        ];
        let needed = positions.len().div_ceil(index::SOLVE.block as usize);
        let blocks = needed.min((self.threads() / index::SOLVE.block) as usize).max(1) as u32;
        // SAFETY: the arguments have the types in the kernel index. The buffers have two words and
        // a score for each position, one counter and two totals; scores, counter, totals are 0.
        unsafe { launcher.launch(&index::SOLVE, blocks, &mut arguments) }?;
        launcher.read(&scores_there, cast_slice_mut(&mut scores))?;
        launcher.read(&totals_there, cast_slice_mut(&mut totals))?;
        let score = |score: i32| (score != UNSOLVED).then_some(score as i8);
        let [nodes, steps] = totals;
        Ok(Solved { scores: scores.into_iter().map(score).collect(), nodes, steps })
    }

    /// Returns the number of threads of a launch that occupies the whole device.
    pub fn threads(&self) -> u32 {
        self.launcher.limits().blocks.max(1) * USUAL_BLOCK
    }
}

impl<L: Launcher> SolveMany for KernelSolver<L> {
    fn most_empties(&self) -> u32 {
        MOST_EMPTIES
    }

    /// Solves positions in launches that overlap, so that the device stays busy. Positions with the
    /// most empty squares come first, so that the threads of a warp have about equal work.
    fn solve_many(
        &self,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Solved, RecordError> {
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.retain(|&number| positions[number].empties() <= MOST_EMPTIES);
        order.sort_by_key(|&number| Reverse(positions[number].empties()));
        let launch = |numbers: &&[usize]| {
            progress.check()?;
            let chosen: Vec<Position> = numbers.iter().map(|&number| positions[number]).collect();
            self.launch(&chosen).map_err(|error| RecordError::Search(error.into()))
        };
        let launches = launches(positions, &order, STEPS_PER_THREAD * f64::from(self.threads()));
        let solved = launches.par_iter().with_max_len(1).map(launch);
        let solved: Vec<Solved> = solved.collect::<Result<_, _>>()?;
        let mut all = Solved { scores: vec![None; positions.len()], ..Solved::default() };
        for (numbers, Solved { scores, nodes, steps }) in launches.iter().zip(solved) {
            for (&number, score) in numbers.iter().zip(scores) {
                all.scores[number] = score;
            }
            all.nodes += nodes;
            all.steps += steps;
        }
        Ok(all)
    }
}

/// Divides `order`, indices of `positions`, into launches. Each needs an estimated total of at most
/// `steps` move generations, or consists of a single position.
fn launches<'o>(positions: &[Position], order: &'o [usize], steps: f64) -> Vec<&'o [usize]> {
    let (mut launches, mut rest) = (vec![], order);
    while !rest.is_empty() {
        let mut sum = 0.0;
        // This estimate is for self-play; in random games, a position takes twice as many steps.
        let fits = |number: &&usize| {
            sum += 3_200.0 * 2.5f64.powi(positions[**number].empties() as i32 - 10);
            sum <= steps
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (launch, others) = rest.split_at(count);
        launches.push(launch);
        rest = others;
    }
    launches
}

/// Returns the kernel program for a [`KernelSolver`]. Programs need a pattern set; this one has the
/// smallest, since the solver does not use patterns.
pub fn solver_program() -> Program {
    let small = PatternSet::shipped("small").expect("a shipped set");
    Program::new(&header(&Model::new(small)), &["solve.cu"])
}
