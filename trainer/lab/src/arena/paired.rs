//! Plays each opening twice, with colours exchanged, so that no opening favours a player.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use othello_engine::board::{Discs, Position};
use othello_engine::progress::Progress;
use othello_engine::protocol::Board;
use othello_engine::run::size;
use othello_engine::search::{Strength, TableError};
use rayon::prelude::*;

use super::Pair;
use super::external::Underway;
use super::opening::Opening;
use super::player::{Contestant, Player};
use super::process::{Misconduct, RESIGNED};
use super::result::{MatchResult, OrderedPairs, PlayedGame, PlayedPair};

/// The two players of a match.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// The player whose wins and losses the match counts.
    pub first: Contestant<'a>,
    /// The opponent.
    pub second: Contestant<'a>,
}

pub(super) const PAIRS: &str = "match (pairs)";

const FORFEIT_SCORE: Discs = 64;

impl Match<'_> {
    /// Plays every opening twice, with colours exchanged. Each game starts with empty transposition
    /// tables, so its moves do not depend on earlier games. An external program forfeits a game by
    /// [`Misconduct`](super::Misconduct), and is started again.
    ///
    /// # Errors
    ///
    /// If there is not enough memory for the players' tables.
    pub fn play(
        &self,
        openings: &[Position],
        progress: &dyn Progress,
    ) -> Result<MatchResult, TableError> {
        self.play_until(openings, |_| false, progress)
    }

    /// Plays like [`Self::play`], but only until `enough` returns true for a pair. `enough` is
    /// called with each pair in order. Later pairs do not count, even if other threads play them.
    pub fn play_until(
        &self,
        openings: &[Position],
        enough: impl FnMut(Pair) -> bool + Send,
        progress: &dyn Progress,
    ) -> Result<MatchResult, TableError> {
        progress.begin(PAIRS, 0, openings.len() as u64);
        let seats = Seats::of(*self);
        let (next, played) = (AtomicUsize::new(0), Mutex::new(OrderedPairs::new(enough)));
        let lock = || played.lock().unwrap_or_else(PoisonError::into_inner);
        // Threads start pairs in order, so few are played after the last one that counts.
        let work = |_| -> Result<(), TableError> {
            loop {
                let number = next.fetch_add(1, Ordering::SeqCst);
                let Some(&position) = openings.get(number) else { return Ok(()) };
                if lock().has_ended {
                    return Ok(());
                }
                let pair = seats.play(number, position, progress)?;
                lock().add(number, pair);
                progress.advance(1);
            }
        };
        let workers = rayon::current_num_threads().min(openings.len());
        (0..workers).into_par_iter().with_max_len(1).try_for_each(work)?;
        let played = played.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(MatchResult::new(played.pairs))
    }

    pub(super) fn seconds_of_pair(&self) -> f64 {
        self.first.seconds_of_pair() + self.second.seconds_of_pair()
    }

    /// Returns the estimated seconds that a pair of games between two evaluations, which search
    /// with this depth and exact play, takes on one thread.
    pub fn seconds_at(Strength { depth, exact }: Strength) -> f64 {
        2.0 * size::game(size::search(depth), exact)
    }

    fn opening(&self, position: Position) -> Opening {
        match [self.first, self.second] {
            [Contestant::External(..), _] | [_, Contestant::External(..)] => Opening::new(position),
            _ => Opening::without_path(position),
        }
    }
}

/// A pool of idle players of a match. To play a pair of games, a thread takes one copy of each of
/// the two players, then puts both back.
pub(super) struct Seats<'a> {
    players: Match<'a>,
    idle: Mutex<Vec<[Player<'a>; 2]>>,
}

impl<'a> Seats<'a> {
    pub(super) fn of(players: Match<'a>) -> Self {
        Self { players, idle: Mutex::default() }
    }

    /// Plays the two games of pair `number`, counted from 0.
    pub(super) fn play(
        &self,
        number: usize,
        position: Position,
        progress: &dyn Progress,
    ) -> Result<PlayedPair, TableError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let new = || Ok([Player::new(self.players.first)?, Player::new(self.players.second)?]);
        let mut players = taken.map_or_else(new, Ok)?;
        let opening = self.players.opening(position);
        let games = [0, 1].map(|mover| {
            let played = play(&mut players, &opening, mover, number + 1);
            if let PlayedGame { pair, game, forfeit: Some((player, reason)), .. } = &played
                && reason != RESIGNED
            {
                progress.message(&format!(
                    "pair {pair}, game {game}: player {player} forfeits: it {reason}"
                ));
            }
            played
        });
        let efforts = players.each_mut().map(|player| std::mem::take(&mut player.effort));
        idle().push(players);
        Ok(PlayedPair { games, efforts })
    }
}

/// Plays a game of pair number `pair` (from 1); player `mover` (0 or 1) is to move in `opening`.
fn play(players: &mut [Player<'_>; 2], opening: &Opening, mover: usize, pair: usize) -> PlayedGame {
    let board = Board::new(opening.position, opening.side);
    let mut game = Underway { opening, turns: vec![], board };
    let played = play_on(players, &mut game, mover);
    let squares = game.turns.into_iter().filter_map(|(turn, _)| turn).collect();
    let side_of_first = if mover == 0 { opening.side } else { opening.side.other() };
    let score = match &played {
        Ok(()) if game.board.side() == side_of_first => game.board.position().score(),
        Ok(()) => -game.board.position().score(),
        Err((0, _)) => -FORFEIT_SCORE,
        Err(_) => FORFEIT_SCORE,
    };
    let forfeit = played.err().map(|(player, misconduct)| (player + 1, misconduct.to_string()));
    PlayedGame { pair, game: mover + 1, opening: opening.position, squares, score, forfeit }
}

/// Plays a game to its end. The error is the player (0 or 1) who lost, and the player's misconduct.
fn play_on(
    players: &mut [Player<'_>; 2],
    game: &mut Underway<'_>,
    mut mover: usize,
) -> Result<(), (usize, Misconduct)> {
    for (number, player) in players.iter_mut().enumerate() {
        player.begin(game.opening).map_err(|misconduct| (number, misconduct))?;
    }
    while !game.board.position().is_over() {
        let side = game.board.side();
        let chooses = game.board.position().moves() != 0;
        let begun = Instant::now();
        let turn = chooses.then(|| players[mover].choose(game)).transpose();
        let turn = turn.map_err(|misconduct| (mover, misconduct))?;
        game.board.play(side, turn).map_err(|answer| (mover, Misconduct::Illegal { answer }))?;
        game.turns.push((turn, if chooses { begun.elapsed() } else { Duration::ZERO }));
        for (number, player) in players.iter_mut().enumerate() {
            if number != mover || !chooses {
                player.see(side, turn).map_err(|misconduct| (number, misconduct))?;
            }
        }
        mover = 1 - mover;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use othello_engine::board::Squares;
    use othello_engine::eval::{Evaluator, Mobility, Zero};
    use othello_engine::progress::Silent;

    use crate::arena::Budget;

    const STRENGTH: Strength = Strength { depth: 2, exact: 8 };

    fn played<'a>(first: &'a Evaluator, second: &'a Evaluator) -> Match<'a> {
        let [first, second] = [first, second].map(|one| Contestant::new(one, STRENGTH));
        Match { first, second }
    }

    pub(crate) fn openings() -> Vec<Position> {
        let children = |p: Position| Squares(p.moves()).filter_map(move |square| p.play(square));
        children(Position::START).flat_map(children).collect()
    }

    #[test]
    fn an_evaluation_against_itself_is_even_and_plays_each_game_twice() {
        let (first, second) = (&Mobility.into(), &Mobility.into());
        let result = played(first, second).play(&openings(), &Silent).unwrap();
        assert!(result.pairs.iter().all(|pair| pair.0[0] == -pair.0[1]));
        // Each opening occurs in four symmetric images. Their games may differ, because the search
        // takes the first of equally good moves.
        assert_eq!(result.distinct_openings, 3);
        assert!((3..=openings().len()).contains(&result.distinct_games));
        assert_eq!(result.statistics().p_value, 1.0);
    }

    #[test]
    fn a_budget_of_nodes_ends_searches() {
        let evaluator: Evaluator = Mobility.into();
        let strength = Strength { depth: 8, exact: 0 };
        let searching = |nodes| {
            let budget = Budget { nodes, ..Budget::default() };
            Contestant::Evaluation(&evaluator, strength, budget, None)
        };
        let [few, more, all] = [Some(1_000), Some(10_000), None].map(|nodes| {
            let second = Contestant::new(&evaluator, strength);
            let played = Match { first: searching(nodes), second };
            played.play(&openings()[..1], &Silent).unwrap().efforts[0].nodes
        });
        assert!(few < more / 2 && more < all, "{few}, {more}, {all} nodes");
    }

    /// Without the limit of time for a game, the searches to depth 60 would take years.
    #[test]
    fn the_time_for_a_game_ends_searches() {
        let evaluator: Evaluator = Mobility.into();
        let strength = Strength { depth: 60, exact: 60 };
        let budget = Budget { seconds_a_game: Some(1), ..Budget::default() };
        let first = Contestant::Evaluation(&evaluator, strength, budget, None);
        let played = Match { first, second: Contestant::new(&evaluator, STRENGTH) };
        let result = played.play(&openings()[..1], &Silent).unwrap();
        assert!(result.games.iter().all(|game| game.forfeit.is_some() || game.squares.len() > 40));
    }

    #[test]
    fn looking_at_moves_and_corners_beats_looking_at_nothing() {
        let (first, second) = (&Mobility.into(), &Zero.into());
        let result = played(first, second).play(&openings(), &Silent).unwrap();
        assert!(result.statistics().wins > result.statistics().losses);
        let (first, second) = (second, first);
        let swapped = played(first, second).play(&openings(), &Silent).unwrap();
        let negated: Vec<Pair> =
            swapped.pairs.iter().map(|pair| Pair([-pair.0[1], -pair.0[0]])).collect();
        assert_eq!(negated, result.pairs);
    }
}
