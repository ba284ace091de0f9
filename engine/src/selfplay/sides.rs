//! A setting with one value for each side.

use crate::board::Side;

/// A pair of values, one for each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerSide<T> {
    /// The value for black.
    pub black: T,
    /// The value for white.
    pub white: T,
}

impl<T> PerSide<T> {
    /// Creates a pair with the same value for both sides.
    pub fn both(one: T) -> Self
    where
        T: Clone,
    {
        Self { black: one.clone(), white: one }
    }

    /// Applies `value` to both values, and returns the pair of results.
    pub fn each<U>(&self, value: impl Fn(&T) -> U) -> PerSide<U> {
        PerSide { black: value(&self.black), white: value(&self.white) }
    }

    /// Returns the value for a side.
    pub fn of(&self, side: Side) -> &T {
        match side {
            Side::Black => &self.black,
            Side::White => &self.white,
        }
    }
}
