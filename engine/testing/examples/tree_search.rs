//! Plays a match of Monte-Carlo tree search against the alpha-beta search of the engine, both with
//! the shipped weights. The result is a row of `docs/log/published-claims.md`.
//!
//! The arguments are a file of openings, the number of openings to play (each twice), the nodes of
//! an alpha-beta search, and the simulations of a tree search. These limits do not depend on the
//! load of the machine. The printed times show whether both searches took equal time.
//!
//! ```sh
//! cargo run --release -p othello-testing --example tree_search -- \
//!     datasets/openings/balanced-8.txt 100 60000 2400
//! ```

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use othello_engine::board::transcript::{Replay, parse};
use othello_engine::board::{Position, Squares};
use othello_engine::eval::{Evaluate, Evaluator};
use othello_engine::search::{Limits, Search, Searcher, Strength, TableError};
use othello_engine::text::Lines;

type Done<T = ()> = Result<T, Box<dyn Error>>;

/// The number of empty squares at which a game is adjudicated with its score under perfect play.
const EXACT: u32 = 14;
/// The greatest number of empty squares at which the leaves of the tree are solved exactly.
const SOLVED: u32 = 6;
const ROOT: usize = 0;

const SELECTIVITY: &str = "73";
const EXPLORATION: f64 = 1.0;
/// The temperature in discs: the prior of a move is ∝ exp(value in discs / temperature).
pub(crate) const TEMPERATURE: f64 = 4.0;

/// Converts a value in discs into the expected result, 0 (loss) to 1 (win), by a logistic function.
fn share(discs: f64) -> f64 {
    1.0 / (1.0 + (-discs / 8.0).exp())
}

/// A node of the search tree. Expected results (0 loss, 1 win) are for the side to move.
#[derive(Clone, Debug)]
struct Node {
    position: Position,
    children: Range<usize>,
    prior: f64,
    guess: f64,
    visits: f64,
    result_sum: f64,
    /// The expected result for the score under perfect play; `None` if this score is not proven.
    proven: Option<f64>,
}

impl Node {
    fn new(position: Position, prior: f64, guess: f64) -> Self {
        Self { position, children: 0..0, prior, guess, visits: 0.0, result_sum: 0.0, proven: None }
    }

    fn share(&self) -> f64 {
        self.proven.unwrap_or((self.guess + self.result_sum) / (1.0 + self.visits))
    }
}

/// The search tree. A search keeps the subtree of the current position from the previous search.
pub(crate) struct Tree<'a> {
    evaluator: &'a Evaluator,
    temperature: f64,
    solver: Searcher<'a, Evaluator>,
    nodes: Vec<Node>,
    /// The number of nodes searched: positions added to the tree, and nodes of exact searches.
    pub(crate) entered: u64,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(evaluator: &'a Evaluator, temperature: f64) -> Result<Self, TableError> {
        let solver = Search::new(evaluator).hash_mb(1).searcher()?;
        Ok(Self { evaluator, temperature, solver, nodes: vec![], entered: 0 })
    }

    /// Returns the position after the best move: the move proven best or, if there is no proof, the
    /// move with the most simulations.
    pub(crate) fn search(&mut self, position: &Position, simulations: u32) -> Position {
        self.begin(position);
        let mut left = simulations;
        while left > 0 && self.nodes[ROOT].proven.is_none() {
            self.simulate();
            left -= 1;
        }
        let is_proven = self.nodes[ROOT].proven.is_some();
        let merit = |child: &&Node| if is_proven { -child.share() } else { child.visits };
        let children = &self.nodes[self.nodes[ROOT].children.clone()];
        let best = children.iter().max_by(|one, other| merit(one).total_cmp(&merit(other)));
        best.map_or(*position, |best| best.position)
    }

    /// Makes `position` the root. If the tree has the position two plies below the previous root,
    /// keeps the position's subtree; otherwise, begins a new tree.
    fn begin(&mut self, position: &Position) {
        let children = |at: usize| self.nodes.get(at).map_or(0..0, |node| node.children.clone());
        let is_it = |&at: &usize| self.nodes[at].position == *position;
        let found = children(ROOT).flat_map(children).find(is_it);
        let root = found.map_or_else(
            || Node::new(*position, 1.0, share(self.discs(position))),
            |at| self.nodes[at].clone(),
        );
        let (mut kept, mut next) = (vec![root], 0);
        while next < kept.len() {
            let below = kept[next].children.clone();
            kept[next].children = kept.len()..kept.len() + below.len();
            kept.extend_from_slice(&self.nodes[below]);
            next += 1;
        }
        self.nodes = kept;
    }

    fn simulate(&mut self) {
        let (mut at, mut path) = (ROOT, vec![ROOT]);
        while self.nodes[at].proven.is_none() && !self.nodes[at].children.is_empty() {
            at = self.choose(at);
            path.push(at);
        }
        let mut share = self.expand(at);
        for at in path.into_iter().rev() {
            if self.nodes[at].proven.is_none() {
                self.nodes[at].proven = self.proven(at);
            }
            let node = &mut self.nodes[at];
            share = node.proven.unwrap_or(share);
            node.visits += 1.0;
            node.result_sum += share;
            share = 1.0 - share;
        }
    }

    /// Returns the index of the child with the greatest sum of the expected result, for the side to
    /// move at the node `at`, and an exploration bonus.
    fn choose(&self, at: usize) -> usize {
        let node = &self.nodes[at];
        let weight = EXPLORATION * node.visits.sqrt();
        let bonus = |child: &Node| weight * child.prior / (1.0 + child.visits);
        let worth = |&at: &usize| bonus(&self.nodes[at]) - self.nodes[at].share();
        let best = node.children.clone().max_by(|one, other| worth(one).total_cmp(&worth(other)));
        best.unwrap_or(at)
    }

    fn expand(&mut self, at: usize) -> f64 {
        let (position, guess) = (self.nodes[at].position, self.nodes[at].guess);
        if position.empties() <= SOLVED && self.nodes[at].proven.is_none() {
            let found = self.solver.search(&position, Strength::PERFECT);
            self.entered += found.nodes;
            self.nodes[at].proven = Some(share(found.value.discs()));
        } else if position.is_over() {
            self.nodes[at].proven = Some(guess);
        }
        if let Some(share) = self.nodes[at].proven {
            return share;
        }
        let (first, state) = (self.nodes.len(), self.evaluator.state(&position));
        for square in Squares(position.moves()) {
            let flips = position.flips(square);
            let child = position.after(square, flips);
            let discs = match child.moves() {
                0 => self.discs(&child),
                _ => self.evaluator.value_after(&state, square, flips, &child).discs(),
            };
            let likely = (-discs / self.temperature).exp();
            self.nodes.push(Node::new(child, likely, share(discs)));
        }
        if position.moves() == 0 {
            self.nodes.push(Node::new(position.pass(), 1.0, 1.0 - guess));
        }
        let children = first..self.nodes.len();
        self.entered += children.len() as u64;
        let sum: f64 = self.nodes[children.clone()].iter().map(|child| child.prior).sum();
        self.nodes[children.clone()].iter_mut().for_each(|child| child.prior /= sum);
        self.nodes[at].children = children;
        guess
    }

    fn discs(&self, position: &Position) -> f64 {
        if position.is_over() {
            position.score().into()
        } else if position.moves() == 0 {
            -self.discs(&position.pass())
        } else {
            self.evaluator.value(&self.evaluator.state(position), position).discs()
        }
    }

    /// Returns the expected result of the best move at the node `at`; `None` unless all children
    /// are proven.
    fn proven(&self, at: usize) -> Option<f64> {
        let children = &self.nodes[self.nodes[at].children.clone()];
        let better = |best: f64, child: &Node| Some(best.max(1.0 - child.proven?));
        children.iter().try_fold(0.0, better).filter(|_| !children.is_empty())
    }
}

/// Plays a game; returns the score of the tree search in discs. Adds moves, nodes and processor
/// seconds to `work`: at index 0 those of the tree search, at 1 those of alpha-beta.
fn play(
    (evaluator, search): (&Evaluator, &Search<'_, Evaluator>),
    (simulations, most_nodes): (u32, u64),
    (opening, tree_begins): (Position, bool),
    work: &mut [[f64; 3]; 2],
) -> Done<i32> {
    let mut tree = Tree::new(evaluator, TEMPERATURE)?;
    let mut searcher = search.searcher()?;
    let limits = Limits { nodes: Some(most_nodes), ..Limits::default() };
    let (mut position, mut is_tree) = (opening, tree_begins);
    while !position.is_over() && position.empties() > EXACT {
        let (begun, entered) = (processor_seconds(), tree.entered);
        let mut nodes = 0;
        if position.moves() == 0 {
            position = position.pass();
        } else if is_tree {
            position = tree.search(&position, simulations);
            nodes = tree.entered - entered;
        } else {
            let found = searcher.search_within(&position, Strength::ANY_DEPTH, &limits);
            position = found.best.and_then(|best| position.play(best)).ok_or("no move found")?;
            nodes = found.nodes;
        }
        let new = [1.0, nodes as f64, processor_seconds() - begun];
        let side = &mut work[usize::from(!is_tree)];
        *side = [0, 1, 2].map(|at| side[at] + new[at]);
        is_tree = !is_tree;
    }
    let score = tree.solver.search(&position, Strength::PERFECT).value.score();
    Ok(if is_tree { score } else { -score })
}

/// Prints the tree search's wins, draws and losses, and its Elo difference with a 95 % interval.
/// `pairs` has the tree search's scores in the two games of each opening, above 0 for a win.
fn print_score(pairs: &[[i32; 2]]) {
    let [won, drawn, lost] = [1, 0, -1]
        .map(|sign| pairs.iter().flatten().filter(|score| score.signum() == sign).count());
    let points = pairs.iter().map(|pair| (pair[0].signum() + pair[1].signum() + 2) as f64 / 4.0);
    let points: Vec<f64> = points.collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let squares: Vec<f64> = points.iter().map(|one| (one - mean(&points)).powi(2)).collect();
    let width = 1.96 * (mean(&squares) / (points.len() as f64 - 1.0)).sqrt();
    let elo = |share: f64| 400.0 * (share.clamp(0.0, 1.0) / (1.0 - share.clamp(0.0, 1.0))).log10();
    let [middle, low, high] = [0.0, -width, width].map(|off| elo(mean(&points) + off));
    println!("tree search: {won} won, {drawn} drawn, {lost} lost");
    println!("{middle:+.0} Elo ({low:+.0} to {high:+.0})");
}

/// Returns the processor time of this thread in seconds; 0 if the system does not report it.
fn processor_seconds() -> f64 {
    let found = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    found.and_then(|text| text.split(' ').next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn main() -> Done {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [openings, pairs, nodes, simulations] = &arguments[..] else {
        return Err("usage: tree_search OPENINGS PAIRS NODES SIMULATIONS".into());
    };
    let openings: Vec<String> = Lines::open(Path::new(openings))?.next_lines(pairs.parse()?)?;
    let (nodes, simulations) = (nodes.parse()?, simulations.parse()?);
    let evaluator = Evaluator::embedded();
    let search = Search::new(&evaluator).selectivity(SELECTIVITY.parse()?)?;
    let (mut scores, mut work) = (vec![], [[0.0; 3]; 2]);
    for opening in openings {
        let opening = Replay::from_start(&parse(&opening)?)?.end;
        let mut game = |tree_begins| {
            play((&evaluator, &search), (simulations, nodes), (opening, tree_begins), &mut work)
        };
        scores.push([game(true)?, game(false)?]);
    }
    print_score(&scores);
    for (name, [moves, nodes, seconds]) in ["tree search", "alpha-beta"].iter().zip(work) {
        let (each, rate) = (1e3 * seconds / moves, nodes / seconds / 1e6);
        println!("{name}: {moves} moves, {each:.1} ms each, {rate:.2} M nodes a second");
    }
    Ok(())
}
