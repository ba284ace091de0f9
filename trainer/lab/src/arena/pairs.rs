//! Pairs of games, and the distribution of their results.

use othello_engine::board::Discs;
use serde::{Deserialize, Serialize};

/// The first player's scores in the two games of an opening, played with colours exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair(pub [Discs; 2]);

impl Pair {
    /// Returns the first player's half points: per game 2 for a win, 1 for a draw, 0 for a loss.
    pub(super) fn half_points(self) -> i32 {
        self.0.iter().map(|score| 1 + score.signum()).sum()
    }

    /// Returns the first player's score in discs, averaged over both games.
    pub(super) fn discs(self) -> f64 {
        f64::from(self.0[0] + self.0[1]) / 2.0
    }
}

/// The number of pairs by half points of the first player, from 0 (two losses) to 4 (two wins).
#[derive(
    Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Pentanomial([usize; 5]);

impl Pentanomial {
    /// Counts `pairs` by the first player's half points.
    pub fn new(pairs: &[Pair]) -> Self {
        let mut counts = Self::default();
        pairs.iter().for_each(|&pair| counts.add(pair));
        counts
    }

    /// Counts a pair.
    pub fn add(&mut self, pair: Pair) {
        self.0[pair.half_points() as usize] += 1;
    }

    /// Returns the numbers of pairs in which the first player has 0, 1, 2, 3 and 4 half points.
    pub fn counts(&self) -> [usize; 5] {
        self.0
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> usize {
        self.0.iter().sum()
    }

    /// Returns the first player's mean share of the points, 0 to 1; `None` without pairs.
    pub(super) fn mean_share(&self) -> Option<f64> {
        let points: f64 = (0..).zip(self.0).map(|(half, count)| share(half) * count as f64).sum();
        let pairs = self.pairs();
        (pairs > 0).then(|| points / pairs as f64)
    }

    /// Returns the variance over pairs of the first player's share of points. Two pairs are added
    /// to those played: one of two losses, and one of two wins. Without them, the first few pairs,
    /// which often have equal results, would have variance 0 and decide the sequential test.
    pub(super) fn variance(&self) -> f64 {
        let [lost, .., won] = self.0;
        let mut counts = self.0;
        (counts[0], counts[4]) = (lost + 1, won + 1);
        let all = counts.iter().sum::<usize>() as f64;
        let moment = |power: i32| -> f64 {
            let of = |(half, count): (u32, usize)| share(half).powi(power) * count as f64;
            (0..).zip(counts).map(of).sum::<f64>() / all
        };
        moment(2) - moment(1).powi(2)
    }
}

pub(super) fn share(half_points: u32) -> f64 {
    f64::from(half_points) / 4.0
}
