//! Games in pairs: each opening twice, with colours swapped, so that no opening favours a player.

use othello_engine::board::{Position, Square};
use othello_engine::eval::Evaluator;
use othello_engine::progress::Progress;
use othello_engine::search::{Searcher, Strength};
use rayon::prelude::*;

use super::{Pair, Statistics};

/// Two evaluations that play each other with the same search.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// The player whose wins are counted.
    pub first: &'a Evaluator,
    /// The opponent.
    pub second: &'a Evaluator,
    /// The strength of the search of both.
    pub strength: Strength,
}

/// The games of a match, pair by pair.
#[derive(Clone, Debug)]
pub struct MatchResult {
    /// One pair for each opening, in order.
    pub pairs: Vec<Pair>,
    /// The number of games that differ in their moves.
    pub distinct_games: usize,
}

impl MatchResult {
    /// The statistics of the pairs.
    pub fn statistics(&self) -> Statistics {
        Statistics::new(&self.pairs)
    }
}

/// The size of each player's table. A search to a fixed depth fills little of it.
const HASH_MEGABYTES: usize = 16;

impl Match<'_> {
    /// Plays every opening twice. Each game starts from empty tables, so that it is the same
    /// wherever it is played and whatever was played before.
    pub fn play(&self, openings: &[Position], progress: &dyn Progress) -> MatchResult {
        progress.begin("match (pairs)", 0, openings.len() as u64);
        let players = || [self.first, self.second].map(|e| Searcher::new(e, HASH_MEGABYTES));
        let pair = |players: &mut [Searcher<'_, Evaluator>; 2], opening: &Position| {
            let games = [0, 1].map(|mover| self.game(players, *opening, mover));
            progress.advance(1);
            games
        };
        let games: Vec<[Game; 2]> = openings.par_iter().map_init(players, pair).collect();
        let mut moves: Vec<(Position, &[Square])> = openings
            .iter()
            .zip(&games)
            .flat_map(|(opening, games)| games.iter().map(|game| (*opening, &game.squares[..])))
            .collect();
        moves.sort_unstable();
        moves.dedup();
        let pairs = games.iter().map(|games| Pair([games[0].score, games[1].score])).collect();
        MatchResult { pairs, distinct_games: moves.len() }
    }

    /// Plays a game from `opening`, in which `mover` (0 or 1) moves first.
    fn game(
        &self,
        players: &mut [Searcher<'_, Evaluator>; 2],
        opening: Position,
        mover: usize,
    ) -> Game {
        players.iter_mut().for_each(Searcher::new_game);
        let (mut position, mut mover, mut squares) = (opening, mover, vec![]);
        // After passing there is no move at the end of the game alone.
        while let Some(square) = self.strength.search(&mut players[mover], &position).best {
            squares.push(square);
            position = position.after(square, position.flips(square));
            mover = 1 - mover;
            if position.moves() == 0 {
                position = position.pass();
                mover = 1 - mover;
            }
        }
        let score = if mover == 0 { position.score() } else { -position.score() };
        Game { squares, score }
    }
}

/// A game that was played.
struct Game {
    squares: Vec<Square>,
    /// For the first player.
    score: i32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::board::Squares;
    use othello_engine::eval::{Mobility, Zero};
    use othello_engine::progress::Silent;

    const STRENGTH: Strength = Strength { depth: 2, exact: 8 };

    fn openings() -> Vec<Position> {
        let children = |p: Position| Squares(p.moves()).filter_map(move |square| p.play(square));
        children(Position::START).flat_map(children).collect()
    }

    #[test]
    fn an_evaluation_against_itself_is_even_and_plays_each_game_twice() {
        let (first, second) = (&Mobility.into(), &Mobility.into());
        let result = Match { first, second, strength: STRENGTH }.play(&openings(), &Silent);
        assert!(result.pairs.iter().all(|pair| pair.0[0] == -pair.0[1]));
        assert_eq!(result.distinct_games, openings().len());
        assert_eq!(result.statistics().p_value, 1.0);
    }

    #[test]
    fn looking_at_moves_and_corners_beats_looking_at_nothing() {
        let (first, second) = (&Mobility.into(), &Zero.into());
        let result = Match { first, second, strength: STRENGTH }.play(&openings(), &Silent);
        assert!(result.statistics().wins > result.statistics().losses);
        let (first, second) = (second, first);
        let swapped = Match { first, second, strength: STRENGTH }.play(&openings(), &Silent);
        let negated: Vec<Pair> =
            swapped.pairs.iter().map(|pair| Pair([-pair.0[1], -pair.0[0]])).collect();
        assert_eq!(negated, result.pairs);
    }
}
