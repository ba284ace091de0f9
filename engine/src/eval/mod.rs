//! The evaluations of positions: the interface that the search uses, and its implementations.
//!
//! The types for weights files are those of [`othello_core::weights`], re-exported here.

mod builtin;
pub mod embedded;
mod evaluator;
mod factor_sum;
mod move_ordering;
mod sum;
mod tables;

use crate::board::{Position, Square};

pub use builtin::Handwritten::{self, Mobility, Zero};
pub use evaluator::{Evaluator, WeightsChoice};
pub use move_ordering::MoveOrdering;
#[doc(inline)]
pub use othello_core::weights::*;
pub use tables::Tables;

/// An evaluation of positions, computed from a state such as the position's pattern indices. A move
/// returns a new state and keeps the old one, so that a search does not have to undo moves.
pub trait Evaluate: Sync {
    /// The data of one position from which its value is computed, such as pattern indices.
    type State: Copy + std::fmt::Debug + Send + Sync;

    /// Computes the state of a position from scratch.
    fn state(&self, position: &Position) -> Self::State;

    /// Returns the state after a move on `square` that flips `flips`; the opponent is then to move.
    fn after(&self, state: &Self::State, square: Square, flips: u64) -> Self::State;

    /// Returns the state of the same board with the opponent to move.
    fn pass(&self, state: &Self::State) -> Self::State;

    /// Returns the static value of `position`, whose state is `state`, for the side to move. If
    /// this side must pass or the game is over, the result may be wrong: use [`Self::value_of`].
    fn value(&self, state: &Self::State, position: &Position) -> Value;

    /// Returns the static value of any position, computed from scratch. If the player must pass,
    /// the result is the negated value after the pass. The value of a finished game is its score.
    fn value_of(&self, position: &Position) -> Value {
        if position.moves() != 0 {
            return self.value(&self.state(position), position);
        }
        let passed = position.pass();
        match passed.moves() {
            0 => Value::from_score(position.score()),
            _ => -self.value(&self.state(&passed), &passed),
        }
    }

    /// Returns the static value of `after`, for its side to move. `after` is the position after the
    /// move on `square`, which flips `flips`; `state` belongs to the position before the move.
    #[inline]
    fn value_after(
        &self,
        state: &Self::State,
        square: Square,
        flips: u64,
        after: &Position,
    ) -> Value {
        self.value(&self.after(state, square, flips), after)
    }

    /// Returns the static value of `after`. If this value is almost surely outside `window`, the
    /// result can be a faster estimate outside the window. In rare cases, the exact value is then
    /// inside the window or on its other side.
    #[inline]
    fn value_after_within(
        &self,
        state: &Self::State,
        square: Square,
        flips: u64,
        after: &Position,
        _window: [Value; 2],
    ) -> Value {
        self.value_after(state, square, flips, after)
    }

    /// Returns an approximate value for move ordering. It can use the weights for ply `_ply` in
    /// place of the position's ply: the weights of a single ply stay in the processor's cache.
    #[inline]
    fn value_at(&self, state: &Self::State, position: &Position, _ply: u32) -> Value {
        self.value(state, position)
    }

    /// Returns the evaluation that orders moves near the end of the game; `None` if there is none.
    fn move_ordering(&self) -> Option<&MoveOrdering> {
        None
    }

    /// Returns the models for pruning: ProbCut, endgame ProbCut, and realization probability.
    fn models(&self) -> &Models {
        static NONE: Models = Models::NONE;
        &NONE
    }
}

/// An evaluation that states its identity, for the provenance of files.
pub trait Identified: Evaluate {
    /// Returns the SHA-256 of the weights file, or the name of a built-in evaluation.
    fn identity(&self) -> &str;
}
