//! A sequential test of two hypotheses about two players: a match lasts until the test decides.
//!
//! The test is the generalised sequential probability ratio test (SPRT) on pairs of games, in the
//! normal approximation that M. Van den Bergh worked out for fishtest, with the bounds of Wald
//! (1945, "Sequential tests of statistical hypotheses").

use std::str::FromStr;

use derive_more::Display;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::statistics::{Pair, Pentanomial, elo, expected_share};

/// The two differences in Elo points that the hypotheses H0 and H1 state; that of H0 is smaller.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema, Deserialize)]
#[serde(try_from = "[f64; 2]")]
pub struct Hypotheses([f64; 2]);

const MAX_HYPOTHESIS: f64 = 800.0;

impl FromStr for Hypotheses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let both = text.split_once(',').and_then(|(low, high)| Some([number(low)?, number(high)?]));
        // A text without two numbers becomes two NaN, which `try_from` refuses.
        Self::try_from(both.unwrap_or([f64::NAN; 2]))
    }
}

impl TryFrom<[f64; 2]> for Hypotheses {
    type Error = String;

    fn try_from([low, high]: [f64; 2]) -> Result<Self, String> {
        let allowed = low < high && low.abs() <= MAX_HYPOTHESIS && high.abs() <= MAX_HYPOTHESIS;
        allowed.then_some(Self([low, high])).ok_or_else(|| {
            format!(
                "expected two differences in Elo points, the smaller one first, within \
                 ±{MAX_HYPOTHESIS}, such as 0,10"
            )
        })
    }
}

/// The probability that a sequential test decides against a true hypothesis.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema, Deserialize)]
#[serde(try_from = "f64")]
pub struct ErrorRate(f64);

impl FromStr for ErrorRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::try_from(text.parse().unwrap_or(f64::NAN))
    }
}

impl TryFrom<f64> for ErrorRate {
    type Error = String;

    fn try_from(rate: f64) -> Result<Self, String> {
        let allowed = (rate > 0.0 && rate < 0.5).then_some(Self(rate));
        allowed.ok_or_else(|| "expected a probability above 0, below 0.5".to_owned())
    }
}

/// A sequential test of a match.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema, Deserialize)]
pub struct Sprt {
    /// The two hypotheses, H0 and H1, about the difference between the players.
    pub hypotheses: Hypotheses,
    /// The probability that the test accepts H1 although H0 is true.
    pub alpha: ErrorRate,
    /// The probability that the test accepts H0 although H1 is true.
    pub beta: ErrorRate,
}

/// The decision of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, Display)]
pub enum Decision {
    /// Accepts H0: the first player is not better by the difference that H1 states.
    H0,
    /// Accepts H1: the first player is better by more than the difference that H0 states.
    H1,
    /// More pairs are needed.
    #[serde(rename = "open")]
    #[display("open")]
    Open,
}

/// The state of a sequential test after some pairs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SprtReport {
    /// The Elo difference, first player minus second, that H0 states; it is below `elo1`.
    pub elo0: f64,
    /// The Elo difference, first player minus second, that H1 states; it is above `elo0`.
    pub elo1: f64,
    /// The probability of deciding for H1 if H0 is true.
    pub alpha: f64,
    /// The probability of deciding for H0 if H1 is true.
    pub beta: f64,
    /// The logarithm of the ratio of the likelihoods of H1 and H0.
    pub llr: f64,
    /// The bounds of `llr`: at or below the first, H0 is accepted, at or above the second, H1.
    pub llr_bounds: [f64; 2],
    /// The decision.
    pub decision: Decision,
    /// The confidence interval of the difference in Elo points (null: an infinite end). Under any
    /// rule that stops the match, it contains the difference with probability `confidence`. It
    /// excludes `elo0` if and only if the decision is H1, and `elo1` if and only if it is H0.
    pub elo_interval: [Option<f64>; 2],
    /// The probability that `elo_interval` contains the true difference: 1 − alpha − beta.
    pub confidence: f64,
}

impl Sprt {
    /// Returns a function to call with each pair in order. It returns true if the test has decided
    /// after this pair. Without a test, it always returns false.
    pub fn ends(test: Option<Self>) -> impl FnMut(Pair) -> bool {
        let mut counts = Pentanomial::default();
        move |pair| {
            counts.add(pair);
            test.is_some_and(|test| test.decide(&counts) != Decision::Open)
        }
    }

    /// Returns the decision of the test after pairs with the results `counts`.
    pub fn decide(&self, counts: &Pentanomial) -> Decision {
        let [low, high] = self.bounds();
        match self.log_likelihood_ratio(counts) {
            llr if llr >= high => Decision::H1,
            llr if llr <= low => Decision::H0,
            _ => Decision::Open,
        }
    }

    /// Returns the state of the test after pairs with the results `counts`.
    pub fn report(&self, counts: &Pentanomial) -> SprtReport {
        let [elo0, elo1] = self.hypotheses.0;
        SprtReport {
            elo0,
            elo1,
            alpha: self.alpha.0,
            beta: self.beta.0,
            llr: self.log_likelihood_ratio(counts),
            llr_bounds: self.bounds(),
            decision: self.decide(counts),
            elo_interval: self.interval(counts),
            confidence: 1.0 - (self.alpha.0 + self.beta.0),
        }
    }

    /// Returns the lower and upper bound (Wald) on the log-likelihood ratio at which the test ends.
    fn bounds(&self) -> [f64; 2] {
        let (alpha, beta) = (self.alpha.0, self.beta.0);
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    fn shares(&self) -> [f64; 2] {
        self.hypotheses.0.map(expected_share)
    }

    fn log_likelihood_ratio(&self, counts: &Pentanomial) -> f64 {
        let Some(mean) = counts.mean_share() else { return 0.0 };
        let [low, high] = self.shares();
        let pairs = counts.pairs() as f64;
        pairs * (high - low) * (2.0 * mean - low - high) / (2.0 * counts.variance())
    }

    /// Returns [`SprtReport::elo_interval`], with `None` for an infinite end. If both hypotheses
    /// moved by the same share of points, the lower end is the largest H0, and the upper end the
    /// smallest H1, that the test would reject after these pairs.
    fn interval(&self, counts: &Pentanomial) -> [Option<f64>; 2] {
        let Some(mean) = counts.mean_share() else { return [None, None] };
        let [low, high] = self.shares();
        let width = high - low;
        let reach = |bound: f64| counts.variance() * bound / (width * counts.pairs() as f64);
        let [below, above] = self.bounds();
        let ends = [mean - width / 2.0 - reach(above), mean + width / 2.0 - reach(below)];
        ends.map(|share| (0.0 < share && share < 1.0).then(|| elo(share)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::statistics::share;
    use super::*;
    use othello_engine::random::Generator;

    fn sprt(hypotheses: &str) -> Sprt {
        let [alpha, beta] = ["0.05"; 2].map(|rate| rate.parse().unwrap());
        Sprt { hypotheses: hypotheses.parse().unwrap(), alpha, beta }
    }

    /// The probabilities that a pair of games gives the first simulated player 0 to 4 half points.
    struct Players([f64; 5]);

    impl Players {
        /// Changes the distribution `base` of half points so that the mean share of points is the
        /// expected one at the Elo difference `elo`: multiplies the probability of n half points by
        /// tⁿ for a suitable t.
        fn new(base: [f64; 5], elo: f64) -> Self {
            let tilted = |tilt: f64| {
                let weights = [0, 1, 2, 3, 4].map(|half| base[half] * tilt.powi(half as i32));
                weights.map(|weight| weight / weights.iter().sum::<f64>())
            };
            let mean = |p: [f64; 5]| (0..).zip(p).map(|(half, p)| share(half) * p).sum::<f64>();
            let (mut low, mut high) = (1e-6, 1e6);
            for _ in 0..200 {
                let middle = f64::sqrt(low * high);
                if mean(tilted(middle)) < expected_share(elo) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            Self(tilted(low))
        }

        fn pair(&self, random: &mut Generator) -> Pair {
            let drawn = f64::from(random.below(1 << 30)) / f64::from(1 << 30);
            let mut sum = 0.0;
            let half = self.0.iter().position(|p| {
                sum += p;
                drawn < sum
            });
            Pair([[-2, -2], [-2, 0], [2, -2], [2, 0], [2, 2]][half.unwrap_or(4)])
        }
    }

    /// Adds random pairs until the test decides or there are `most` pairs. After each pair, the Elo
    /// interval must exclude `elo0` exactly if H1 is accepted, and `elo1` exactly if H0 is
    /// accepted.
    fn run(sprt: &Sprt, players: &Players, seed: u64, most: usize) -> Pentanomial {
        let mut random = Generator::split(1, seed);
        let mut counts = Pentanomial::default();
        while counts.pairs() < most {
            counts.add(players.pair(&mut random));
            let SprtReport { elo0, elo1, decision, elo_interval: [low, high], .. } =
                sprt.report(&counts);
            let leaves_out =
                [low.is_some_and(|low| low >= elo0), high.is_some_and(|high| high <= elo1)];
            let decided = [decision == Decision::H1, decision == Decision::H0];
            assert_eq!(leaves_out, decided, "{counts:?}");
            if decision != Decision::Open {
                break;
            }
        }
        counts
    }

    const BASES: [[f64; 5]; 4] = [
        [0.1, 0.05, 0.7, 0.05, 0.1],
        [0.25, 0.0, 0.5, 0.0, 0.25],
        [0.02, 0.03, 0.9, 0.03, 0.02],
        [0.05, 0.2, 0.5, 0.2, 0.05],
    ];

    /// Simulates 200 matches for each distribution of results and each true hypothesis. Fails if 20
    /// or more decisions are wrong; at an error rate of 5 %, this has a probability of 1/400.
    #[test]
    fn decisions_are_wrong_as_rarely_as_they_say_and_never_against_the_interval() {
        for hypotheses in ["0,50", "-20,30", "100,200"] {
            let sprt = sprt(hypotheses);
            for (base, truth) in BASES.into_iter().flat_map(|base| [(base, 0), (base, 1)]) {
                let elo = sprt.hypotheses.0[truth];
                let players = Players::new(base, elo);
                let (mut wrong, mut missed) = (0, 0);
                for seed in 0..200 {
                    let report = sprt.report(&run(&sprt, &players, seed, 5_000));
                    assert_ne!(report.decision, Decision::Open);
                    wrong += usize::from(report.decision == [Decision::H1, Decision::H0][truth]);
                    let [low, high] = report.elo_interval;
                    let holds =
                        low.is_none_or(|low| low < elo) && high.is_none_or(|high| elo < high);
                    missed += usize::from(!holds);
                }
                assert!(wrong < 20, "{hypotheses} {base:?}, H{truth}: {wrong} wrong");
                // The interval may miss the true difference with a probability of 0.05 + 0.05.
                assert!(missed < 34, "{hypotheses} {base:?}, H{truth}: {missed} missed");
            }
        }
    }

    /// Three pairs end 2 : 0, one 1 : 1. `variance` adds a lost and a won pair, so the shares of
    /// points are 0, ½ and four times 1: mean ¾, variance (4 + ¼) / 6 − 9/16.
    #[test]
    fn the_ratio_is_that_worked_by_hand() {
        let pairs = [[Pair([2, 2]); 3].to_vec(), vec![Pair([2, -2])]].concat();
        let counts = Pentanomial::new(&pairs);
        assert_eq!(counts.0, [0, 0, 1, 0, 3]);
        let report = sprt("0,100").report(&counts);
        let (high, variance) = (1.0 / (1.0 + 10f64.powf(-0.25)), 17.0 / 24.0 - 9.0 / 16.0);
        let expected = 4.0 * (high - 0.5) * (1.75 - 0.5 - high) / (2.0 * variance);
        assert!((report.llr - expected).abs() < 1e-12, "{report:?}");
        assert!((report.llr_bounds[1] - 19f64.ln()).abs() < 1e-12);
        assert!((report.llr_bounds[0] + 19f64.ln()).abs() < 1e-12);
        assert_eq!((report.decision, report.confidence), (Decision::Open, 0.9));
    }

    /// A regression: a few pairs with equal results, of variance 0, decided the sequential test.
    #[test]
    fn a_few_pairs_alike_decide_nothing() {
        let sprt = sprt("0,50");
        for pair in [Pair([2, 2]), Pair([2, 0]), Pair([2, -2]), Pair([-2, -2])] {
            assert_eq!(sprt.decide(&Pentanomial::new(&[pair; 3])), Decision::Open, "{pair:?}");
        }
        assert_eq!(sprt.decide(&Pentanomial::default()), Decision::Open);
        assert_eq!(sprt.report(&Pentanomial::default()).elo_interval, [None, None]);
    }

    #[test]
    fn hypotheses_and_rates_are_read_and_nonsense_is_refused() {
        assert_eq!("-5, 5".parse::<Hypotheses>(), Ok(Hypotheses([-5.0, 5.0])));
        for bad in ["5", "5,5", "10,0", "0,x", "0,NaN", "0,801", "-inf,0", ""] {
            assert!(bad.parse::<Hypotheses>().unwrap_err().contains("such as 0,10"), "{bad}");
        }
        for bad in ["0", "0.5", "-0.1", "NaN", "x"] {
            assert!(bad.parse::<ErrorRate>().is_err(), "{bad}");
        }
    }
}
