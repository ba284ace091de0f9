//! What suits the depth that a search goes to.

use super::ordering::MOBILITY_WEIGHT;
use crate::board::Position;
use crate::eval::STEPS_PER_DISC;

/// From this depth on a search is deep.
const DEEP: u32 = 11;
/// Half the width of the first window around the value of the search before, in steps.
const FIRST_MARGIN: i32 = 2 * STEPS_PER_DISC;
/// The same in a deep search.
const DEEP_FIRST_MARGIN: i32 = STEPS_PER_DISC;
/// The cost of each reply, beside the value, when moves of a deep search are ordered; in steps.
const DEEP_MOBILITY_WEIGHT: i32 = STEPS_PER_DISC / 2;

/// What a search to a depth goes by. To 12 plies with 40 empty squares, what deep ones go by takes a tenth fewer nodes
/// than what the others do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// The ply of the leaves: moves are rated by the weights of its phase.
    pub(super) leaf_ply: u32,
    /// The cost of each reply, beside the value, when moves are ordered; in steps.
    pub(super) mobility_weight: i32,
    /// Half the width of the first window around the value of the search before, in steps.
    pub(super) first_margin: i32,
}

impl Tuning {
    /// The tuning of one search of those that go deeper and deeper, up to `deepest`; 0 where they go by probability.
    pub(super) fn of(position: &Position, depth: u32, deepest: u32) -> Self {
        let (mobility_weight, first_margin) = if deepest < DEEP {
            (MOBILITY_WEIGHT, FIRST_MARGIN)
        } else {
            (DEEP_MOBILITY_WEIGHT, DEEP_FIRST_MARGIN)
        };
        Self { leaf_ply: position.ply() + depth, mobility_weight, first_margin }
    }
}
