//! The statistics of games by ply: legal moves, flipped discs, passes, finished games.

use crate::board::transcript::Replay;
use crate::board::{Position, Square, Squares};

/// The statistics of the positions and moves of one ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, derive_more::Add)]
pub struct PlyStatistics {
    /// The number of counted positions: those with a played move or, in [`of_positions`], a legal
    /// one.
    pub positions: u64,
    /// The number of counted moves: all played moves or, in [`of_positions`], all legal moves.
    pub moves: u64,
    /// The total number of discs that the counted moves flip.
    pub flips: u64,
    /// The sum, over the counted moves, of the squared number of flipped discs.
    pub squared_flips: u64,
    /// The total number of legal moves in the counted positions.
    pub choices: u64,
    /// The number of passes after moves of this ply or, in [`of_positions`], in the given
    /// positions.
    pub passes: u64,
    /// The number of games whose last position, in which neither side has a move, is at this ply.
    pub ends: u64,
}

impl PlyStatistics {
    /// Returns mean and standard deviation of the discs that a move flips; `None` without moves.
    pub fn flips(&self) -> Option<(f64, f64)> {
        let mean = self.flips as f64 / self.moves as f64;
        let variance = self.squared_flips as f64 / self.moves as f64 - mean * mean;
        (self.moves > 0).then_some((mean, variance.max(0.0).sqrt()))
    }

    /// Returns the mean number of legal moves of a position; `None` without positions.
    pub fn branching(&self) -> Option<f64> {
        (self.positions > 0).then(|| self.choices as f64 / self.positions as f64)
    }

    fn add_flips(&mut self, flips: u64) {
        let count = u64::from(flips.count_ones());
        self.moves += 1;
        self.flips += count;
        self.squared_flips += count * count;
    }
}

/// Returns the statistics of all legal moves of the given positions, which belong to one ply.
pub fn of_positions<'a>(positions: impl IntoIterator<Item = &'a Position>) -> PlyStatistics {
    let mut found = PlyStatistics::default();
    for position in positions {
        let moves = position.moves();
        if moves == 0 {
            let passes = position.pass().moves() != 0;
            found.passes += u64::from(passes);
            found.ends += u64::from(!passes);
            continue;
        }
        found.positions += 1;
        found.choices += u64::from(moves.count_ones());
        Squares(moves).for_each(|square| found.add_flips(position.flips(square)));
    }
    found
}

/// The statistics of a set of games, by ply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameStatistics {
    /// The number of games.
    pub games: u64,
    /// The statistics by ply, 0 to 60.
    pub plies: Vec<PlyStatistics>,
    /// The moves of the shortest finished game (of several, the first by square indices), if any.
    pub shortest: Option<Vec<Square>>,
}

impl Default for GameStatistics {
    fn default() -> Self {
        Self { games: 0, plies: vec![PlyStatistics::default(); 61], shortest: None }
    }
}

impl GameStatistics {
    /// Adds a game to the statistics.
    pub fn count(&mut self, replay: &Replay) {
        self.games += 1;
        for (ply, step) in replay.steps.iter().enumerate() {
            let at = &mut self.plies[ply];
            at.positions += 1;
            at.choices += u64::from(step.position.moves().count_ones());
            at.add_flips(step.position.flips(step.square));
            let next = replay.steps.get(ply + 1).map_or(replay.side, |next| next.side);
            let over = ply + 1 == replay.steps.len() && replay.end.moves() == 0;
            at.passes += u64::from(next == step.side && !over);
        }
        if replay.end.moves() == 0 {
            self.plies[replay.steps.len()].ends += 1;
            self.offer(Some(replay.steps.iter().map(|step| step.square).collect()));
        }
    }

    /// Returns the statistics of two sets of games together.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        self.games += other.games;
        for (own, other) in self.plies.iter_mut().zip(other.plies) {
            *own = *own + other;
        }
        self.offer(other.shortest);
        self
    }

    /// Returns the sum of the statistics of all plies.
    pub fn total(&self) -> PlyStatistics {
        self.plies.iter().copied().fold(PlyStatistics::default(), |all, ply| all + ply)
    }

    fn offer(&mut self, game: Option<Vec<Square>>) {
        let both = self.shortest.take().into_iter().chain(game);
        self.shortest = both.min_by_key(|squares| (squares.len(), squares.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::transcript::parse;
    use crate::openings::enumerate;
    use crate::progress::Silent;
    use crate::random::random_game;

    fn replay(text: &str) -> Replay {
        Replay::from_start(&parse(text).unwrap()).unwrap()
    }

    #[test]
    fn a_game_is_counted_ply_by_ply() {
        let mut games = GameStatistics::default();
        games.count(&replay("f5d6c5f4e7f6g5e6e3"));
        games.count(&replay("f5d6"));
        let total = games.total();
        assert_eq!((games.games, total.moves, total.ends, total.passes), (2, 11, 1, 0));
        assert_eq!((games.plies[0].choices, games.plies[1].choices), (8, 6));
        assert_eq!(games.plies[0].flips(), Some((1.0, 0.0)));
        assert_eq!((games.plies[9].ends, games.plies[9].moves), (1, 0));
        assert_eq!(games.shortest.as_ref().map(Vec::len), Some(9));
        assert_eq!(games.plies[60].flips(), None);
    }

    #[test]
    fn a_pass_is_counted_where_a_side_moves_twice() {
        for index in 0..50 {
            let game = random_game(1, index, usize::MAX);
            let sides = game.steps.windows(2).filter(|pair| pair[0].side == pair[1].side);
            let mut games = GameStatistics::default();
            games.count(&game);
            assert_eq!(games.total().passes, sides.count() as u64, "game {index}");
            assert_eq!(games.total().ends, 1);
        }
    }

    /// By a published count, 36 distinct openings end the game after 9 plies, and none earlier.
    #[test]
    fn openings_are_counted_by_all_their_moves() {
        let plies: Vec<_> = enumerate(9, &Silent).iter().map(of_positions).collect();
        assert_eq!((plies[0].choices, plies[1].choices, plies[1].moves), (4, 3, 3));
        assert!(plies[..9].iter().all(|ply| ply.ends == 0));
        assert_eq!(plies[9].ends, 36);
        assert!(plies[..8].iter().all(|ply| ply.passes == 0) && plies[8].passes > 0);
    }

    #[test]
    fn the_order_of_games_does_not_matter() {
        let of = |numbers: Vec<u64>| {
            let mut games = GameStatistics::default();
            numbers.iter().for_each(|&index| games.count(&random_game(1, index, usize::MAX)));
            games
        };
        let all = of((0..40).rev().collect());
        assert_eq!(of((0..15).collect()).plus(of((15..40).collect())), all);
        assert_eq!(all.total().ends, 40);
        let (mean, deviation) = all.total().flips().unwrap();
        assert!(
            (2.0..2.5).contains(&mean) && (1.0..3.0).contains(&deviation),
            "{mean} {deviation}"
        );
    }
}
