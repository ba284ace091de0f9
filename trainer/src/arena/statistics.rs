//! What paired games say about the strength of two players.

use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF as _};

use othello_engine::board::Discs;

/// The two games of an opening, each player once with each colour: the first player's score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair(pub [Discs; 2]);

impl Pair {
    /// Points of the first player in halves: a win 2, a draw 1; 0..=4.
    fn half_points(self) -> i32 {
        self.0.iter().map(|score| 1 + score.signum()).sum()
    }

    fn discs(self) -> f64 {
        f64::from(self.0[0] + self.0[1]) / 2.0
    }
}

/// What a match came to, for the first player. Errors are half the width of a 95 % interval and
/// come from the spread of the pairs: the two games of an opening are not independent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Statistics {
    /// Games won.
    pub wins: usize,
    /// Games drawn.
    pub draws: usize,
    /// Games lost.
    pub losses: usize,
    /// Mean score in discs.
    pub mean_discs: f64,
    /// Its error.
    pub mean_discs_error: f64,
    /// Difference in Elo points; ±[`MAX_ELO`] where one side won everything.
    pub elo: f64,
    /// Its error; null where the points of the pairs do not spread.
    pub elo_error: Option<f64>,
    /// Pairs with more points for the first player.
    pub pairs_won: usize,
    /// Pairs with equal points.
    pub pairs_even: usize,
    /// Pairs with more points for the second player.
    pub pairs_lost: usize,
    /// How likely a difference at least this large would be between equal players: the two-sided
    /// sign test over the pairs that are not even.
    pub p_value: f64,
}

/// The largest difference that is reported.
pub const MAX_ELO: f64 = 1200.0;

/// 97.5 % of a normal distribution lie below this many standard deviations.
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

impl Statistics {
    /// The statistics of these pairs.
    pub fn new(pairs: &[Pair]) -> Self {
        let games = || pairs.iter().flat_map(|pair| pair.0);
        let count = |sign| games().filter(|score| score.signum() == sign).count();
        let pairs_where =
            |order| pairs.iter().filter(|pair| pair.half_points().cmp(&2) == order).count();
        let (mean_discs, mean_discs_error) = mean_and_error(pairs.iter().map(|pair| pair.discs()));
        let above_half = pairs.iter().map(|pair| f64::from(pair.half_points() - 2) / 4.0);
        let (above_half, share_error) = mean_and_error(above_half);
        let share = 0.5 + above_half;
        let (pairs_won, pairs_lost) =
            (pairs_where(std::cmp::Ordering::Greater), pairs_where(std::cmp::Ordering::Less));
        Self {
            wins: count(1),
            draws: count(0),
            losses: count(-1),
            mean_discs,
            mean_discs_error,
            elo: elo(share),
            elo_error: (share_error > 0.0)
                .then(|| (elo(share + share_error) - elo(share - share_error)) / 2.0),
            pairs_won,
            pairs_even: pairs.len() - pairs_won - pairs_lost,
            pairs_lost,
            p_value: sign_test(pairs_won, pairs_lost),
        }
    }
}

/// The mean of some values and half the width of its 95 % interval; 0 for both without values.
fn mean_and_error(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count.max(1.0);
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    let variance = squares / (count - 1.0).max(1.0);
    (mean, NORMAL_QUANTILE * (variance / count.max(1.0)).sqrt())
}

/// The difference in Elo points that makes a player expect this share of the points.
fn elo(share: f64) -> f64 {
    let difference = 400.0 * (share / (1.0 - share)).log10();
    if difference.is_nan() { 0.0 } else { difference.clamp(-MAX_ELO, MAX_ELO) }
}

/// The exact two-sided sign test: how likely it is that a fair coin falls at least as unevenly.
fn sign_test(won: usize, lost: usize) -> f64 {
    let trials = (won + lost) as u64;
    // One half is a probability.
    let Ok(coin) = Binomial::new(0.5, trials) else { return 1.0 };
    (2.0 * coin.cdf(won.min(lost) as u64)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-3, "{found} against {expected}");
    }

    #[test]
    fn a_match_against_oneself_is_even() {
        let pairs = [Pair([10, -10]), Pair([-3, 3]), Pair([0, 0])];
        let found = Statistics::new(&pairs);
        assert_eq!((found.wins, found.draws, found.losses), (2, 2, 2));
        assert_eq!((found.mean_discs, found.elo, found.elo_error), (0.0, 0.0, None));
        assert_eq!((found.pairs_even, found.p_value), (3, 1.0));
    }

    /// Worked by hand: 8 pairs won, 1 lost, 1 even.
    #[test]
    fn figures_are_those_worked_by_hand() {
        let mut pairs = vec![Pair([10, 2]); 4];
        pairs.extend([Pair([20, -6]); 1]);
        pairs.extend([Pair([4, 0]); 4]);
        pairs.extend([Pair([-8, -2])]);
        let found = Statistics::new(&pairs);
        assert_eq!((found.wins, found.draws, found.losses), (13, 4, 3));
        assert_eq!((found.pairs_won, found.pairs_even, found.pairs_lost), (8, 1, 1));
        close(found.mean_discs, (6.0 * 4.0 + 7.0 + 2.0 * 4.0 - 5.0) / 10.0);
        // Two-sided: 2 (1 + 9) / 2^9.
        close(found.p_value, 20.0 / 512.0);
        // 0.75 of the points: 400 log10 3.
        close(found.elo, 190.849);
        // Points of the pairs: 4 · 1, 1/2, 4 · 3/4, 0; variance 0.875 / 9.
        let error = 1.959_964 * (0.875_f64 / 9.0 / 10.0).sqrt();
        close(found.elo_error.unwrap(), (elo(0.75 + error) - elo(0.75 - error)) / 2.0);
    }

    #[test]
    fn nothing_and_everything_are_finite() {
        let none = Statistics::new(&[]);
        assert_eq!((none.elo, none.p_value, none.mean_discs), (0.0, 1.0, 0.0));
        let all = Statistics::new(&[Pair([64, 64]); 20]);
        assert_eq!(all.elo, MAX_ELO);
        close(all.p_value, 2.0 / f64::from(1 << 20));
    }
}
