use serde::{Deserialize, Serialize};

use super::{Discs, Square, Symmetry, rules, stability, symmetry};
use crate::simd::Instructions;
use crate::with_instructions;

/// Two bitboards that never overlap: the discs of the player (the side to move) and the opponent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    player: u64,
    opponent: u64,
}

/// One of the two sides. Black moves first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, derive_more::Display)]
#[display(rename_all = "lowercase")]
pub enum Side {
    /// The side `X`, which moves first.
    Black,
    /// The side `O`, which moves second.
    White,
}

impl Side {
    /// Returns the other side.
    #[must_use]
    pub const fn other(self) -> Self {
        if matches!(self, Self::Black) { Self::White } else { Self::Black }
    }

    /// Converts [player, opponent] to [black, white], or back. `self` is the player's side.
    pub fn black_first<T>(self, [player, opponent]: [T; 2]) -> [T; 2] {
        if self == Self::Black { [player, opponent] } else { [opponent, player] }
    }

    /// Returns +1 for black, −1 for white: the factor that converts this side's scores to black's.
    pub const fn sign(self) -> Discs {
        if matches!(self, Self::Black) { 1 } else { -1 }
    }
}

impl Position {
    /// The start position: black (to move) on e4 and d5, white on d4 and e5.
    pub const START: Self = Self { player: 0x0000_0008_1000_0000, opponent: 0x0000_0010_0800_0000 };

    /// Creates a position from two bitboards; `None` if they overlap.
    pub const fn new(player: u64, opponent: u64) -> Option<Self> {
        if player & opponent == 0 { Some(Self { player, opponent }) } else { None }
    }

    /// Returns the discs of the side to move as a bitboard.
    pub const fn player(&self) -> u64 {
        self.player
    }

    /// Returns the discs of the opponent as a bitboard.
    pub const fn opponent(&self) -> u64 {
        self.opponent
    }

    /// Returns the empty squares as a bitboard.
    pub const fn empty(&self) -> u64 {
        !(self.player | self.opponent)
    }

    /// Returns the number of empty squares: 0..=60.
    #[inline]
    pub const fn empties(&self) -> u32 {
        self.empty().count_ones()
    }

    /// Returns the number of discs on the board: 4..=64.
    #[inline]
    pub const fn discs(&self) -> u32 {
        64 - self.empties()
    }

    /// Returns the ply: discs on the board − 4, 0..=60. A pass does not change it.
    #[inline]
    pub const fn ply(&self) -> u32 {
        self.discs().saturating_sub(4)
    }

    /// Returns the player's legal moves as a bitboard.
    #[inline]
    pub fn moves(&self) -> u64 {
        with_instructions!(|set| self.moves_by(set))
    }

    /// Returns the player's legal moves, with the instruction set `I`.
    #[inline(always)]
    pub fn moves_by<I: Instructions>(&self, set: I) -> u64 {
        rules::moves(set, self.player, self.opponent)
    }

    /// Returns whether the player may move on `square`.
    #[inline]
    pub fn is_legal(&self, square: Square) -> bool {
        self.moves() & square.bit() != 0
    }

    /// Returns the discs that a move on an empty `square` flips; 0 if the move is not legal.
    #[inline]
    pub fn flips(&self, square: Square) -> u64 {
        with_instructions!(|set| self.flips_by(set, square))
    }

    /// Returns the same as [`Self::flips`], with the instruction set `I`.
    #[inline(always)]
    pub fn flips_by<I: Instructions>(&self, set: I, square: Square) -> u64 {
        rules::flips(set, self.player, self.opponent, square.index())
    }

    /// Returns the number of discs that a move on `square`, the only empty square, flips.
    #[inline]
    pub fn last_flips(&self, square: Square) -> u32 {
        rules::last_flips(self.player, square.index())
    }

    /// Returns some stable discs of the opponent: discs that no move can ever flip.
    #[inline(always)]
    pub fn stable_of_opponent<I: Instructions>(&self, set: I) -> u64 {
        stability::stable(set, self.opponent, self.player)
    }

    /// Returns the position after a move on `square` that flips `flips`; the opponent is to move.
    #[inline]
    #[must_use]
    pub const fn after(&self, square: Square, flips: u64) -> Self {
        Self { player: self.opponent ^ flips, opponent: self.player ^ flips ^ square.bit() }
    }

    /// Returns the position after a legal move on `square`, and the legal moves there. Takes less
    /// time than [`Self::flips_by`], [`Self::after`] and [`Self::moves_by`] in turn.
    #[inline(always)]
    pub fn after_with_moves<I: Instructions>(&self, set: I, square: Square) -> (Self, u64) {
        let ([opponent, player], moves) =
            rules::play(set, self.player, self.opponent, square.index());
        (Self { player, opponent }, moves)
    }

    /// Returns the position after a legal move on `square`; `None` if the move is not legal.
    #[inline]
    #[must_use]
    pub fn play(&self, square: Square) -> Option<Self> {
        let flips = if self.empty() & square.bit() == 0 { 0 } else { self.flips(square) };
        (flips != 0).then(|| self.after(square, flips))
    }

    /// Returns the position after a pass: the same board with the opponent to move.
    #[must_use]
    pub const fn pass(&self) -> Self {
        Self { player: self.opponent, opponent: self.player }
    }

    /// Returns whether the game is over: neither side can move.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.moves() == 0 && self.pass().moves() == 0
    }

    /// Returns the score of a finished game for the player. Empty squares count for the winner.
    #[inline]
    pub const fn score(&self) -> Discs {
        let player = self.player.count_ones() as Discs;
        let opponent = self.opponent.count_ones() as Discs;
        let difference = player - opponent;
        difference + difference.signum() * (64 - player - opponent)
    }

    /// Returns the image of the position under a symmetry of the board.
    #[inline]
    #[must_use]
    pub const fn image(&self, symmetry: Symmetry) -> Self {
        Self { player: symmetry.bits(self.player), opponent: symmetry.bits(self.opponent) }
    }

    /// Returns the canonical image: the least of the eight symmetric images, compared as (player,
    /// opponent) pairs.
    #[inline]
    #[must_use]
    pub fn canonical(&self) -> Self {
        let (player, opponent) = symmetry::canonical(self.player, self.opponent);
        Self { player, opponent }
    }
}

/// The number of phases, one for each ply from 0 to 59.
pub const PHASES: usize = 60;

/// The number of a phase, 0..=59: the ply of its positions. Each phase has its own set of weights.
/// A full board has no phase.
#[derive(schemars::JsonSchema, Serialize, Deserialize, derive_more::Display)]
#[serde(try_from = "usize")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Phase(u8);

impl Phase {
    /// Returns the phase with this number; `None` for 60 and more.
    pub const fn new(index: usize) -> Option<Self> {
        if index < PHASES { Some(Self(index as u8)) } else { None }
    }

    /// Returns the phase of a position; `None` for a full board.
    #[inline]
    pub fn of(position: &Position) -> Option<Self> {
        Self::new((position.discs() as usize).wrapping_sub(4))
    }

    /// Returns the number of the phase, 0..=59.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the previous phase, one ply earlier; `None` for the first.
    pub fn before(self) -> Option<Self> {
        self.index().checked_sub(1).and_then(Self::new)
    }

    /// Returns all phases in order.
    pub fn all() -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator {
        (0..PHASES as u8).map(Self)
    }
}

impl TryFrom<usize> for Phase {
    type Error = String;

    fn try_from(index: usize) -> Result<Self, String> {
        Self::new(index).ok_or_else(|| format!("phase {index} is not in 0..59"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_squares_go_to_the_winner() {
        assert_eq!(Position::new(0b111, 0b1000).unwrap().score(), 62);
        assert_eq!(Position::new(0b1000, 0b111).unwrap().score(), -62);
        assert_eq!(Position::new(0b11, 0b1100).unwrap().score(), 0);
        assert_eq!(Position::new(u64::MAX, 0).unwrap().score(), 64);
    }

    #[test]
    fn illegal_moves_are_refused() {
        assert!(Position::START.play("a1".parse().unwrap()).is_none());
        assert!(Position::START.play("d4".parse().unwrap()).is_none());
        assert!(Position::new(1, 1).is_none());
    }
}
