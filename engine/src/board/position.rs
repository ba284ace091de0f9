//! A position: who has which discs, whose turn it is being always the player's.

use super::{Discs, Square, Symmetry, rules, stability, symmetry};

/// Two bitboards: the discs of the side to move and those of the other side. The two never
/// overlap, and every position met in play has at least four discs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    player: u64,
    opponent: u64,
}

/// One of the two sides. Black moves first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// `X`, the first to move.
    Black,
    /// `O`.
    White,
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// +1 for black, −1 for white: turns a score for this side into one for black and back.
    pub const fn sign(self) -> Discs {
        match self {
            Self::Black => 1,
            Self::White => -1,
        }
    }
}

impl Position {
    /// The start: black (to move) on e4 and d5, white on d4 and e5.
    pub const START: Self = Self { player: 0x0000_0008_1000_0000, opponent: 0x0000_0010_0800_0000 };

    /// A position from its two bitboards; `None` where they overlap.
    pub const fn new(player: u64, opponent: u64) -> Option<Self> {
        if player & opponent == 0 { Some(Self { player, opponent }) } else { None }
    }

    /// The discs of the side to move.
    pub const fn player(&self) -> u64 {
        self.player
    }

    /// The discs of the other side.
    pub const fn opponent(&self) -> u64 {
        self.opponent
    }

    /// The empty squares.
    pub const fn empty(&self) -> u64 {
        !(self.player | self.opponent)
    }

    /// The number of empty squares: 0..=60.
    pub const fn empties(&self) -> u32 {
        self.empty().count_ones()
    }

    /// The number of discs on the board: 4..=64.
    pub const fn discs(&self) -> u32 {
        64 - self.empties()
    }

    /// Discs on the board − 4: 0..=60. A pass does not advance it.
    pub const fn ply(&self) -> u32 {
        self.discs().saturating_sub(4)
    }

    /// The squares where the player may move.
    #[inline]
    pub fn moves(&self) -> u64 {
        rules::moves(self.player, self.opponent)
    }

    /// Says whether the player may move on `square`.
    pub fn is_legal(&self, square: Square) -> bool {
        self.moves() & square.bit() != 0
    }

    /// The discs that a move on `square` turns over; 0 where no disc is turned, and for
    /// `square` occupied the result means nothing.
    #[inline]
    pub fn flips(&self, square: Square) -> u64 {
        rules::flips(self.player, self.opponent, square.index())
    }

    /// The number of discs that a move on the last empty square turns over; where others are empty too, the
    /// result means nothing.
    #[inline]
    pub fn last_flips(&self, square: Square) -> u32 {
        rules::last_flips(self.player, square.index())
    }

    /// Discs of the opponent that no move can ever turn over: some of them, where it is easy to see.
    #[inline]
    pub fn stable_of_opponent(&self) -> u64 {
        stability::stable(self.opponent, self.player)
    }

    /// The position after a move on `square` that turns over `flips`, seen by the side that is
    /// then to move.
    #[inline]
    #[must_use]
    pub const fn after(&self, square: Square, flips: u64) -> Self {
        Self { player: self.opponent ^ flips, opponent: self.player ^ flips ^ square.bit() }
    }

    /// The position after a legal move on `square`; `None` where the move is not legal.
    #[must_use]
    pub fn play(&self, square: Square) -> Option<Self> {
        let flips = if self.empty() & square.bit() == 0 { 0 } else { self.flips(square) };
        (flips != 0).then(|| self.after(square, flips))
    }

    /// The position after a pass: the same board with the other side to move.
    #[inline]
    #[must_use]
    pub const fn pass(&self) -> Self {
        Self { player: self.opponent, opponent: self.player }
    }

    /// Says whether the game is over: neither side can move.
    pub fn is_over(&self) -> bool {
        self.moves() == 0 && self.pass().moves() == 0
    }

    /// The score of a finished game for the player: disc difference, empty squares to the winner.
    #[inline]
    pub const fn score(&self) -> Discs {
        let player = self.player.count_ones() as Discs;
        let opponent = self.opponent.count_ones() as Discs;
        let difference = player - opponent;
        difference + difference.signum() * (64 - player - opponent)
    }

    /// The image of the position under a symmetry of the board.
    #[must_use]
    pub const fn image(&self, symmetry: Symmetry) -> Self {
        Self { player: symmetry.bits(self.player), opponent: symmetry.bits(self.opponent) }
    }

    /// The smallest of the eight images: the same for all positions that a symmetry maps onto
    /// each other.
    #[inline]
    #[must_use]
    pub fn canonical(&self) -> Self {
        let (player, opponent) = symmetry::canonical(self.player, self.opponent);
        Self { player, opponent }
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
    fn the_canonical_form_is_shared_by_all_images() {
        let position = Position::START.play("f5".parse().unwrap()).unwrap();
        for symmetry in Symmetry::all() {
            assert_eq!(position.image(symmetry).canonical(), position.canonical());
        }
    }

    #[test]
    fn illegal_moves_are_refused() {
        assert!(Position::START.play("a1".parse().unwrap()).is_none());
        assert!(Position::START.play("d4".parse().unwrap()).is_none());
        assert!(Position::new(1, 1).is_none());
    }
}
