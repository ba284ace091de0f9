use ndarray::Array1;
use othello_engine::random::Generator;
use rayon::prelude::*;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use othello_fit::metrics::{ErrorsByGame, GameErrors};

/// The confidence level of the verdicts and intervals of comparisons.
pub const CONFIDENCE: f64 = 0.99;

/// The number of bootstrap samples of games, which estimate the variance due to the games.
const RESAMPLES: u64 = 400;

/// The 90 % quantile of the standard normal distribution. It determines the size of a study that
/// proves a true difference with probability 0.9.
const ONCE_IN_TEN: f64 = 1.2816;

/// An estimated difference in discs, and half the width of its 99 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Estimate {
    /// The mean absolute error of the first recipe or weights minus that of the second, in discs.
    pub difference: f64,
    /// Half the width of the 99 % confidence interval of `difference`, in discs.
    pub difference_error: f64,
}

/// The verdict of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The first recipe has the smaller error.
    First,
    /// The second recipe has the smaller error.
    Second,
    /// Neither recipe's error is proven smaller at 99 % confidence.
    Equal,
}

/// The size of a study that would prove a difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Needed {
    /// The number of seeds with which each of the two recipes is fitted.
    pub seeds: u64,
    /// The number of test games.
    pub games: u64,
}

/// The mean absolute error of the first recipe minus that of the second in discs, and its variance.
/// One part of the variance is due to the seeds of the fits; this part is 0 if there is only one
/// seed. The other part is due to the choice of the test games, and is estimated by the bootstrap.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    seeds: u64,
    games: u64,
    mean: f64,
    variance_of_seeds: f64,
    variance_of_games: f64,
}

impl Difference {
    /// Returns the difference of two recipes' errors in the phases with these indices; `None`
    /// without positions. For each seed, `pairs` has both recipes' errors on the same games.
    pub fn of(pairs: &[[ErrorsByGame; 2]], phases: &[usize]) -> Option<Self> {
        let of = |which: usize| pairs.iter().map(move |pair| pair[which].on(phases)).collect();
        let [first, second]: [Vec<GameErrors>; 2] = [0, 1].map(of);
        Self::between(&first, &second)
    }

    /// Returns the difference of two recipes' errors; `None` without positions or seeds. `first`
    /// and `second` are the errors of each recipe with each seed, all on the same games.
    pub fn between(first: &[GameErrors], second: &[GameErrors]) -> Option<Self> {
        let games = first.first()?.games();
        let by_seed = |counts: &Array1<f64>| -> Option<Array1<f64>> {
            let pairs = first.iter().zip(second);
            pairs.map(|(first, second)| Some(first.mean(counts)? - second.mean(counts)?)).collect()
        };
        let found = by_seed(&Array1::ones(games))?;
        let resampled = (0..RESAMPLES).into_par_iter().filter_map(|number| {
            let mut random = Generator::split(1, number);
            let mut counts = Array1::zeros(games);
            for _ in 0..games {
                counts[random.below_u64(games as u64) as usize] += 1.0;
            }
            by_seed(&counts)?.mean()
        });
        let resampled: Vec<f64> = resampled.collect();
        Some(Self {
            seeds: first.len() as u64,
            games: games as u64,
            mean: found.mean()?,
            variance_of_seeds: match first.len() {
                1 => 0.0,
                seeds => found.var(1.0) / seeds as f64,
            },
            variance_of_games: Array1::from(resampled).var(1.0),
        })
    }

    /// Returns the estimated difference with its confidence interval.
    pub fn estimate(&self) -> Estimate {
        let difference_error = self.quantile() * self.variance().sqrt();
        Estimate { difference: self.mean, difference_error }
    }

    /// Returns the recipe with the smaller error if that is proven, else [`Verdict::Equal`].
    pub fn verdict(&self) -> Verdict {
        let Estimate { difference, difference_error } = self.estimate();
        match difference {
            _ if difference.abs() <= difference_error => Verdict::Equal,
            ..0.0 => Verdict::First,
            _ => Verdict::Second,
        }
    }

    /// Returns the numbers of seeds and games with which a study proves a difference of `discs`
    /// with probability 0.9. In that study, seeds and games each cause half of the variance.
    pub fn needed(&self, discs: f64) -> Needed {
        let allowed = (discs / (self.quantile() + ONCE_IN_TEN)).powi(2) / 2.0;
        let times = |variance: f64, there: u64| {
            ((variance / allowed * there as f64).ceil() as u64).max(there.min(2))
        };
        Needed {
            seeds: times(self.variance_of_seeds, self.seeds),
            games: times(self.variance_of_games, self.games),
        }
    }

    /// Returns the least difference in discs that these seeds and games prove with probability 0.9.
    pub fn smallest(&self) -> f64 {
        (self.quantile() + ONCE_IN_TEN) * self.variance().sqrt()
    }

    fn variance(&self) -> f64 {
        self.variance_of_seeds + self.variance_of_games
    }

    /// Returns half the width of the confidence interval divided by the standard error: a quantile
    /// of Student's t with the Welch–Satterthwaite degrees of freedom.
    fn quantile(&self) -> f64 {
        let by_seeds = self.variance_of_seeds.powi(2) / (self.seeds.max(2) - 1) as f64;
        let by_games = self.variance_of_games.powi(2) / (self.games.max(2) - 1) as f64;
        let freedom = self.variance().powi(2) / (by_seeds + by_games);
        let freedom = if freedom.is_finite() { freedom.max(1.0) } else { 1.0 };
        let student = StudentsT::new(0.0, 1.0, freedom);
        student.map_or(f64::INFINITY, |t| t.inverse_cdf((1.0 + CONFIDENCE) / 2.0))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use othello_engine::board::PHASES;
    use othello_testing::random_games::noise;

    use super::*;

    /// Returns errors of two recipes, those of the first lower by `better` discs. Errors have three
    /// random parts: one for each seed and recipe (standard deviation 0.05 discs), one for each
    /// game (1 disc), and one for each game and recipe (0.5 discs).
    fn study(seed: u64, seeds: usize, games: usize, better: f64) -> Vec<[ErrorsByGame; 2]> {
        let mut random = Generator::new(seed);
        let common: Vec<f64> = (0..games).map(|_| 5.0 + noise(&mut random)).collect();
        let shift = |random: &mut Generator| 0.05 * noise(random);
        let shifts: Vec<[f64; 2]> =
            (0..seeds).map(|_| [shift(&mut random), shift(&mut random)]).collect();
        let own: Vec<[f64; 2]> =
            (0..games).map(|_| [0, 1].map(|_| 0.5 * noise(&mut random))).collect();
        let errors = |recipe: usize, shift: f64| {
            let gain = if recipe == 0 { better } else { 0.0 };
            let error = |(game, phase): (usize, usize)| {
                if phase == 7 { common[game] + own[game][recipe] + shift - gain } else { 0.0 }
            };
            let weight = |(_, phase)| if phase == 7 { 1.0 } else { 0.0 };
            let absolute = Array2::from_shape_fn((games, PHASES), error);
            ErrorsByGame { absolute, weight: Array2::from_shape_fn((games, PHASES), weight) }
        };
        shifts.iter().map(|shift| [errors(0, shift[0]), errors(1, shift[1])]).collect()
    }

    fn overall(pairs: &[[ErrorsByGame; 2]]) -> Difference {
        Difference::of(pairs, &(0..PHASES).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn equal_recipes_are_called_equal_and_better_ones_better() {
        let verdicts = |better: f64| -> Vec<Verdict> {
            let study = |seed| overall(&study(seed, 4, 200, better)).verdict();
            (0..100).map(study).collect()
        };
        let count =
            |verdicts: &[Verdict], wanted| verdicts.iter().filter(|&&v| v == wanted).count();
        assert!(count(&verdicts(0.0), Verdict::Equal) >= 96);
        assert!(count(&verdicts(0.5), Verdict::First) >= 98);
        assert!(count(&verdicts(-0.5), Verdict::Second) >= 98);
    }

    #[test]
    fn what_is_needed_proves_the_difference() {
        let few = overall(&study(1, 3, 60, 0.15));
        assert_eq!(few.verdict(), Verdict::Equal);
        let needed = few.needed(0.15);
        assert!(needed.seeds >= 3 && needed.games > 60, "{needed:?}");
        let enough = |seed| study(seed, needed.seeds as usize, needed.games as usize, 0.15);
        let verdicts = (0..40).map(|seed| overall(&enough(seed)).verdict());
        let proven = verdicts.filter(|&verdict| verdict == Verdict::First).count();
        assert!(proven >= 30, "{proven} of 40 with {needed:?}");
    }

    #[test]
    fn a_phase_without_positions_has_no_difference() {
        let pairs = study(1, 2, 10, 0.1);
        assert!(Difference::of(&pairs, &[7]).is_some());
        assert_eq!(Difference::of(&pairs, &[8]), None);
    }
}
