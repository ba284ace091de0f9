//! Learning curves: a recipe's error as a function of the amount of data, and a fitted power law.

use ndarray::Array1;
use othello_engine::board::Phase;
use othello_engine::run::Stage;
use othello_engine::text::Invalid;
use serde::Serialize;

use super::Recipe;
use super::fits::{Study, Tested};
use crate::{LabError, Result};
use othello_fit::dataset::Share;
use othello_fit::metrics::ErrorsByGame;

/// The errors of a recipe as a function of the amount of data.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Curve {
    /// The name of the recipe.
    pub recipe: String,
    /// The points, one for each share of the training games, the smallest share first.
    pub points: Vec<Point>,
    /// The law fitted to all points: error = floor + scale · games^−exponent.
    pub law: Law,
    /// The error at the largest share of the games, predicted from the errors at smaller shares.
    pub prediction: Prediction,
    /// The mean absolute error, in discs, that `law` predicts for twice as many training games as
    /// in the point with the most games.
    pub twice: f64,
    /// The phases with test positions.
    pub phases: Vec<PhaseCurve>,
    /// The number of seeds with which the recipe was fitted to each share of the games.
    pub seeds: u64,
    /// The test games.
    #[serde(flatten)]
    pub tested: Tested,
    /// The wall time of the command, in seconds.
    pub seconds: f64,
}

/// The errors of weights that were fitted to a share of the games.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Point {
    /// The share of the training games, above 0 and at most 1, that the fits of this point use.
    pub share: Share,
    /// The number of training games, as a mean over the seeds.
    pub games: f64,
    /// The mean over the seeds of the mean absolute error, in discs.
    pub mae: f64,
    /// The standard error of `mae`, estimated from its spread over seeds; null for one seed.
    pub mae_error: Option<f64>,
    /// The mean absolute error of the fit with each seed, in discs.
    pub by_seed: Vec<f64>,
}

/// The errors of a phase as a function of the amount of data.
#[derive(Serialize, schemars::JsonSchema)]
pub struct PhaseCurve {
    /// The phase.
    pub phase: Phase,
    /// The number of test positions of this phase, each counted with its weight.
    pub positions: f64,
    /// The mean absolute error in discs at each share of the training games, smallest share first.
    pub mae: Vec<f64>,
    /// The power law error = floor + scale · games^−exponent, fitted to `mae` at all shares.
    pub law: Law,
    /// The error at the largest share of the games, predicted from the errors at smaller shares.
    pub prediction: Prediction,
}

impl Curve {
    /// The least number of points of a curve: enough to fit a [`Law`], and one more to test it.
    pub const SHARES: usize = Law::AMOUNTS + 1;

    /// Returns the run's stages: only one, with a fit for each share of the games and each seed.
    pub fn stages(shares: &[Share], seeds: u64) -> Vec<Stage> {
        vec![Stage::new("curve (fits)", shares.len() as u64 * seeds, 1)]
    }

    /// Fits a recipe to each share of the games, in ascending order, with every seed.
    pub fn of(recipe: Recipe, shares: &[Share], seeds: u64, study: &Study<'_>) -> Result<Self> {
        let fit = |unit: u64| {
            let (share, number) = (shares[(unit / seeds) as usize], unit % seeds);
            let settings = recipe.settings_with(number, share);
            study.fit(&recipe, &settings, &format!("share-{share}-{number}"))
        };
        let fitted = study.run.steps(0, fit, study.progress)?;
        let measured = fitted.iter().map(|fitted| Ok((fitted.games as f64, study.errors(fitted)?)));
        let measured = measured.collect::<Result<Vec<Measured>>>()?;
        let points_on = |phases: &[usize]| -> Option<Vec<Point>> {
            let by_share = shares.iter().zip(measured.chunks(seeds as usize));
            by_share.map(|(&share, fits)| Point::of(share, fits, phases)).collect()
        };
        let points = points_on(&study.phases()).ok_or(LabError::NoTestPositions)?;
        let (law, prediction) = law_and_prediction(&points).ok_or_else(|| {
            let remedy = "give the recipe more data, or name larger shares";
            Invalid(format!("the shares have too few games; {remedy}"))
        })?;
        let most = points.iter().map(|point| point.games).fold(0.0, f64::max);
        let of_phase = |phase: Phase| {
            let points = points_on(&[phase.index()])?;
            let (law, prediction) = law_and_prediction(&points)?;
            let positions = measured.first()?.1.weight.column(phase.index()).sum();
            let mae = points.iter().map(|point| point.mae).collect();
            Some(PhaseCurve { phase, positions, mae, law, prediction })
        };
        let phases = study.settings.phases.iter().filter_map(of_phase).collect();
        let (recipe, twice) = (recipe.name, law.at(2.0 * most));
        let (tested, seconds) = (study.tested(), study.seconds());
        Ok(Self { recipe, points, law, prediction, twice, phases, seeds, tested, seconds })
    }
}

fn law_and_prediction(points: &[Point]) -> Option<(Law, Prediction)> {
    let by_games: Vec<(f64, f64)> = points.iter().map(|point| (point.games, point.mae)).collect();
    Some((Law::fit(&by_games)?, Prediction::of(&by_games)?))
}

/// The number of training games of a fit, and its errors on the test games.
type Measured = (f64, ErrorsByGame);

impl Point {
    /// Creates a point from `fits`, one for each seed; `None` without test positions.
    fn of(share: Share, fits: &[Measured], phases: &[usize]) -> Option<Self> {
        let games: Array1<f64> = fits.iter().map(|&(games, _)| games).collect();
        let mae = |(_, errors): &Measured| errors.on(phases).mean_of_all();
        let by_seed: Array1<f64> = fits.iter().map(mae).collect::<Option<_>>()?;
        let seeds = by_seed.len();
        Some(Self {
            share,
            games: games.mean()?,
            mae: by_seed.mean()?,
            mae_error: (seeds > 1).then(|| by_seed.std(1.0) / (seeds as f64).sqrt()),
            by_seed: by_seed.to_vec(),
        })
    }
}

/// A power law with a floor: error = floor + scale · games^−exponent, where games is the number of
/// training games. With more games, the error approaches the floor but does not reach it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Law {
    /// The mean absolute error in discs that the law approaches as training games increase.
    pub floor: f64,
    /// The error above the floor for one training game: error = floor + scale · games^(−exponent).
    pub scale: f64,
    /// The exponent in error = floor + scale · games^(−exponent).
    pub exponent: f64,
}

/// A law fitted to all amounts of data except the largest, and its prediction for that amount.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Prediction {
    /// The law that was fitted to the errors for all numbers of training games except the largest.
    pub law: Law,
    /// The mean absolute error, in discs, for the largest number of training games, as predicted by
    /// `law`, which was fitted to the smaller numbers only.
    pub predicted: f64,
    /// The mean absolute error, in discs, that was measured for the largest number of games.
    pub measured: f64,
    /// The predicted error minus the measured one, in percent of the measured one.
    pub missed_percent: f64,
}

impl Law {
    /// The least number of points, with different numbers of games, to which a law can be fitted.
    pub const AMOUNTS: usize = 3;

    /// Fits a law to points (number of training games, error) by least squares, with `floor` and
    /// `scale` ≥ 0. `None` if a number of games is not above 0, or if there are fewer than
    /// [`Self::AMOUNTS`] different numbers of games.
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let mut amounts: Vec<f64> = points.iter().map(|&(amount, _)| amount).collect();
        amounts.sort_by(f64::total_cmp);
        amounts.dedup();
        let usable = |&amount: &f64| amount.is_finite() && amount > 0.0;
        if amounts.len() < Self::AMOUNTS || !amounts.iter().all(usable) {
            return None;
        }
        let smallest = amounts[0];
        let fitted = |exponent| fit_with(points, exponent, smallest);
        // For a fixed exponent, the law is linear in floor and scale. Exponents are tried in coarse
        // steps, then around the best one in ever finer steps.
        let bounds = (f64::ln(0.02), f64::ln(2.0));
        let (mut lowest, mut highest) = bounds;
        let mut best = fitted(1.0);
        for _ in 0..4 {
            const STEPS: u32 = 60;
            let step = (highest - lowest) / f64::from(STEPS);
            let exponents = (0..=STEPS).map(|number| (lowest + f64::from(number) * step).exp());
            best = exponents.map(fitted).fold(best, |a, b| if b.1 < a.1 { b } else { a });
            let middle = best.0.exponent.ln();
            (lowest, highest) = (bounds.0.max(middle - step), bounds.1.min(middle + step));
        }
        Some(best.0)
    }

    /// Returns the error in discs that the law predicts for `amount` training games.
    pub fn at(&self, amount: f64) -> f64 {
        self.floor + self.scale * amount.powf(-self.exponent)
    }
}

impl Prediction {
    /// Predicts the error for the largest number of games by a law fitted to the points with fewer
    /// games. `None` if no law can be fitted to these points.
    pub fn of(points: &[(f64, f64)]) -> Option<Self> {
        let (amount, _) = points.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let (largest, smaller): (Vec<_>, Vec<_>) =
            points.iter().copied().partition(|point| point.0 == amount);
        let measured = largest.iter().map(|point| point.1).sum::<f64>() / largest.len() as f64;
        let law = Law::fit(&smaller)?;
        let predicted = law.at(amount);
        let missed_percent = 100.0 * (predicted / measured - 1.0);
        Some(Self { law, predicted, measured, missed_percent })
    }
}

/// Fits the law with this exponent to `points` (amount, error) by least squares. Also returns the
/// sum of squared residuals. Divides amounts by the smallest one, `smallest`, for accuracy.
fn fit_with(points: &[(f64, f64)], exponent: f64, smallest: f64) -> (Law, f64) {
    let term = |amount: f64| (amount / smallest).powf(-exponent);
    let count = points.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|point| term(point.0)), mean(&|point| point.1));
    let xy = mean(&|point| (term(point.0) - x) * (point.1 - y));
    let xx = mean(&|point| (term(point.0) - x).powi(2));
    let scale = (xy / xx).max(0.0);
    let (floor, scale) = match y - scale * x {
        floor if floor >= 0.0 => (floor, scale),
        _ => (0.0, x * y / (xx + x * x) + xy / (xx + x * x)),
    };
    let misses = points.iter().map(|point| (floor + scale * term(point.0) - point.1).powi(2)).sum();
    (Law { floor, scale: scale * smallest.powf(exponent), exponent }, misses)
}

#[cfg(test)]
mod tests {
    use othello_engine::random::Generator;

    use super::*;

    fn points(law: Law, noise: f64) -> Vec<(f64, f64)> {
        let mut random = Generator::new(5);
        let mut draw = || f64::from(random.below(2001)) / 1000.0 - 1.0;
        let amounts = [500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0];
        amounts.map(|amount| (amount, law.at(amount) + noise * draw())).to_vec()
    }

    #[test]
    fn a_law_is_found_again_from_its_errors() {
        for (floor, scale, exponent) in [(5.0, 40.0, 0.4), (0.0, 20.0, 0.15), (3.0, 500.0, 1.2)] {
            let law = Law { floor, scale, exponent };
            let found = Law::fit(&points(law, 0.0)).unwrap();
            let near = |a: f64, b: f64| (a - b).abs() < 0.02 * b.max(1.0);
            assert!(near(found.floor, floor) && near(found.exponent, exponent), "{found:?}");
            assert!(near(found.at(1e5), law.at(1e5)), "{found:?}");
        }
    }

    #[test]
    fn the_error_of_the_largest_amount_is_predicted_through_noise() {
        let law = Law { floor: 5.5, scale: 60.0, exponent: 0.45 };
        let prediction = Prediction::of(&points(law, 0.02)).unwrap();
        assert!(prediction.missed_percent.abs() < 1.0, "{prediction:?}");
        let missed = 100.0 * (prediction.predicted - prediction.measured) / prediction.measured;
        assert!((prediction.missed_percent - missed).abs() < 1e-9);
    }

    #[test]
    fn too_few_amounts_determine_nothing_and_errors_that_rise_have_no_slope() {
        assert_eq!(Law::fit(&[(1.0, 5.0), (2.0, 4.0), (2.0, 4.1)]), None);
        assert_eq!(Law::fit(&[(0.0, 5.0), (2.0, 4.0), (3.0, 4.1)]), None);
        let rising = Law::fit(&[(1.0, 4.0), (2.0, 5.0), (3.0, 6.0)]).unwrap();
        assert_eq!((rising.scale, rising.floor), (0.0, 5.0));
    }
}
