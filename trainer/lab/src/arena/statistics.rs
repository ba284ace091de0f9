use othello_engine::board::Discs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, ContinuousCDF as _, StudentsT};

/// The first player's scores in the two games of an opening, played with colours exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair(pub [Discs; 2]);

impl Pair {
    fn half_points(self) -> usize {
        self.0.iter().map(|score| (1 + score.signum()) as usize).sum()
    }

    fn share(self) -> f64 {
        share(self.half_points())
    }

    fn mean_discs(self) -> f64 {
        f64::from(self.0[0] + self.0[1]) / 2.0
    }
}

/// The numbers of pairs in which the first player got 0 (two losses) to 4 (two wins) half points.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Pentanomial(pub [usize; 5]);

impl Pentanomial {
    /// Counts `pairs` by the first player's half points.
    pub fn new(pairs: &[Pair]) -> Self {
        let mut counts = Self::default();
        pairs.iter().for_each(|&pair| counts.add(pair));
        counts
    }

    /// Counts a pair.
    pub fn add(&mut self, pair: Pair) {
        self.0[pair.half_points()] += 1;
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> usize {
        self.0.iter().sum()
    }

    pub(super) fn mean_share(&self) -> Option<f64> {
        let points: f64 = (0..).zip(self.0).map(|(half, count)| share(half) * count as f64).sum();
        let pairs = self.pairs();
        (pairs > 0).then(|| points / pairs as f64)
    }

    /// Returns the variance of the first player's share of points over the pairs and two added
    /// pairs: one of two losses, one of two wins. Without these, the first few pairs, which often
    /// have equal results, would have variance 0 and decide the sequential test.
    pub(super) fn variance(&self) -> f64 {
        let [lost_both, lost, even, won, won_both] = self.0;
        let counts = [lost_both + 1, lost, even, won, won_both + 1];
        let all = counts.iter().sum::<usize>() as f64;
        let moment = |power: i32| -> f64 {
            let of = |(half, count): (usize, usize)| share(half).powi(power) * count as f64;
            (0..).zip(counts).map(of).sum::<f64>() / all
        };
        moment(2) - moment(1).powi(2)
    }
}

pub(super) fn share(half_points: usize) -> f64 {
    half_points as f64 / 4.0
}

/// The statistics of a match, for the first player. The confidence intervals (95 %) are computed
/// from pairs of games, since the two games of an opening are not independent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// The number of games that the first player won.
    pub wins: usize,
    /// The number of games drawn.
    pub draws: usize,
    /// The number of games that the first player lost.
    pub losses: usize,
    /// The mean score of a game in discs, for the first player.
    pub mean_discs: f64,
    /// Half the width of the 95 % confidence interval of `mean_discs`, in discs; null with fewer
    /// than two pairs.
    pub mean_discs_error: Option<f64>,
    /// The difference in Elo points, first player minus second. It is limited to ±[`MAX_ELO`],
    /// since it would be infinite if one player won every game.
    pub elo: f64,
    /// Half the width of `elo_interval`; null if an end of this interval is infinite.
    pub elo_error: Option<f64>,
    /// The 95 % confidence interval of `elo`; finite ends are limited to ±[`MAX_ELO`]. The lower
    /// end is null (−∞) if every game was lost, the upper end is null (∞) if every game was won.
    pub elo_interval: [Option<f64>; 2],
    /// The number of pairs with more points for the first player.
    pub pairs_won: usize,
    /// The number of pairs with equal points.
    pub pairs_even: usize,
    /// The number of pairs with more points for the second player.
    pub pairs_lost: usize,
    /// The numbers of pairs by the first player's half points, 0 (two losses) to 4 (two wins).
    pub pentanomial: Pentanomial,
    /// The two-sided p-value: the probability that equal players differ at least as much as in this
    /// match. It is below [`SIGNIFICANT`] exactly if `elo_interval` excludes 0. If one player won
    /// both games of every pair, the p-value is that of the exact sign test.
    pub p_value: f64,
}

/// The largest difference in Elo points that is reported.
pub const MAX_ELO: f64 = 1200.0;

/// The p-value below which a difference counts as proven: 1 minus the confidence of 95 %.
pub const SIGNIFICANT: f64 = 0.05;

impl Statistics {
    /// Computes the statistics of pairs.
    pub fn new(pairs: &[Pair]) -> Self {
        let games = || pairs.iter().flat_map(|pair| pair.0);
        let count = |sign| games().filter(|score| score.signum() == sign).count();
        let pentanomial = Pentanomial::new(pairs);
        let [lost_both, lost, pairs_even, won, won_both] = pentanomial.0;
        let discs: Vec<f64> = pairs.iter().map(|pair| pair.mean_discs()).collect();
        let shares: Vec<f64> = pairs.iter().map(|pair| pair.share()).collect();
        let [lower, upper] =
            [0.0, 1.0].map(|added| WeightedMean::of(shares.iter().copied().chain([added])));
        let low = lower.quantile(SIGNIFICANT / 2.0);
        let high = upper.quantile(1.0 - SIGNIFICANT / 2.0);
        let elo_interval = [(low > 0.0).then(|| elo(low)), (high < 1.0).then(|| elo(high))];
        Self {
            wins: count(1),
            draws: count(0),
            losses: count(-1),
            mean_discs: mean(&discs).unwrap_or(0.0),
            mean_discs_error: mean_error(&discs),
            elo: mean(&shares).map_or(0.0, elo),
            elo_error: elo_interval[0].zip(elo_interval[1]).map(|(low, high)| (high - low) / 2.0),
            elo_interval,
            pairs_won: won + won_both,
            pairs_even,
            pairs_lost: lost_both + lost,
            pentanomial,
            p_value: (2.0 * lower.below(0.5).min(1.0 - upper.below(0.5))).min(1.0),
        }
    }
}

/// The distribution of Σ wᵢ xᵢ for numbers xᵢ from 0 to 1 and random weights wᵢ ≥ 0, uniformly
/// distributed among those with Σ wᵢ = 1. It gives confidence bounds of the first player's expected
/// share of a pair's points (Gaffke 2005, "Three test statistics for a nonparametric one-sided
/// hypothesis on the mean of a nonnegative variable"; Learned-Miller and Thomas 2019, "A new
/// confidence interval for the mean of a bounded random variable"). At confidence 1 − α,
/// the lower bound is the α/2 quantile, if the xᵢ are the shares in all pairs and an added 0. The
/// upper bound is the 1 − α/2 quantile, with an added 1 instead. If all shares are 0 or 1, the
/// bounds are those of Clopper and Pearson.
enum WeightedMean {
    /// The weighted mean, which is certain because all numbers are equal.
    Certain(f64),
    /// A beta distribution with the mean and variance of Σ wᵢ xᵢ; exact if every xᵢ is 0 or 1.
    Spread(Beta),
}

impl WeightedMean {
    fn of(numbers: impl Iterator<Item = f64> + Clone) -> Self {
        let count = numbers.clone().count() as f64;
        let mean = numbers.clone().sum::<f64>() / count;
        let squares = numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / count;
        // The variance of the weighted mean is `squares` / (`count` + 1).
        let strength = mean * (1.0 - mean) * (count + 1.0) / squares - 1.0;
        match Beta::new(mean * strength, (1.0 - mean) * strength) {
            Ok(beta) if strength.is_finite() => Self::Spread(beta),
            _ => Self::Certain(mean),
        }
    }

    fn below(&self, share: f64) -> f64 {
        match self {
            Self::Certain(mean) => f64::from(u8::from(*mean <= share)),
            Self::Spread(beta) => beta.cdf(share),
        }
    }

    fn quantile(&self, probability: f64) -> f64 {
        let beta = match self {
            Self::Certain(mean) => return *mean,
            Self::Spread(beta) => beta,
        };
        // Bisection: 60 halvings of 0 to 1 reach the precision of `f64`.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if beta.cdf(middle) < probability { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns half the width of Student's 95 % interval of a mean; `None` for fewer than two values.
fn mean_error(values: &[f64]) -> Option<f64> {
    let (mean, freedom) = (mean(values)?, values.len() as f64 - 1.0);
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let standard_error = (squares / freedom / values.len() as f64).sqrt();
    Some(student.inverse_cdf(1.0 - SIGNIFICANT / 2.0) * standard_error)
}

pub(super) fn elo(share: f64) -> f64 {
    (400.0 * (share / (1.0 - share)).log10()).clamp(-MAX_ELO, MAX_ELO)
}

/// Estimates the smallest difference in Elo points that `pairs` pairs prove at 99 % confidence with
/// probability 0.9. The better player's expected share is ½ + (z₀.₉₉₅ + z₀.₉) · σ / √pairs,
/// with quantiles z of the standard normal distribution. σ ≈ 0.32 is the standard deviation of the
/// share of points in a pair between similar players at depth 4.
pub fn smallest_elo(pairs: usize) -> f64 {
    elo((0.5 + (2.5758 + 1.2816) * 0.32 / (pairs as f64).sqrt()).min(1.0))
}

pub(super) fn expected_share(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::random::Generator;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-3, "{found} against {expected}");
    }

    #[test]
    fn a_match_against_oneself_is_even() {
        let pairs = [Pair([10, -10]), Pair([-3, 3]), Pair([0, 0])];
        let found = Statistics::new(&pairs);
        assert_eq!((found.wins, found.draws, found.losses), (2, 2, 2));
        assert_eq!((found.mean_discs, found.elo), (0.0, 0.0));
        assert_eq!((found.pairs_even, found.p_value), (3, 1.0));
        // Three pairs prove little, even if all are even, so the interval must be wide.
        let [low, high] = found.elo_interval.map(Option::unwrap);
        close(low, -high);
        assert!(low < -100.0, "{low}");
    }

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
        // The mean scores of the pairs are four times 6, 7, four times 2, and −5; their squared
        // deviations from 3.4 total 118.4. Student's quantile for 9 degrees of freedom is 2.262157.
        close(found.mean_discs_error.unwrap(), 2.262_157 * (118.4_f64 / 9.0 / 10.0).sqrt());
        // For 0.75 of the points, the difference is 400 log10(0.75 / 0.25) Elo.
        close(found.elo, 190.849);
        let [low, high] = found.elo_interval.map(Option::unwrap);
        close(found.elo_error.unwrap(), (high - low) / 2.0);
    }

    /// Clopper–Pearson 95 % intervals: 34.75–93.33 % for 7 wins of 10, 83.16–100 % for 20 of 20.
    #[test]
    fn pairs_won_or_lost_outright_have_the_exact_binomial_interval_and_sign_test() {
        let of = |won, lost| {
            let pairs = [vec![Pair([2, 2]); won], vec![Pair([-2, -2]); lost]].concat();
            Statistics::new(&pairs)
        };
        let found = of(7, 3);
        let [low, high] = found.elo_interval.map(Option::unwrap);
        close(low, elo(0.347_547_1));
        close(high, elo(0.933_260_5));
        // The two-sided p-value of the sign test for 7 wins of 10 is 2 (1 + 10 + 45 + 120) / 2^10.
        close(found.p_value, 352.0 / 1024.0);
        let all = of(20, 0);
        assert_eq!((all.elo, all.elo_error), (MAX_ELO, None));
        assert_eq!(all.elo_interval[1], None);
        close(all.elo_interval[0].unwrap(), elo(0.831_566_5));
        close(all.p_value * 1e6, 2e6 / f64::from(1 << 20));
        let none = of(0, 20);
        assert_eq!((none.elo, none.elo_interval[0]), (-MAX_ELO, None));
        close(none.elo_interval[1].unwrap(), -all.elo_interval[0].unwrap());
    }

    /// A regression: for a match with nearly all games won, the report contained `+636 ± -240 Elo`.
    #[test]
    fn an_interval_has_its_ends_in_order_and_holds_the_difference() {
        for lost in [Pair([2, -2]), Pair([2, 0]), Pair([-2, -2])] {
            let pairs = [vec![Pair([20, 30]); 99], vec![lost]].concat();
            let found = Statistics::new(&pairs);
            let [low, high] = found.elo_interval.map(Option::unwrap);
            assert!(0.0 < low && low < found.elo && found.elo <= high, "{found:?}");
            assert!(found.elo_error.unwrap() > 0.0, "{found:?}");
        }
    }

    /// The p-value and the interval must come from the same test, lest they contradict each other.
    #[test]
    fn a_difference_is_proven_where_the_interval_leaves_out_none() {
        let mut proven = 0;
        for (won, lost, half, even) in (0..12).flat_map(|won| {
            (0..8).flat_map(move |lost| {
                (0..6).flat_map(move |half| [0, 5, 40].map(|even| (won, lost, half, even)))
            })
        }) {
            let pairs = [
                vec![Pair([2, 2]); won],
                vec![Pair([-2, -2]); lost],
                vec![Pair([2, 0]); half],
                vec![Pair([2, -2]); even],
            ];
            let found = Statistics::new(&pairs.concat());
            let above = found.elo_interval[0].is_some_and(|low| low > 0.0);
            let below = found.elo_interval[1].is_some_and(|high| high < 0.0);
            assert_eq!(found.p_value < SIGNIFICANT, above || below, "{found:?}");
            proven += usize::from(above || below);
        }
        assert!(proven > 100, "{proven}");
    }

    /// Between equal players, at most one in twenty 95 % intervals may exclude the difference 0.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let mut random = Generator::new(1);
        // The possible results of a pair, as between equal players from openings near even.
        let outcomes = [[2, 2], [2, 0], [2, -2], [0, 0], [-2, 2], [0, -2], [-2, -2], [2, -2]];
        for pairs in [5, 20, 100] {
            let missed = (0..2_000).filter(|_| {
                let draw = |_| Pair(outcomes[random.below(outcomes.len() as u32) as usize]);
                Statistics::new(&(0..pairs).map(draw).collect::<Vec<_>>()).p_value < SIGNIFICANT
            });
            let missed = missed.count();
            assert!(missed <= 115, "{missed} of 2000 matches of {pairs} pairs");
        }
    }

    #[test]
    fn nothing_is_finite() {
        let none = Statistics::new(&[]);
        assert_eq!((none.elo, none.p_value, none.mean_discs), (0.0, 1.0, 0.0));
        assert_eq!((none.elo_error, none.mean_discs_error), (None, None));
        assert_eq!(none.elo_interval, [None, None]);
        let one = Statistics::new(&[Pair([2, 0])]);
        assert_eq!(one.mean_discs_error, None);
        assert!(one.p_value > 0.5 && one.elo_error.unwrap() > 0.0, "{one:?}");
    }
}
