//! Evaluations of positions: the interface that the search sees, and everything behind it.

mod builtin;
pub mod embedded;
mod ends;
mod evaluator;
mod factor_sum;
mod factor_tables;
mod factors;
pub mod layout;
mod likely;
mod models;
mod move_ordering;
mod move_ordering_weights;
mod parts;
mod probcut;
mod realization;
mod sections;
mod sum;
mod tables;
mod value;
mod weights;

use crate::board::{Position, Square};

pub use builtin::{Mobility, Zero};
pub use ends::{CONFIDENCES, END_ERROR_TERMS, END_MEAN_TERMS, EndDepths, Ends};
pub use evaluator::{Evaluator, NoWeightsError, WeightsChoice};
pub use factors::{FACTORS_PER_UNIT, Factors, MAX_FACTOR, own_worth};
pub use models::Models;
pub use move_ordering::MoveOrdering;
pub use move_ordering_weights::MoveOrderingWeights;
pub use parts::{InstancePart, PartWeight, Parts, ScalarPart};
pub use probcut::{Depths, ERROR_TERMS, MEAN_TERMS, NoProbCut, Prediction, ProbCut};
pub use realization::{Memory, MoveKind, NoRealization, Place, Rank, Realization, STAGES};
pub use sections::{PhaseRow, PhaseSection};
pub use tables::Tables;
pub use value::{MAX_STEPS, STEPS_PER_DISC, Value, nearest_weight, weight_in_discs};
pub use weights::{Weights, WeightsError, WeightsFile};

/// An evaluation that can follow a search move by move.
///
/// The state is what is carried along a line of play (pattern indices, or nothing); it is copied
/// at every move and never undone.
pub trait Evaluate: Sync {
    /// The state that is carried along.
    type State: Copy + std::fmt::Debug + Send + Sync;

    /// The state of a position, from scratch.
    fn state(&self, position: &Position) -> Self::State;

    /// The state after the player moves on `square` and turns over `flips`, seen by the other side.
    fn after(&self, state: &Self::State, square: Square, flips: u64) -> Self::State;

    /// The state with the other side to move.
    fn pass(&self, state: &Self::State) -> Self::State;

    /// The value of a position for its player. `state` is the state of `position`. A full board is
    /// scored, not evaluated.
    fn value(&self, state: &Self::State, position: &Position) -> Value;

    /// The value for its player of the position `after` a move on `square` that turns over `flips`;
    /// `state` is the state before it. A full board is scored, not evaluated.
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

    /// As [`Evaluate::value_after`], for a search that only needs to know on which side of its window from
    /// `window[0]` to `window[1]` the value lies, if it lies outside: there it may be another one, and on
    /// the wrong side where it is an unlikely one.
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

    /// The value that a position would have at another ply: good enough to order moves by, and with one
    /// ply for all nodes of a search, only one phase's weights need room in the processor's cache.
    #[inline]
    fn value_at(&self, state: &Self::State, position: &Position, _ply: u32) -> Value {
        self.value(state, position)
    }

    /// The evaluation that moves are ordered by in the last plies, where the weights have one.
    fn move_ordering(&self) -> Option<&MoveOrdering> {
        None
    }

    /// The models of what searches may leave out: those that the weights have.
    fn models(&self) -> &Models {
        static NONE: Models = Models::NONE;
        &NONE
    }
}

/// An evaluation that says which one it is, for the provenance of what it decides.
pub trait Identified: Evaluate {
    /// The checksum of the weights file's content, or the name of a built-in evaluation.
    fn identity(&self) -> &str;
}
