//! What a position is worth: the interface the search sees, and everything behind it.

pub mod builtin;

use crate::board::{Position, Square};

/// A value in steps of 1/32 disc, for the player: −2048..=2048.
pub type Value = i32;

/// Steps in a disc.
pub const STEPS_PER_DISC: Value = 32;

/// The largest value: 64 discs.
pub const MAX_VALUE: Value = 64 * STEPS_PER_DISC;

/// An evaluation that can follow a search move by move.
///
/// The state is what is carried along a line of play (pattern indices, or nothing); it is copied
/// at every move and never undone.
pub trait Evaluate: Sync {
    /// What is carried along.
    type State: Copy + Send;

    /// The state of a position, from scratch.
    fn state(&self, position: &Position) -> Self::State;

    /// The state after the player moves on `square` and turns over `flips`, seen by the other side.
    fn after(&self, state: &Self::State, square: Square, flips: u64) -> Self::State;

    /// The state with the other side to move.
    fn pass(&self, state: &Self::State) -> Self::State;

    /// The value of a position for its player, clamped to ±[`MAX_VALUE`]. `state` is that of
    /// `position`. A full board is scored, not evaluated.
    fn value(&self, state: &Self::State, position: &Position) -> Value;
}
