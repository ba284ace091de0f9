//! Monte-Carlo tree search against the program's own search, both by the weights that ship: the
//! comparison of `docs/log/published-claims.md` that no setting of the program shows.
//!
//! ```sh
//! cargo run --release -p othello-testing --example tree_search -- \
//!     datasets/openings/balanced-8.txt 100 60000 73 2400 1 4 8
//! ```
//!
//! The arguments are a file of openings, the number of pairs of games, the nodes a move and the
//! selectivity of the program's search in percent, and of the tree search the simulations a move
//! and its [`Settings`]. Counts end both, so that a match is the same on a busy machine; what is
//! printed says which counts take equal time. Games are scored by perfect play from [`EXACT`]
//! empty squares on.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use othello_engine::board::transcript::{Replay, parse};
use othello_engine::board::{Position, Squares};
use othello_engine::eval::{Evaluate, Evaluator};
use othello_engine::search::{Limits, Search, Searcher, Strength, TableError};
use othello_engine::text::Lines;

/// The number of empty squares from which on a game is scored by perfect play.
const EXACT: u32 = 14;
/// The number of empty squares from which on leaves of the tree are solved.
const SOLVED: u32 = 6;
/// The place of the root among the nodes of a tree.
const ROOT: usize = 0;

/// The settings of a tree search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The weight of what was tried little, beside the mean value.
    pub(crate) exploration: f64,
    /// The difference in discs that makes a move e times as likely to be tried.
    pub(crate) temperature: f64,
    /// The score in discs that counts as 73 % of a win, by the logistic function.
    pub(crate) scale: f64,
}

impl Settings {
    /// Returns the share of a win, from 0 to 1, that a number of discs is worth.
    fn share(&self, discs: f64) -> f64 {
        1.0 / (1.0 + (-discs / self.scale).exp())
    }
}

/// A node of a tree. Shares of a win are those of its player.
#[derive(Clone, Debug)]
struct Node {
    position: Position,
    /// The places of its children; none before it is expanded.
    children: Range<usize>,
    /// The probability of its move among those of its parent.
    prior: f64,
    /// Its share by the evaluation alone.
    guess: f64,
    visits: f64,
    /// The sum of the shares that its visits found.
    sum: f64,
    /// Its share by perfect play, once that is known.
    proven: Option<f64>,
}

impl Node {
    fn new(position: Position, prior: f64, guess: f64) -> Self {
        Self { position, children: 0..0, prior, guess, visits: 0.0, sum: 0.0, proven: None }
    }

    /// Returns the best estimate of its share.
    fn share(&self) -> f64 {
        self.proven.unwrap_or((self.guess + self.sum) / (1.0 + self.visits))
    }
}

/// A tree search of one position after another, which keeps what it knows of the next one.
pub(crate) struct Tree<'a> {
    evaluator: &'a Evaluator,
    settings: Settings,
    solver: Searcher<'a, Evaluator>,
    nodes: Vec<Node>,
    /// The positions that were entered in all searches.
    pub(crate) entered: u64,
}

impl<'a> Tree<'a> {
    /// Begins with an empty tree.
    pub(crate) fn new(evaluator: &'a Evaluator, settings: Settings) -> Result<Self, TableError> {
        let solver = Search::new(evaluator).hash_mb(1).searcher()?;
        Ok(Self { evaluator, settings, solver, nodes: vec![], entered: 0 })
    }

    /// Returns the position after the move that was tried most of so many simulations.
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

    /// Makes the root of a position: with what is below it, if it is two plies below the last root.
    fn begin(&mut self, position: &Position) {
        let children = |at: usize| self.nodes.get(at).map_or(0..0, |node| node.children.clone());
        let is_it = |&at: &usize| self.nodes[at].position == *position;
        let found = children(ROOT).flat_map(children).find(is_it);
        let root = found.map_or_else(
            || Node::new(*position, 1.0, self.settings.share(self.discs(position))),
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

    /// Goes down to a leaf, expands it, and tells all nodes on the way what was found.
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
            node.sum += share;
            share = 1.0 - share;
        }
    }

    /// Chooses the child that is worth a visit: by its mean, its prior and its few visits.
    fn choose(&self, at: usize) -> usize {
        let node = &self.nodes[at];
        let weight = self.settings.exploration * node.visits.sqrt();
        let bonus = |child: &Node| weight * child.prior / (1.0 + child.visits);
        let worth = |&at: &usize| bonus(&self.nodes[at]) - self.nodes[at].share();
        let best = node.children.clone().max_by(|one, other| worth(one).total_cmp(&worth(other)));
        best.unwrap_or(at)
    }

    /// Gives a leaf its children, or its score near the end; returns its share.
    fn expand(&mut self, at: usize) -> f64 {
        let (position, guess) = (self.nodes[at].position, self.nodes[at].guess);
        if position.empties() <= SOLVED && self.nodes[at].proven.is_none() {
            let found = self.solver.search(&position, Strength::PERFECT);
            self.entered += found.nodes;
            self.nodes[at].proven = Some(self.settings.share(found.value.discs()));
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
            let likely = (-discs / self.settings.temperature).exp();
            self.nodes.push(Node::new(child, likely, self.settings.share(discs)));
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

    /// Returns the value of a position in discs.
    fn discs(&self, position: &Position) -> f64 {
        if position.is_over() {
            position.score().into()
        } else if position.moves() == 0 {
            -self.discs(&position.pass())
        } else {
            self.evaluator.value(&self.evaluator.state(position), position).discs()
        }
    }

    /// Returns the share of a node all of whose children are proven.
    fn proven(&self, at: usize) -> Option<f64> {
        let children = &self.nodes[self.nodes[at].children.clone()];
        let better = |best: f64, child: &Node| Some(best.max(1.0 - child.proven?));
        children.iter().try_fold(0.0, better).filter(|_| !children.is_empty())
    }
}

/// Returns the processor time of this thread, which a busy machine does not lengthen; 0 where the
/// system does not tell.
fn processor_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// Plays a game from an opening; returns its score for the tree search. Adds the work of the tree
/// search and of the program's own: moves, nodes, and the processor's seconds.
fn play(
    search: &Search<'_, Evaluator>,
    (settings, simulations, most_nodes): (Settings, u32, u64),
    (opening, tree_begins): (Position, bool),
    work: &mut [[f64; 3]; 2],
) -> Result<i32, Box<dyn Error>> {
    let (mut tree, mut searcher) = (Tree::new(search.evaluator(), settings)?, search.searcher()?);
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

/// Prints the score of a match by the two scores of each pair, for the tree search, and the
/// difference in Elo with its 95 % interval, which is 1.96 standard errors of a pair's points wide.
fn print_score(pairs: &[[i32; 2]]) {
    let games = || pairs.iter().flatten();
    let [won, drawn, lost] =
        [1, 0, -1].map(|sign| games().filter(|score| score.signum() == sign).count());
    let point = |score: i32| f64::from(score.signum() + 1) / 4.0;
    let points: Vec<f64> = pairs.iter().map(|pair| point(pair[0]) + point(pair[1])).collect();
    let count = pairs.len() as f64;
    let mean = points.iter().sum::<f64>() / count;
    let squares: f64 = points.iter().map(|point| (point - mean).powi(2)).sum();
    let width = 1.96 * (squares / (count - 1.0) / count).sqrt();
    let share = |share: f64| share.clamp(0.0, 1.0);
    let elo = |points: f64| 400.0 * (share(points) / (1.0 - share(points))).log10();
    let [middle, low, high] = [mean, mean - width, mean + width].map(elo);
    let discs = games().sum::<i32>() as f64 / (2.0 * count);
    println!("tree search: {won} won, {drawn} drawn, {lost} lost, {discs:+.2} discs a game");
    println!("{middle:+.0} Elo ({low:+.0} to {high:+.0})");
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [file, pairs, nodes, selectivity, simulations, exploration, temperature, scale] = words[..]
    else {
        return Err("OPENINGS PAIRS NODES PERCENT SIMULATIONS EXPLORATION TEMPERATURE SCALE".into());
    };
    let [exploration, temperature, scale] = [exploration, temperature, scale].map(str::parse);
    let (exploration, temperature, scale) = (exploration?, temperature?, scale?);
    let settings = Settings { exploration, temperature, scale };
    let played = (settings, simulations.parse()?, nodes.parse()?);
    let evaluator = Evaluator::embedded();
    let search = Search::new(&evaluator).selectivity(selectivity.parse()?)?;
    let openings: Vec<String> = Lines::open(Path::new(file))?.next_lines(pairs.parse()?)?;
    let (mut scores, mut work) = (vec![], [[0.0; 3]; 2]);
    for opening in openings {
        let opening = Replay::from_start(&parse(&opening)?)?.end;
        let mut game = |tree_begins| play(&search, played, (opening, tree_begins), &mut work);
        scores.push([game(true)?, game(false)?]);
    }
    print_score(&scores);
    for (name, [moves, nodes, seconds]) in ["tree search", "alpha-beta"].iter().zip(work) {
        let (each, rate) = (1e3 * seconds / moves, nodes / seconds / 1e6);
        println!("{name}: {moves} moves, {each:.1} ms each, {rate:.2} M nodes a second");
    }
    Ok(())
}
