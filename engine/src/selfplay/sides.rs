//! What may differ between the sides.

use crate::board::Side;

/// One of something for each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerSide<T> {
    /// Black's.
    pub black: T,
    /// White's.
    pub white: T,
}

impl<T> PerSide<T> {
    /// One value for both sides.
    pub fn both(one: T) -> Self
    where
        T: Clone,
    {
        Self { black: one.clone(), white: one }
    }

    /// The value of a side.
    pub fn of(&self, side: Side) -> &T {
        match side {
            Side::Black => &self.black,
            Side::White => &self.white,
        }
    }
}
