//! What moves cost a search that goes by the probability of lines.

use crate::eval::{MoveKind, Realization, STAGES};

/// The reach that a search to a depth begins with for each ply of it, and that a move of probability
/// 1/4 costs: each depth multiplies the threshold by a quarter, as the source does.
pub(super) const REACH_PER_PLY: u32 = 8;
/// The reach that a move of probability 1/2 costs: probabilities count by their logarithms.
pub(super) const REACH_PER_HALF: i32 = REACH_PER_PLY as i32 / 2;

/// The reach that moves cost, by stage and kind.
#[derive(Debug)]
pub(super) struct Costs(pub(super) Box<[[u8; MoveKind::COUNT]; STAGES]>);

impl Costs {
    /// The costs by a model.
    pub(super) fn new(model: &Realization) -> Self {
        let mut costs = Box::new([[0; MoveKind::COUNT]; STAGES]);
        for (stage, costs) in costs.iter_mut().enumerate() {
            for (kind, cost) in costs.iter_mut().enumerate() {
                let halves = -libm::log2(model.probability(stage, kind));
                *cost = (halves * f64::from(REACH_PER_HALF)).round() as u8;
            }
        }
        Self(costs)
    }

    /// The costs where all moves are as likely as not.
    pub(super) fn even() -> Self {
        Self(Box::new([[REACH_PER_HALF as u8; MoveKind::COUNT]; STAGES]))
    }
}
