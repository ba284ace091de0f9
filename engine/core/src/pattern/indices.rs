//! The indices of pattern instances: their configurations as base-3 numbers, updated move by move.

use super::{Geometry, LANES};
use crate::board::{Position, Square, Squares};

/// The contents of all pattern instances as base-3 numbers, −29,524 to 29,524, seen by the player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Indices(pub [i16; LANES]);

/// Tables that update [`Indices`] after a move. They have the power of 3 of each square in each
/// instance (0 if the square is not in the instance). A disc of the player adds the power, one of
/// the opponent subtracts it, and a flip adds it twice. A change of sides negates all indices.
#[derive(Clone, Debug)]
pub struct Lanes {
    disc: Box<[Indices; 64]>,
    /// The change of each index by a flip on square 0 to 63. Elements 64 to 127 are 0, for no flip.
    flip: Box<[Indices; 128]>,
}

impl Lanes {
    /// Computes the tables for the instances of `geometry`.
    pub fn new(geometry: &Geometry) -> Self {
        let mut disc = Box::new([Indices([0; LANES]); 64]);
        for (lane, instance) in geometry.instances.iter().enumerate() {
            let places = &geometry.patterns[instance.pattern].places;
            for (square, &place) in instance.squares.iter().zip(places) {
                disc[square.index()].0[lane] = 3i16.pow(place as u32);
            }
        }
        let mut flip = Box::new([Indices([0; LANES]); 128]);
        for (flip, disc) in flip.iter_mut().zip(disc.iter()) {
            *flip = Indices(disc.0.map(|power| power.wrapping_mul(2)));
        }
        Self { disc, flip }
    }

    /// Computes the indices of a position from scratch.
    pub fn indices(&self, position: &Position) -> Indices {
        let mut indices = Indices([0; LANES]);
        for square in Squares(position.player()) {
            indices.subtract(&self.disc[square.index()]);
        }
        indices = indices.negated();
        for square in Squares(position.opponent()) {
            indices.subtract(&self.disc[square.index()]);
        }
        indices
    }

    /// Returns the indices after the player's move on `square`, seen by the opponent.
    #[inline(always)]
    pub fn after(&self, before: &Indices, square: Square, flips: u64) -> Indices {
        // A table has the doubled powers: the loop multiplies nothing; all lanes stay in registers.
        let mut indices = before.negated();
        indices.subtract(&self.disc[square.index() & 63]);
        // With two flips a round (the last may be none), the number of rounds is easier to predict.
        let mut flips = flips;
        while flips != 0 {
            for _ in 0..2 {
                indices.subtract(&self.flip[flips.trailing_zeros() as usize & 127]);
                flips &= flips.wrapping_sub(1);
            }
        }
        indices
    }
}

impl Indices {
    /// Returns the indices of the same board with the other side to move.
    #[inline(always)]
    #[must_use]
    pub fn negated(&self) -> Self {
        let mut negated = Self([0; LANES]);
        negated.subtract(self);
        negated
    }

    /// Subtracts lane by lane. Compiles to operations on two vectors of 32 lanes, or four of 16.
    #[inline(always)]
    fn subtract(&mut self, other: &Self) {
        for lane in 0..LANES {
            self.0[lane] = self.0[lane].wrapping_sub(other.0[lane]);
        }
    }
}
