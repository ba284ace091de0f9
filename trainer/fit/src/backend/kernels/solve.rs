//! Exact scores of many positions with few empty squares, by the kernel of `solve.cu`.

use std::cmp::Reverse;

use bytemuck::{cast_slice, cast_slice_mut};
use othello_engine::board::Position;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress;
use othello_kernels::{Launcher, Program, Value, index};
use rayon::prelude::*;

use super::program;
use crate::backend::{BackendError, SolveError, SolveMany, Solved};
use crate::model::Model;

/// The most empty squares of a position that the kernel solves.
pub(super) const MOST_EMPTIES: u32 = 14;

/// The number of steps after which the kernel gives a search up: some seconds of one thread. With
/// 14 empty squares, 1 of 496 positions of strong self-play takes more, and 1 of 21 of random
/// games; with 12, hardly any.
const MOST_STEPS: u32 = 1 << 20;

/// The number in the place of a score that the kernel gave up.
const UNSOLVED: i32 = 1000;

/// The number of steps of a launch for each thread, as estimated: about two seconds of a large GPU,
/// so that none blocks a display or the end of a run for long.
const STEPS_PER_THREAD: f64 = (1 << 17) as f64;

/// The number of threads of a block that [`Limits::blocks`](othello_kernels::Limits) counts.
const USUAL_BLOCK: u32 = 128;

/// The kernel that solves positions, on any launcher.
#[derive(Debug)]
pub struct KernelSolver<L> {
    launcher: L,
    most_steps: u32,
}

impl<L: Launcher> KernelSolver<L> {
    /// Creates a solver; `launcher` must have the [program](program()) of any model.
    pub fn new(launcher: L) -> Self {
        Self { launcher, most_steps: MOST_STEPS }
    }

    /// Returns this solver with another number of steps after which a search is given up.
    #[must_use]
    pub fn with_most_steps(self, most_steps: u32) -> Self {
        Self { most_steps, ..self }
    }

    /// Solves positions in one launch.
    fn launch(&self, positions: &[Position]) -> Result<Solved, BackendError> {
        let boards: Vec<u64> = positions
            .iter()
            .flat_map(|position| [position.player(), position.opponent()])
            .collect();
        let mut scores = vec![0i32; positions.len()];
        let mut totals = [0u64; 2];
        let launcher = &self.launcher;
        let mut there = launcher.allocate(size_of_val(&*boards))?;
        launcher.write(&mut there, cast_slice(&boards))?;
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
        // SAFETY: the arguments are those of the index. There are two words for each position and
        // room for its score, and one number and two totals, all zero.
        unsafe { launcher.launch(&index::SOLVE, blocks, &mut arguments) }?;
        launcher.read(&scores_there, cast_slice_mut(&mut scores))?;
        launcher.read(&totals_there, cast_slice_mut(&mut totals))?;
        let score = |score: i32| (score != UNSOLVED).then_some(score as i8);
        let [nodes, steps] = totals;
        Ok(Solved { scores: scores.into_iter().map(score).collect(), nodes, steps })
    }

    /// Returns the number of threads of a full launch.
    pub fn threads(&self) -> u32 {
        self.launcher.limits().blocks.max(1) * USUAL_BLOCK
    }
}

impl<L: Launcher> SolveMany for KernelSolver<L> {
    fn most_empties(&self) -> u32 {
        MOST_EMPTIES
    }

    /// Solves in launches that run side by side as far as there are threads, so that the last
    /// searches of one meet the first ones of the next. Those with most empty squares come first:
    /// the threads of a warp then have about as much to do.
    fn solve_many(
        &self,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Solved, SolveError> {
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.retain(|&number| positions[number].empties() <= MOST_EMPTIES);
        order.sort_by_key(|&number| Reverse(positions[number].empties()));
        let launch = |numbers: &&[usize]| {
            progress.check()?;
            let chosen: Vec<Position> = numbers.iter().map(|&number| positions[number]).collect();
            Ok::<_, SolveError>(self.launch(&chosen)?)
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

/// Cuts an order of positions into launches of about so many steps.
fn launches<'o>(positions: &[Position], order: &'o [usize], steps: f64) -> Vec<&'o [usize]> {
    let (mut launches, mut rest) = (vec![], order);
    while !rest.is_empty() {
        let mut sum = 0.0;
        let fits = |number: &&usize| {
            sum += usual_steps(positions[**number].empties());
            sum <= steps
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (launch, others) = rest.split_at(count);
        launches.push(launch);
        rest = others;
    }
    launches
}

/// Returns about how many steps a position of self-play with so many empty squares takes: 3,200
/// with 10, and 2.5 times as many for each more. Random games take twice that.
fn usual_steps(empties: u32) -> f64 {
    3_200.0 * 2.5f64.powi(empties as i32 - 10)
}

/// Returns the program for a solver, which uses no pattern set: that of the smallest.
pub fn solver_program() -> Program {
    let small = PatternSet::shipped("small").expect("a shipped set");
    program(&Model::new(small))
}
