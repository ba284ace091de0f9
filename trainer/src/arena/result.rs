//! What a match came to: its pairs, as they come in and as they count.

use std::collections::BTreeMap;

use othello_engine::board::{Position, Square};
use serde::Serialize;

use super::played::PlayedGame;
use super::player::Effort;
use super::{Pair, Statistics};

/// The two games of an opening, and what they took.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedPair {
    /// The games. In the first one the first player moves first, in the second one the second player.
    pub games: [PlayedGame; 2],
    /// The effort of each player before exact play; of other programs the time alone.
    pub efforts: [Effort; 2],
}

impl PlayedPair {
    /// The scores of the first player.
    pub fn scores(&self) -> Pair {
        Pair(self.games.each_ref().map(|game| game.score))
    }
}

/// The games of a match, pair by pair.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchResult {
    /// One pair for each opening, in order.
    pub pairs: Vec<Pair>,
    /// The number of games that differ in their moves.
    pub distinct_games: usize,
    /// The games that were not played to their end.
    pub forfeits: Vec<Forfeit>,
    /// The effort of each player before exact play; of other programs the time alone.
    pub efforts: [Effort; 2],
    /// The games, two of each pair.
    pub games: Vec<PlayedGame>,
}

/// A game that a player lost by misconduct, with all discs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Forfeit {
    /// The number of the pair, counted from 1.
    pub pair: usize,
    /// The game of the pair: in game 1 the first player moves first, in game 2 the second one.
    pub game: usize,
    /// The player who forfeited: 1 or 2.
    pub player: usize,
    /// The program's misconduct.
    pub reason: String,
}

impl MatchResult {
    /// The result of these pairs.
    pub fn new(pairs: Vec<PlayedPair>) -> Self {
        let scores = pairs.iter().map(PlayedPair::scores).collect();
        let efforts = [0, 1].map(|player| pairs.iter().map(|pair| pair.efforts[player]).sum());
        let games: Vec<PlayedGame> = pairs.into_iter().flat_map(|pair| pair.games).collect();
        let mut moves: Vec<(&Position, &[Square])> =
            games.iter().map(|game| (&game.opening, &game.squares[..])).collect();
        moves.sort_unstable();
        moves.dedup();
        let forfeit = |&PlayedGame { pair, game, ref forfeit, .. }: &PlayedGame| {
            let (player, reason) = forfeit.clone()?;
            Some(Forfeit { pair, game, player, reason })
        };
        Self {
            pairs: scores,
            distinct_games: moves.len(),
            forfeits: games.iter().filter_map(forfeit).collect(),
            efforts,
            games,
        }
    }

    /// The statistics of the pairs.
    pub fn statistics(&self) -> Statistics {
        Statistics::new(&self.pairs)
    }
}

/// Pairs in the order of their openings, however they come in.
pub(super) struct InOrder<F> {
    /// The number of the next pair in order.
    next: usize,
    pairs: Vec<PlayedPair>,
    /// Pairs that came in before one in front of them did.
    waiting: BTreeMap<usize, PlayedPair>,
    enough: F,
    ended: bool,
}

impl<F: FnMut(Pair) -> bool> InOrder<F> {
    /// The first pair has the number `first`; the one at which `enough` says so is the last that counts.
    pub(super) fn new(first: usize, enough: F) -> Self {
        Self { next: first, pairs: vec![], waiting: BTreeMap::new(), enough, ended: false }
    }

    /// Whether no more pairs count.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// A pair comes in.
    pub(super) fn add(&mut self, number: usize, pair: PlayedPair) {
        self.waiting.insert(number, pair);
        while !self.ended
            && let Some(pair) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            self.ended = (self.enough)(pair.scores());
            self.pairs.push(pair);
        }
    }

    /// The pairs that count: those without a gap before them.
    pub(super) fn into_pairs(self) -> Vec<PlayedPair> {
        self.pairs
    }
}
