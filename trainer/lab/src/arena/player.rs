use std::fmt;
use std::time::{Duration, Instant};

use othello_engine::board::{Side, Square};
use othello_engine::eval::Evaluator;
use othello_engine::player::{ExternalEngine, SearchSpec};
use othello_engine::protocol::Clock;
use othello_engine::run::size;
use othello_engine::search::{Limits, Pruning, Search, Searcher, Strength, TableError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::external::{Conversation, Terms, Underway};
use super::opening::Opening;
use super::process::Misconduct;

/// The limits on nodes and time of a player's searches, before it solves positions exactly. A
/// search that reaches a limit returns its deepest complete iteration. The first always completes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, JsonSchema, Deserialize)]
pub struct Budget {
    /// The limit on the nodes of a search; null if there is none.
    pub nodes: Option<u64>,
    /// The time per move; null: no limit. A limit makes games depend on the machine and its load.
    pub milliseconds: Option<u64>,
    /// The time that the player has for all its moves of a game, in seconds, exact play included;
    /// null for no limit. A limit makes games depend on the machine and its load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_a_game: Option<u64>,
}

impl Budget {
    /// Returns the limits on nodes and on time per move that a player's search settings state.
    pub fn of(search: &SearchSpec) -> Self {
        let &SearchSpec { nodes, milliseconds, .. } = search;
        Self { nodes, milliseconds, seconds_a_game: None }
    }

    fn game_time(self) -> Option<Duration> {
        self.seconds_a_game.map(Duration::from_secs)
    }

    /// Returns the limits of one search; `by_clock` is the time that a game clock grants for it.
    fn limits(self, by_clock: Option<Duration>) -> Limits {
        let time = self.milliseconds.map(Duration::from_millis).into_iter().chain(by_clock).min();
        let deadline = time.map(|time| Instant::now() + time);
        let spare_perfect_play = by_clock.is_none();
        Limits { nodes: self.nodes, deadline, spare_perfect_play, ..Limits::default() }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.nodes.map(|nodes| format!(", {nodes} nodes"));
        let time = self.milliseconds.map(|milliseconds| format!(", {milliseconds} ms"));
        let game = self.seconds_a_game.map(|seconds| format!(", {seconds} s a game"));
        [nodes, time, game].into_iter().flatten().try_for_each(|part| f.write_str(&part))
    }
}

/// A player of a match, as the caller specifies it.
#[derive(Clone, Copy, Debug)]
pub enum Contestant<'a> {
    /// An evaluation, its search depth and exact play, the limits of its searches, and its pruning,
    /// if any.
    Evaluation(&'a Evaluator, Strength, Budget, Option<&'a Pruning>),
    /// An external program, its limits, and the number of empty squares at or below which the time
    /// of its moves is not counted in [`Effort`].
    External(&'a ExternalEngine, Terms, u32),
}

const SECONDS_OF_EXTERNAL_MOVE: f64 = 0.1;

impl<'a> Contestant<'a> {
    /// Creates a player that searches with this depth and exact play, without limits or pruning.
    pub fn new(evaluator: &'a Evaluator, strength: Strength) -> Self {
        Self::Evaluation(evaluator, strength, Budget::default(), None)
    }

    /// Returns the estimated seconds that this player takes for its moves in both games of a pair.
    pub(super) fn seconds_of_pair(&self) -> f64 {
        let (of_move, exact, game_time) = match *self {
            Self::Evaluation(_, strength, budget, _) => {
                let by_nodes = budget.nodes.map(size::nodes);
                let by_time = budget.milliseconds.map(|milliseconds| milliseconds as f64 / 1e3);
                let by_depth = size::search(strength.depth);
                let of_move = by_nodes.into_iter().chain(by_time).fold(by_depth, f64::min);
                (of_move, strength.exact, budget.game_time())
            }
            Self::External(_, terms, _) => (SECONDS_OF_EXTERNAL_MOVE, 0, terms.game),
        };
        let most = game_time.map_or(f64::INFINITY, |time| 2.0 * time.as_secs_f64());
        size::game(of_move, exact).min(most)
    }
}

/// The nodes and the time that a player spent on moves before it solved positions exactly.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, JsonSchema, Deserialize)]
pub struct Effort {
    /// The nodes of the player's searches in a pair of games or in a whole match; 0 for an external
    /// program, whose nodes are unknown.
    pub nodes: u64,
    /// The wall time in seconds that the player, or its external program, took to choose moves in
    /// the pair or match; the times of games that are played in parallel add up.
    pub seconds: f64,
}

/// The size of each player's transposition table in MiB. Searches to a fixed depth fill only a
/// small part of it.
const HASH_MEGABYTES: usize = 16;

pub(super) struct Player<'a> {
    engine: Engine<'a>,
    /// The number of empty squares at or below which nodes and time do not count in `effort`.
    exact: u32,
    pub(super) effort: Effort,
    game_time: Option<Duration>,
    clock: Option<Clock>,
}

enum Engine<'a> {
    Evaluation { searcher: Box<Searcher<'a, Evaluator>>, strength: Strength, budget: Budget },
    External(Conversation<'a>),
}

impl std::iter::Sum for Effort {
    fn sum<I: Iterator<Item = Self>>(efforts: I) -> Self {
        efforts.fold(Self::default(), |sum, next| Self {
            nodes: sum.nodes.saturating_add(next.nodes),
            seconds: sum.seconds + next.seconds,
        })
    }
}

impl<'a> Player<'a> {
    pub(super) fn new(contestant: Contestant<'a>) -> Result<Self, TableError> {
        let (engine, exact, game_time) = match contestant {
            Contestant::Evaluation(evaluator, strength, budget, pruning) => {
                let search = Search::new(evaluator).hash_mb(HASH_MEGABYTES);
                let searcher = search.pruning(pruning.cloned().unwrap_or_default()).searcher()?;
                let strength = Strength { depth: strength.depth.max(1), ..strength };
                let engine = Engine::Evaluation { searcher: Box::new(searcher), strength, budget };
                (engine, strength.exact, budget.game_time())
            }
            Contestant::External(engine, terms, exact) => {
                (Engine::External(Conversation::new(engine, terms)), exact, terms.game)
            }
        };
        Ok(Self { engine, exact, effort: Effort::default(), game_time, clock: None })
    }

    pub(super) fn begin(&mut self, opening: &Opening) -> Result<(), Misconduct> {
        self.clock = self.game_time.map(Clock::absolute);
        match &mut self.engine {
            Engine::Evaluation { searcher, .. } => {
                searcher.new_game();
                Ok(())
            }
            Engine::External(conversation) => conversation.begin(opening),
        }
    }

    /// Returns the player's move. The side to move must have a legal move.
    pub(super) fn choose(&mut self, game: &Underway<'_>) -> Result<Square, Misconduct> {
        let (begun, position) = (Instant::now(), game.board.position());
        let (square, nodes) = match &mut self.engine {
            Engine::Evaluation { searcher, strength, budget } => {
                let by_clock = self.clock.map(|clock| clock.for_move(position.empties()));
                let found = searcher.search_within(position, *strength, &budget.limits(by_clock));
                // A search finds a move if the side to move has a legal move.
                let none = || Misconduct::Illegal { answer: "pass".to_owned() };
                (found.best.ok_or_else(none)?, found.nodes)
            }
            // The nodes of an external program are unknown.
            Engine::External(conversation) => (conversation.choose(game, self.clock)?, 0),
        };
        if position.empties() > self.exact {
            self.effort.nodes = self.effort.nodes.saturating_add(nodes);
            self.effort.seconds += begun.elapsed().as_secs_f64();
        }
        if let (Some(clock), Some(time)) = (&mut self.clock, self.game_time) {
            clock.spend(begun.elapsed());
            if clock.left().is_zero() {
                return Err(Misconduct::OutOfTime { seconds: time.as_secs() });
            }
        }
        Ok(square)
    }

    pub(super) fn see(&mut self, side: Side, turn: Option<Square>) -> Result<(), Misconduct> {
        match &mut self.engine {
            Engine::Evaluation { .. } => Ok(()),
            Engine::External(conversation) => conversation.see(side, turn),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A regression: the sum of the node counts in a forged match file overflowed.
    #[test]
    fn efforts_beyond_all_numbers_stay_at_the_end() {
        let efforts = [u64::MAX, 5].map(|nodes| Effort { nodes, seconds: 1.0 });
        let sum: Effort = efforts.into_iter().sum();
        assert_eq!((sum.nodes, sum.seconds), (u64::MAX, 2.0));
    }
}
