//! The settings that depend on the depth of a search, such as the width of the first window.

use super::ordering::MOBILITY_WEIGHT;
use crate::board::Position;
use crate::eval::STEPS_PER_DISC;

/// The settings for deep searches apply if the depth of the last iteration is at least this.
const DEEP: u32 = 11;
const FIRST_MARGIN: i32 = 2 * STEPS_PER_DISC;
const DEEP_FIRST_MARGIN: i32 = STEPS_PER_DISC;
const DEEP_MOBILITY_WEIGHT: i32 = STEPS_PER_DISC / 2;

/// The settings of a search that depend on its depth. The settings for deep searches save a tenth
/// of the nodes at depth 12 with 40 empty squares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// The ply of the leaves. The weights of its phase order the moves at all plies.
    pub(super) leaf_ply: u32,
    /// The cost, in 1/32 disc, of each reply of the opponent in a move score with a static value.
    pub(super) mobility_weight: i32,
    /// Half the width of the first aspiration window, in steps of 1/32 disc.
    pub(super) first_margin: i32,
}

impl Tuning {
    /// Returns the settings of an iteration to `depth`. `deepest` is the depth of the last
    /// iteration, or 0 in a search by realization probability.
    pub(super) fn of(position: &Position, depth: u32, deepest: u32) -> Self {
        let (mobility_weight, first_margin) = if deepest < DEEP {
            (MOBILITY_WEIGHT, FIRST_MARGIN)
        } else {
            (DEEP_MOBILITY_WEIGHT, DEEP_FIRST_MARGIN)
        };
        Self { leaf_ply: position.ply() + depth, mobility_weight, first_margin }
    }
}
