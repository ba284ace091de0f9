//! The result of a match: its pairs of games in order, up to the decision of a sequential test.

use std::collections::{BTreeMap, HashSet};

use othello_engine::board::Position;
use serde::{Deserialize, Serialize};

use super::played::PlayedGame;
use super::player::Effort;
use super::process::RESIGNED;
use super::{Pair, Statistics};

/// The two games of a pair, and the effort of the players.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedPair {
    /// The games. The first player moves first in the first game, the second player in the second.
    pub games: [PlayedGame; 2],
    /// Each player's total nodes (0 for an external program) and seconds before exact play.
    pub efforts: [Effort; 2],
}

impl PlayedPair {
    /// Returns the first player's scores in both games.
    pub fn scores(&self) -> Pair {
        Pair(self.games.each_ref().map(|game| game.score))
    }
}

/// The result of a match: the scores of its pairs, the games, and the effort of the players.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MatchResult {
    /// The first player's scores in the pairs, one for each opening, in order.
    #[serde(skip)]
    pub pairs: Vec<Pair>,
    /// The number of openings that are distinct up to symmetry.
    pub distinct_openings: usize,
    /// The number of games that are distinct up to symmetry.
    pub distinct_games: usize,
    /// The games that a player lost by misconduct.
    pub forfeits: Vec<Forfeit>,
    /// The numbers of games that the first and the second player resigned.
    pub resigned: [usize; 2],
    /// Each player's total nodes (0 for an external program) and seconds before exact play.
    pub efforts: [Effort; 2],
    /// The games, two of each pair.
    #[serde(skip)]
    pub games: Vec<PlayedGame>,
}

/// A game that a player lost by misconduct. The opponent gets all discs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Forfeit {
    /// The number of the pair, counted from 1.
    pub pair: usize,
    /// The game of the pair: the first player moves first in game 1, the second player in game 2.
    pub game: usize,
    /// The player who forfeited: 1 or 2.
    pub player: usize,
    /// The program's misconduct.
    pub reason: String,
}

impl MatchResult {
    /// Creates the result from the pairs, given in the order of the openings.
    pub fn new(pairs: Vec<PlayedPair>) -> Self {
        let scores = pairs.iter().map(PlayedPair::scores).collect();
        let efforts = [0, 1].map(|player| pairs.iter().map(|pair| pair.efforts[player]).sum());
        let games: Vec<PlayedGame> = pairs.into_iter().flat_map(|pair| pair.games).collect();
        let openings: HashSet<Position> =
            games.iter().map(|game| game.opening.canonical()).collect();
        let distinct: HashSet<_> = games.iter().map(PlayedGame::canonical).collect();
        let forfeit = |&PlayedGame { pair, game, ref forfeit, .. }: &PlayedGame| {
            let (player, reason) = forfeit.clone().filter(|(_, reason)| reason != RESIGNED)?;
            Some(Forfeit { pair, game, player, reason })
        };
        Self {
            pairs: scores,
            distinct_openings: openings.len(),
            distinct_games: distinct.len(),
            resigned: [1, 2].map(|player| {
                let resigned = Some((player, RESIGNED.to_owned()));
                games.iter().filter(|game| game.forfeit == resigned).count()
            }),
            forfeits: games.iter().filter_map(forfeit).collect(),
            efforts,
            games,
        }
    }

    /// Returns the statistics of the pairs.
    pub fn statistics(&self) -> Statistics {
        Statistics::new(&self.pairs)
    }
}

/// A list that receives pairs of games in any order, and keeps them in the order of their openings.
pub(super) struct OrderedPairs<F> {
    /// The index of the pair that is appended to `pairs` next.
    next: usize,
    /// The pairs that count: all before the first missing pair, until `enough` returned true.
    pub(super) pairs: Vec<PlayedPair>,
    /// Pairs that wait for one with a lower number.
    waiting: BTreeMap<usize, PlayedPair>,
    enough: F,
    /// True if `enough`, which decides on the end of the match, has returned true.
    pub(super) has_ended: bool,
}

impl<F: FnMut(Pair) -> bool> OrderedPairs<F> {
    /// Creates a list for the pairs from number `first` to the one at which `enough` returns true.
    pub(super) fn new(first: usize, enough: F) -> Self {
        Self { next: first, pairs: vec![], waiting: BTreeMap::new(), enough, has_ended: false }
    }

    /// Stores pair `number`, and appends all pairs that no missing pair precedes.
    pub(super) fn add(&mut self, number: usize, pair: PlayedPair) {
        self.waiting.insert(number, pair);
        while !self.has_ended
            && let Some(pair) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            self.has_ended = (self.enough)(pair.scores());
            self.pairs.push(pair);
        }
    }
}
