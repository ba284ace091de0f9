//! Random draws. The generator is fixed, so a seed always gives the same draws.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::transcript::Replay;
use crate::board::{Position, Square};

/// A stream of random draws from xoshiro256++ (Blackman and Vigna).
#[derive(Clone, Debug)]
pub struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// Creates a generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Creates generator `index` of a seed. Generators with different indices are independent.
    pub fn split(seed: u64, index: u64) -> Self {
        let mut first = Self::new(seed);
        Self::new(first.next_u64() ^ Self::new(index).next_u64().rotate_left(32))
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number in `0..bound`, almost uniform, by one draw of 64 bits; 0 if `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        self.below_u64(bound.into()) as u32
    }

    /// Returns a random 64-bit number in `0..bound`; 0 if `bound` is 0.
    #[inline]
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns a square of a set, drawn uniformly; `None` for the empty set. Always takes one draw.
    #[inline]
    pub fn square_of(&mut self, squares: u64) -> Option<Square> {
        let choice = self.below(squares.count_ones());
        Square::nth(squares, choice as usize)
    }

    /// Puts a slice into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            let bound = u32::try_from(end + 1).unwrap_or(u32::MAX);
            items.swap(end, self.below(bound) as usize);
        }
    }
}

/// Plays the random game with this seed and the index `number`, for at most `most_moves` moves.
pub fn random_game(seed: u64, number: u64, most_moves: usize) -> Replay {
    let mut random = Generator::split(seed, number);
    let mut replay = Replay::from_start(&[]).expect("no move is illegal");
    while replay.steps.len() < most_moves
        && let Some(square) = random.square_of(replay.end.moves())
    {
        replay.push(square).expect("the move is legal");
    }
    replay
}

/// Plays random games until a position has at most `empties` empty squares. Returns the position.
pub fn random_position(random: &mut Generator, empties: u32) -> Position {
    first_position(random, |position| position.empties() <= empties)
}

/// Returns a position like [`random_position`], in which the player has a legal move.
pub fn random_position_to_move(random: &mut Generator, empties: u32) -> Position {
    first_position(random, |position| position.empties() <= empties && position.moves() != 0)
}

fn first_position(random: &mut Generator, is_wanted: impl Fn(&Position) -> bool) -> Position {
    let mut position = Position::START;
    while !is_wanted(&position) {
        position = match random.square_of(position.moves()) {
            Some(square) => position.after(square, position.flips(square)),
            None if position.is_over() => Position::START,
            None => position.pass(),
        };
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_never_change() {
        let mut stream = Generator::new(1);
        assert_eq!(stream.next_u64(), 14_971_601_782_005_023_387);
        let draws: Vec<u32> = (0..8).map(|_| stream.below(60)).collect();
        assert_eq!(draws, [44, 6, 44, 11, 35, 59, 31, 5]);
        assert_eq!(Generator::split(7, 3).next_u64(), 6_150_933_660_122_519_280);
    }

    #[test]
    fn a_random_game_is_played_to_its_end_or_broken_off() {
        let moves = |game: Replay| -> String {
            game.steps.iter().map(|step| step.square.to_string()).collect()
        };
        let whole = moves(random_game(1, 0, usize::MAX));
        assert!(whole.starts_with(&moves(random_game(1, 0, 10))));
        assert_eq!(moves(random_game(1, 0, 10)).len(), 20);
        assert_eq!(random_game(1, 0, usize::MAX).end.moves(), 0);
        assert_ne!(moves(random_game(1, 1, usize::MAX)), whole);
        assert_eq!(random_position(&mut Generator::new(1), 20).empties(), 20);
    }

    #[test]
    fn draws_cover_the_range_evenly() {
        let mut stream = Generator::new(9);
        let mut counts = [0u32; 7];
        (0..70_000).for_each(|_| counts[stream.below(7) as usize] += 1);
        assert!(counts.iter().all(|&n| (9_600..10_400).contains(&n)), "{counts:?}");
        assert_eq!(stream.below(0), 0);
    }
}
