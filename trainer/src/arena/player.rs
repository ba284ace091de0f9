//! Who plays in a match: an evaluation with our search, or another program.

use std::time::Instant;

use othello_engine::board::{Side, Square};
use othello_engine::eval::Evaluator;
use othello_engine::search::{Searcher, Selection, Strength};
use serde::{Deserialize, Serialize};

use super::budget::Budget;
use super::external::{Conversation, ExternalEngine, Terms, Underway};
use super::opening::Opening;
use super::process::Misconduct;

/// A contestant of a match.
#[derive(Clone, Copy, Debug)]
pub enum Contestant<'a> {
    /// An evaluation, with the search of this program.
    Evaluation(&'a Evaluator),
    /// An evaluation with a search of its own.
    Searching(&'a Evaluator, Strength, Budget, &'a Selection),
    /// Another program.
    External(&'a ExternalEngine, Terms),
}

impl<'a> From<&'a Evaluator> for Contestant<'a> {
    fn from(evaluator: &'a Evaluator) -> Self {
        Self::Evaluation(evaluator)
    }
}

/// The effort of searches.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Effort {
    /// The number of nodes.
    pub nodes: u64,
    /// The time of all threads together.
    pub seconds: f64,
}

/// The size of each player's table. A search to a fixed depth fills little of it.
const HASH_MEGABYTES: usize = 16;

/// A player at work.
pub(super) enum Player<'a> {
    Evaluation {
        searcher: Box<Searcher<'a, Evaluator>>,
        strength: Strength,
        budget: Budget,
        effort: Effort,
    },
    External(Conversation<'a>),
}

impl std::iter::Sum for Effort {
    fn sum<I: Iterator<Item = Self>>(efforts: I) -> Self {
        efforts.fold(Self::default(), |sum, next| Self {
            nodes: sum.nodes + next.nodes,
            seconds: sum.seconds + next.seconds,
        })
    }
}

impl<'a> Player<'a> {
    /// A player for some games. A contestant without a search of its own has the given strength.
    pub(super) fn new(contestant: Contestant<'a>, strength: Strength) -> Self {
        let (evaluator, strength, budget, selection) = match contestant {
            Contestant::Evaluation(evaluator) => {
                (evaluator, strength, Budget::default(), Selection::default())
            }
            Contestant::Searching(evaluator, strength, budget, selection) => {
                (evaluator, strength, budget, selection.clone())
            }
            Contestant::External(engine, terms) => {
                return Self::External(Conversation::new(engine, terms));
            }
        };
        let searcher = Searcher::new(evaluator, HASH_MEGABYTES).with_selection(selection);
        let (searcher, effort) = (Box::new(searcher), Effort::default());
        Self::Evaluation { searcher, strength, budget, effort }
    }

    /// The effort since it was last taken.
    pub(super) fn take_effort(&mut self) -> Effort {
        match self {
            Self::Evaluation { effort, .. } => std::mem::take(effort),
            Self::External(_) => Effort::default(),
        }
    }

    /// A game begins.
    pub(super) fn begin(&mut self, opening: &Opening) -> Result<(), Misconduct> {
        match self {
            Self::Evaluation { searcher, .. } => {
                searcher.new_game();
                Ok(())
            }
            Self::External(conversation) => conversation.begin(opening),
        }
    }

    /// The square that it plays; its side can move.
    pub(super) fn choose(&mut self, game: &Underway<'_>) -> Result<Square, Misconduct> {
        match self {
            Self::Evaluation { searcher, strength, budget, effort } => {
                let begun = Instant::now();
                let limits = budget.limits();
                let found = strength.search_within(searcher, game.board.position(), &limits);
                if game.board.position().empties() > strength.exact {
                    let seconds = begun.elapsed().as_secs_f64();
                    effort.nodes += found.nodes;
                    effort.seconds += seconds;
                }
                let best = found.best;
                // A search finds a move wherever there is one.
                best.ok_or_else(|| Misconduct::Illegal { answer: "pass".to_owned() })
            }
            Self::External(conversation) => conversation.choose(game),
        }
    }

    /// Somebody else played, or it passed itself.
    pub(super) fn see(&mut self, side: Side, turn: Option<Square>) -> Result<(), Misconduct> {
        match self {
            Self::Evaluation { .. } => Ok(()),
            Self::External(conversation) => conversation.see(side, turn),
        }
    }
}
