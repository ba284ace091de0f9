//! Games in pairs: each opening twice, with colours swapped, so that no opening favours a player.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use othello_engine::board::{Discs, Position, Side, Square};
use othello_engine::eval::Evaluator;
use othello_engine::progress::Progress;
use othello_engine::protocol::Board;
use othello_engine::search::{Searcher, Selection, Strength};
use rayon::prelude::*;
use serde::Serialize;

use super::budget::Budget;
use super::external::{Conversation, ExternalEngine, Terms, Underway};
use super::opening::Opening;
use super::played::PlayedGame;
use super::process::Misconduct;
use super::{Pair, Statistics};

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

/// Two players, and how evaluations search.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// The player whose wins are counted.
    pub first: Contestant<'a>,
    /// The opponent.
    pub second: Contestant<'a>,
    /// The strength of the search of evaluations.
    pub strength: Strength,
}

/// The games of a match, pair by pair.
#[derive(Clone, Debug)]
pub struct MatchResult {
    /// One pair for each opening, in order.
    pub pairs: Vec<Pair>,
    /// The number of games that differ in their moves.
    pub distinct_games: usize,
    /// The games that were not played to their end.
    pub forfeits: Vec<Forfeit>,
    /// The effort of each player's searches before exact play; nothing of other programs.
    pub efforts: [Effort; 2],
    /// The games, two of each pair.
    pub games: Vec<PlayedGame>,
}

/// The effort of searches.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Effort {
    /// The number of nodes.
    pub nodes: u64,
    /// The time of all threads together.
    pub seconds: f64,
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
    /// The statistics of the pairs.
    pub fn statistics(&self) -> Statistics {
        Statistics::new(&self.pairs)
    }
}

/// The size of each player's table. A search to a fixed depth fills little of it.
const HASH_MEGABYTES: usize = 16;

/// The number of discs that a forfeited game counts.
const ALL_DISCS: Discs = 64;

impl Match<'_> {
    /// Plays every opening twice. Each game of an evaluation starts from an empty table, so that it is the
    /// same wherever it is played and whatever was played before. A program that ends, hangs, talks
    /// without end or plays what is not legal forfeits the game, and is started again.
    pub fn play(&self, openings: &[Position], progress: &dyn Progress) -> MatchResult {
        self.play_until(openings, |_| false, progress)
    }

    /// Plays like [`Self::play`] until `enough` says so. It is told of every pair in the order of the
    /// openings; pairs behind the one at which it stops do not count, though some may have been played.
    pub fn play_until(
        &self,
        openings: &[Position],
        enough: impl FnMut(Pair) -> bool + Send,
        progress: &dyn Progress,
    ) -> MatchResult {
        progress.begin("match (pairs)", 0, openings.len() as u64);
        let next = AtomicUsize::new(0);
        let played = Mutex::new(InOrder::new(enough));
        let lock = || played.lock().unwrap_or_else(PoisonError::into_inner);
        // Pairs are begun in order, so that not many are played behind the last one that counts.
        let work = |_| {
            let mut players = self.players();
            while let number = next.fetch_add(1, Ordering::SeqCst)
                && let Some(&position) = openings.get(number)
                && !lock().ended
            {
                let pair = self.pair(&mut players, number, position, progress);
                lock().add(number, pair);
                progress.advance(1);
            }
            players.each_ref().map(Player::effort)
        };
        let workers = rayon::current_num_threads().min(openings.len());
        let efforts = (0..workers).into_par_iter().with_max_len(1).map(work);
        let efforts: Vec<[Effort; 2]> = efforts.collect();
        let efforts = [0, 1].map(|player| {
            efforts.iter().fold(Effort::default(), |sum, efforts| sum.plus(efforts[player]))
        });
        let pairs = std::mem::take(&mut lock().pairs);
        result(pairs, efforts)
    }

    /// Plays an opening twice.
    fn pair(
        &self,
        players: &mut [Player<'_>; 2],
        number: usize,
        position: Position,
        progress: &dyn Progress,
    ) -> PlayedPair {
        let opening = self.opening(position);
        [0, 1].map(|mover| {
            let game = self.game(players, &opening, mover);
            if let Some((player, reason)) = &game.forfeit {
                let (pair, game, player) = (number + 1, mover + 1, player + 1);
                progress.message(&format!(
                    "pair {pair}, game {game}: player {player} forfeits: it {reason}"
                ));
            }
            game
        })
    }

    /// An opening: for other programs, with the game that leads to it.
    fn opening(&self, position: Position) -> Opening {
        match [self.first, self.second] {
            [Contestant::External(..), _] | [_, Contestant::External(..)] => Opening::new(position),
            _ => Opening::without_path(position),
        }
    }

    fn players(&self) -> [Player<'_>; 2] {
        [self.first, self.second].map(|contestant| match contestant {
            Contestant::Evaluation(evaluator) => Player::Evaluation {
                searcher: Box::new(Searcher::new(evaluator, HASH_MEGABYTES)),
                strength: self.strength,
                budget: Budget::default(),
                effort: Effort::default(),
            },
            Contestant::Searching(evaluator, strength, budget, selection) => {
                let searcher = Searcher::new(evaluator, HASH_MEGABYTES);
                let searcher = Box::new(searcher.with_selection(selection.clone()));
                Player::Evaluation { searcher, strength, budget, effort: Effort::default() }
            }
            Contestant::External(engine, terms) => {
                Player::External(Conversation::new(engine, terms))
            }
        })
    }

    /// Plays a game from `opening`, in which `mover` (0 or 1) moves first.
    fn game(&self, players: &mut [Player<'_>; 2], opening: &Opening, mover: usize) -> Game {
        let board = Board::new(opening.position, opening.side);
        let mut game = Underway { opening, turns: vec![], board };
        let played = play_on(players, &mut game, mover);
        let squares = game.turns.into_iter().flatten().collect();
        let score = match &played {
            // The side that moved first belongs to `mover`.
            Ok(()) if (game.board.side() == opening.side) == (mover == 0) => {
                game.board.position().score()
            }
            Ok(()) => -game.board.position().score(),
            Err((0, _)) => -ALL_DISCS,
            Err(_) => ALL_DISCS,
        };
        Game { opening: opening.position, squares, score, forfeit: played.err() }
    }
}

/// The two games of an opening.
type PlayedPair = [Game; 2];

/// Pairs in the order of their openings, however they come in.
struct InOrder<F> {
    pairs: Vec<PlayedPair>,
    /// Pairs that came in before one in front of them did.
    waiting: BTreeMap<usize, PlayedPair>,
    enough: F,
    ended: bool,
}

impl<F: FnMut(Pair) -> bool> InOrder<F> {
    fn new(enough: F) -> Self {
        Self { pairs: vec![], waiting: BTreeMap::new(), enough, ended: false }
    }

    fn add(&mut self, number: usize, pair: PlayedPair) {
        self.waiting.insert(number, pair);
        while !self.ended
            && let Some(pair) = self.waiting.remove(&self.pairs.len())
        {
            self.ended = (self.enough)(scores(&pair));
            self.pairs.push(pair);
        }
    }
}

/// The scores of a pair, for the first player.
fn scores([first, second]: &PlayedPair) -> Pair {
    Pair([first.score, second.score])
}

fn result(pairs: Vec<PlayedPair>, efforts: [Effort; 2]) -> MatchResult {
    let scores = pairs.iter().map(scores).collect();
    let mut games = vec![];
    for (number, pair) in pairs.into_iter().enumerate() {
        for (mover, Game { opening, squares, score, forfeit }) in pair.into_iter().enumerate() {
            let forfeit = forfeit.map(|(player, reason)| (player + 1, reason.to_string()));
            let (pair, game) = (number + 1, mover + 1);
            games.push(PlayedGame { pair, game, opening, squares, score, forfeit });
        }
    }
    let mut moves: Vec<(&Position, &[Square])> =
        games.iter().map(|game| (&game.opening, &game.squares[..])).collect();
    moves.sort_unstable();
    moves.dedup();
    let forfeit = |&PlayedGame { pair, game, ref forfeit, .. }: &PlayedGame| {
        let (player, reason) = forfeit.clone()?;
        Some(Forfeit { pair, game, player, reason })
    };
    MatchResult {
        pairs: scores,
        distinct_games: moves.len(),
        forfeits: games.iter().filter_map(forfeit).collect(),
        efforts,
        games,
    }
}

/// Plays to the end of the game; the error is who did not behave, and how.
fn play_on(
    players: &mut [Player<'_>; 2],
    game: &mut Underway<'_>,
    mover: usize,
) -> Result<(), (usize, Misconduct)> {
    for (number, player) in players.iter_mut().enumerate() {
        player.begin(game.opening).map_err(|misconduct| (number, misconduct))?;
    }
    let mut mover = mover;
    while !game.board.position().is_over() {
        let side = game.board.side();
        let chooses = game.board.position().moves() != 0;
        let turn = if chooses {
            Some(players[mover].choose(game).map_err(|misconduct| (mover, misconduct))?)
        } else {
            None
        };
        game.board.play(side, turn).map_err(|answer| (mover, Misconduct::Illegal { answer }))?;
        game.turns.push(turn);
        for (number, player) in players.iter_mut().enumerate() {
            // Who chose a move knows of it; passes are made for both.
            if number != mover || !chooses {
                player.see(side, turn).map_err(|misconduct| (number, misconduct))?;
            }
        }
        mover = 1 - mover;
    }
    Ok(())
}

/// A player at work.
enum Player<'a> {
    Evaluation {
        searcher: Box<Searcher<'a, Evaluator>>,
        strength: Strength,
        budget: Budget,
        effort: Effort,
    },
    External(Conversation<'a>),
}

impl Effort {
    fn plus(self, other: Self) -> Self {
        Self { nodes: self.nodes + other.nodes, seconds: self.seconds + other.seconds }
    }
}

impl Player<'_> {
    fn effort(&self) -> Effort {
        match self {
            Self::Evaluation { effort, .. } => *effort,
            Self::External(_) => Effort::default(),
        }
    }

    fn begin(&mut self, opening: &Opening) -> Result<(), Misconduct> {
        match self {
            Self::Evaluation { searcher, .. } => {
                searcher.new_game();
                Ok(())
            }
            Self::External(conversation) => conversation.begin(opening),
        }
    }

    fn choose(&mut self, game: &Underway<'_>) -> Result<Square, Misconduct> {
        match self {
            Self::Evaluation { searcher, strength, budget, effort } => {
                let begun = Instant::now();
                let limits = budget.limits();
                let found = strength.search_within(searcher, game.board.position(), &limits);
                if game.board.position().empties() > strength.exact {
                    let seconds = begun.elapsed().as_secs_f64();
                    *effort = effort.plus(Effort { nodes: found.nodes, seconds });
                }
                let best = found.best;
                // A search finds a move wherever there is one.
                best.ok_or_else(|| Misconduct::Illegal { answer: "pass".to_owned() })
            }
            Self::External(conversation) => conversation.choose(game),
        }
    }

    fn see(&mut self, side: Side, turn: Option<Square>) -> Result<(), Misconduct> {
        match self {
            Self::Evaluation { .. } => Ok(()),
            Self::External(conversation) => conversation.see(side, turn),
        }
    }
}

/// A game that was played.
struct Game {
    opening: Position,
    squares: Vec<Square>,
    /// For the first player.
    score: Discs,
    /// The player who lost it other than by playing, and the misconduct.
    forfeit: Option<(usize, Misconduct)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::board::Squares;
    use othello_engine::eval::{Mobility, Zero};
    use othello_engine::progress::Silent;

    const STRENGTH: Strength = Strength { depth: 2, exact: 8 };

    fn played<'a>(first: &'a Evaluator, second: &'a Evaluator) -> Match<'a> {
        Match { first: first.into(), second: second.into(), strength: STRENGTH }
    }

    fn openings() -> Vec<Position> {
        let children = |p: Position| Squares(p.moves()).filter_map(move |square| p.play(square));
        children(Position::START).flat_map(children).collect()
    }

    #[test]
    fn an_evaluation_against_itself_is_even_and_plays_each_game_twice() {
        let (first, second) = (&Mobility.into(), &Mobility.into());
        let result = played(first, second).play(&openings(), &Silent);
        assert!(result.pairs.iter().all(|pair| pair.0[0] == -pair.0[1]));
        assert_eq!(result.distinct_games, openings().len());
        assert_eq!(result.statistics().p_value, 1.0);
    }

    /// What counts are the pairs up to the one that is enough, by any number of threads.
    #[test]
    fn a_match_that_is_ended_early_is_the_beginning_of_the_whole_one() {
        let (first, second) = (&Mobility.into(), &Zero.into());
        let played = played(first, second);
        let whole = played.play(&openings(), &Silent);
        for wanted in [1, 5] {
            let mut seen = vec![];
            let enough = |pair| {
                seen.push(pair);
                seen.len() == wanted
            };
            let ended = played.play_until(&openings(), enough, &Silent);
            assert_eq!(ended.pairs, whole.pairs[..wanted]);
            assert_eq!(ended.pairs, seen);
        }
    }

    #[test]
    fn a_budget_of_nodes_ends_searches() {
        let evaluator: Evaluator = Mobility.into();
        let (selection, strength) = (Selection::default(), Strength { depth: 8, exact: 0 });
        let searching = |nodes| {
            let budget = Budget { nodes, milliseconds: None };
            Contestant::Searching(&evaluator, strength, budget, &selection)
        };
        let [few, more, all] = [Some(1_000), Some(10_000), None].map(|nodes| {
            let played = Match { first: searching(nodes), second: (&evaluator).into(), strength };
            played.play(&openings()[..1], &Silent).efforts[0].nodes
        });
        assert!(few < more / 2 && more < all, "{few}, {more}, {all} nodes");
    }

    #[test]
    fn looking_at_moves_and_corners_beats_looking_at_nothing() {
        let (first, second) = (&Mobility.into(), &Zero.into());
        let result = played(first, second).play(&openings(), &Silent);
        assert!(result.statistics().wins > result.statistics().losses);
        let (first, second) = (second, first);
        let swapped = played(first, second).play(&openings(), &Silent);
        let negated: Vec<Pair> =
            swapped.pairs.iter().map(|pair| Pair([-pair.0[1], -pair.0[0]])).collect();
        assert_eq!(negated, result.pairs);
    }
}
