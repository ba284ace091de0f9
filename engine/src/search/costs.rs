//! The costs of moves in a search by realization probability: negative logarithms of probability.

use crate::eval::{MoveKind, Realization, STAGES};

/// The cost of a move of probability 1/4. A search to depth D has a *reach* of D times this number:
/// it ends a line once the costs of its moves total the reach. So with each ply of depth, the
/// probability at which lines end is divided by 4, as in the paper cited in [`super::realization`].
pub(super) const REACH_PER_PLY: u32 = 8;
/// The cost of a move of probability 1/2: half that of 1/4, because costs are logarithms.
pub(super) const REACH_PER_HALF: i32 = REACH_PER_PLY as i32 / 2;

#[derive(Debug)]
pub(super) struct Costs(pub(super) Box<[[u8; MoveKind::COUNT]; STAGES]>);

impl Costs {
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

    /// Returns costs by which every move has probability 1/2, whatever its kind and the stage.
    pub(super) fn even() -> Self {
        Self(Box::new([[REACH_PER_HALF as u8; MoveKind::COUNT]; STAGES]))
    }
}
