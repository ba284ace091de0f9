use std::ops::{Add, Neg};

use crate::board::{Discs, Square};
use crate::eval::Value;

/// The unit of values: steps of 1/32 disc in the midgame, whole discs in the endgame.
pub(super) trait Unit: Copy + Ord + Neg<Output = Self> + Add<Output = Self> {
    /// The upper bound of a full window, which is greater than every value of a node.
    const INFINITE: Self;
    const STEP: Self;

    /// For [`Discs`], the value must be a whole number of discs; debug builds check this.
    fn of_value(value: Value) -> Self;

    fn value(self) -> Value;

    fn number(self) -> i32;

    fn of_number(number: i32) -> Self;
}

impl Unit for Value {
    const INFINITE: Self = Self::INFINITE;
    const STEP: Self = Self::STEP;

    #[inline(always)]
    fn of_value(value: Value) -> Self {
        value
    }

    #[inline(always)]
    fn value(self) -> Value {
        self
    }

    fn number(self) -> i32 {
        self.steps()
    }

    fn of_number(number: i32) -> Self {
        // `Value::clamped` would be wrong: the bounds of a full window are beyond every value.
        Self::ZERO.raised(number)
    }
}

impl Unit for Discs {
    const INFINITE: Self = 65;
    const STEP: Self = 1;

    #[inline(always)]
    fn of_value(value: Value) -> Self {
        value.score()
    }

    #[inline(always)]
    fn value(self) -> Value {
        Value::from_score(self)
    }

    fn number(self) -> i32 {
        self
    }

    fn of_number(number: i32) -> Self {
        number
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Best<T> {
    pub(super) value: T,
    pub(super) square: Option<Square>,
}

/// The search is fail-soft: a value outside the window is a bound on the node's value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window<T> {
    given_alpha: T,
    pub(super) alpha: T,
    pub(super) beta: T,
    pub(super) best: Best<T>,
}

impl<T: Unit> Window<T> {
    pub(super) fn map<U>(self, unit: impl Fn(T) -> U) -> Window<U> {
        let best = Best { value: unit(self.best.value), square: self.best.square };
        let [given_alpha, alpha, beta] = [self.given_alpha, self.alpha, self.beta].map(unit);
        Window { given_alpha, alpha, beta, best }
    }

    pub(super) fn new(alpha: T, beta: T) -> Self {
        let best = Best { value: -T::INFINITE, square: None };
        Self { given_alpha: alpha, alpha, beta, best }
    }

    /// Narrows the window to known bounds of the value; `square` is the move that attains the lower
    /// one. Returns true if no value is left in the window: `self.best` is then the node's result.
    #[inline]
    pub(super) fn narrow(&mut self, (lower, upper): (T, T), square: Option<Square>) -> bool {
        if lower > self.alpha {
            self.alpha = lower;
            self.best = Best { value: lower, square };
        }
        if upper < self.beta {
            self.beta = upper;
        }
        if self.alpha < self.beta {
            return false;
        }
        if upper <= self.given_alpha {
            self.best = Best { value: upper, square };
        }
        true
    }

    #[inline]
    pub(super) fn take(&mut self, value: T, square: Square) -> bool {
        if value > self.best.value {
            self.best = Best { value, square: Some(square) };
            self.alpha = self.alpha.max(value);
        }
        value >= self.beta
    }

    /// Returns the proven lower and upper bound of the node's value (`None` if none is proven).
    /// Must be called only after all moves were searched, or after one reached beta.
    #[inline]
    pub(super) fn proven(&self) -> (Option<T>, Option<T>) {
        let value = self.best.value;
        ((value > self.given_alpha).then_some(value), (value < self.beta).then_some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(index: u8) -> Option<Square> {
        Square::new(index)
    }

    fn narrowed(bounds: (Discs, Discs)) -> (bool, Window<Discs>) {
        let mut window = Window::new(0, 10);
        (window.narrow(bounds, square(3)), window)
    }

    #[test]
    fn known_bounds_end_a_node_or_narrow_it() {
        for (bounds, value) in [((12, 64), 12), ((-9, -2), -2), ((4, 4), 4), ((-7, -7), -7)] {
            let (done, window) = narrowed(bounds);
            assert!(done);
            assert_eq!((window.best.value, window.best.square), (value, square(3)));
        }
        let (done, window) = narrowed((2, 8));
        assert!(!done);
        assert_eq!((window.alpha, window.beta, window.best.value), (2, 8, 2));
        assert!(!narrowed((-64, 64)).0);
    }

    #[test]
    fn a_value_known_from_below_is_proven_when_no_move_beats_it() {
        let (_, mut window) = narrowed((2, 64));
        let five = square(5).unwrap();
        assert!(!window.take(1, five));
        assert_eq!(window.best.square, square(3));
        assert_eq!(window.proven(), (Some(2), Some(2)));
        assert!(window.take(10, five));
        assert_eq!((window.best.square, window.proven()), (square(5), (Some(10), None)));
    }
}
