//! The likely range of the factors' contribution to a value. A pruned search does not compute this
//! contribution if no value in the range would change the result.

use std::sync::LazyLock;

use crate::board::{Phase, Position};
use crate::random::random_game;

const GAMES: u64 = 200;
/// Half the width of the likely range of the factors' contribution, in standard deviations of it.
const DEVIATIONS: f64 = 3.0;

/// Positions of random games. In these, contributions vary more than in a search: ranges are wider.
static SAMPLE: LazyLock<Vec<(Phase, Position)>> = LazyLock::new(|| {
    let steps = (0..GAMES).flat_map(|game| random_game(0, game, usize::MAX).steps);
    steps.filter_map(|step| Some((Phase::of(&step.position)?, step.position))).collect()
});

/// The mean of the factors' contribution to a value, and its likely range, in steps of 1/32 disc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FactorBounds {
    pub(super) least: i32,
    pub(super) mean: i32,
    pub(super) greatest: i32,
}

impl FactorBounds {
    fn of(worths: &[i32]) -> Self {
        let count = worths.len().max(1) as f64;
        let mean = worths.iter().map(|&worth| f64::from(worth)).sum::<f64>() / count;
        let square = |&worth: &i32| (f64::from(worth) - mean) * (f64::from(worth) - mean);
        let deviation = (worths.iter().map(square).sum::<f64>() / count).sqrt();
        let least = (mean - DEVIATIONS * deviation).floor() as i32;
        let greatest = (mean + DEVIATIONS * deviation).ceil() as i32;
        Self { least, mean: mean.round() as i32, greatest }
    }

    /// Returns the bounds over the sample positions whose phases `are_meant` accepts. `worth`
    /// returns the contribution of the factors to a position's value, in steps of 1/32 disc.
    pub(super) fn of_phases(
        are_meant: impl Fn(Phase) -> bool,
        worth: impl Fn(Phase, &Position) -> i32,
    ) -> Self {
        let meant = SAMPLE.iter().filter(|(phase, _)| are_meant(*phase));
        Self::of(&meant.map(|(phase, position)| worth(*phase, position)).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_is_what_lies_within_three_standard_deviations() {
        let likely = FactorBounds::of(&[8, 12, 8, 12]);
        assert_eq!(likely, FactorBounds { least: 4, mean: 10, greatest: 16 });
        assert_eq!(FactorBounds::of(&[]), FactorBounds { least: 0, mean: 0, greatest: 0 });
    }
}
