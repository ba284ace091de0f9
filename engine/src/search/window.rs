use crate::board::Square;
use crate::eval::Value;

#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) value: Value,
    pub(super) square: Option<Square>,
}

/// The window (alpha, beta) of a node's search, with the best value and move found so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    given_alpha: Value,
    pub(super) alpha: Value,
    pub(super) beta: Value,
    pub(super) best: Best,
}

impl Window {
    pub(super) fn new(alpha: Value, beta: Value) -> Self {
        let best = Best { value: -Value::INFINITE, square: None };
        Self { given_alpha: alpha, alpha, beta, best }
    }

    /// Narrows the window to known bounds of the node's value. The move `square` attains at least
    /// the lower bound. Returns true if the window is then empty: `self.best` is the node's result.
    #[inline]
    pub(super) fn narrow(
        &mut self,
        (lower, upper): (Value, Value),
        square: Option<Square>,
    ) -> bool {
        if lower > self.alpha {
            self.alpha = lower;
            self.best = Best { value: lower, square };
        }
        self.beta = self.beta.min(upper);
        if self.alpha < self.beta {
            return false;
        }
        if upper <= self.given_alpha {
            self.best = Best { value: upper, square };
        }
        true
    }

    #[inline]
    pub(super) fn take(&mut self, value: Value, square: Square) -> bool {
        if value > self.best.value {
            self.best = Best { value, square: Some(square) };
            self.alpha = self.alpha.max(value);
        }
        value >= self.beta
    }

    /// Returns the (lower, upper) bounds of the node's value that the search of its moves proves;
    /// `None` for a bound that is not proven.
    #[inline]
    pub(super) fn proven(&self) -> (Option<Value>, Option<Value>) {
        let value = self.best.value;
        ((value > self.given_alpha).then_some(value), (value < self.beta).then_some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Discs;

    fn square(index: u8) -> Option<Square> {
        Square::new(index)
    }

    fn narrowed(lower: Discs, upper: Discs) -> (bool, Window) {
        let [alpha, beta, lower, upper] = [0, 10, lower, upper].map(Value::from_score);
        let mut window = Window::new(alpha, beta);
        (window.narrow((lower, upper), square(3)), window)
    }

    #[test]
    fn known_bounds_end_a_node_or_narrow_it() {
        for (lower, upper, value) in [(12, 64, 12), (-9, -2, -2), (4, 4, 4), (-7, -7, -7)] {
            let (done, window) = narrowed(lower, upper);
            assert!(done);
            assert_eq!((window.best.value.score(), window.best.square), (value, square(3)));
        }
        let (done, window) = narrowed(2, 8);
        assert!(!done);
        assert_eq!([window.alpha, window.beta, window.best.value].map(Value::score), [2, 8, 2]);
        assert!(!narrowed(-64, 64).0);
    }

    #[test]
    fn a_value_known_from_below_is_proven_when_no_move_beats_it() {
        let (_, mut window) = narrowed(2, 64);
        let five = square(5).unwrap();
        let [one, two, ten] = [1, 2, 10].map(Value::from_score);
        assert!(!window.take(one, five));
        assert_eq!(window.best.square, square(3));
        assert_eq!(window.proven(), (Some(two), Some(two)));
        assert!(window.take(ten, five));
        assert_eq!((window.best.square, window.proven()), (square(5), (Some(ten), None)));
    }
}
