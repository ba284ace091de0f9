//! Learning curves: the error of a recipe as a function of the amount of data, with a power law.

use std::time::Instant;

use ndarray::Array1;
use othello_engine::board::Phase;
use othello_engine::run::Stage;
use othello_engine::text::Invalid;
use serde::Serialize;

use super::fits::{Fitted, Study};
use super::{Law, Prediction, Recipe};
use crate::{LabError, Result};
use othello_fit::dataset::Share;
use othello_fit::metrics::{ErrorsByGame, Overlap};

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
    /// The error that `law` predicts for twice as many training games as in the last point.
    pub twice: f64,
    /// The phases with test positions.
    pub phases: Vec<PhaseCurve>,
    /// The number of seeds with which the recipe was fitted to each share of the games.
    pub seeds: u64,
    /// The number of test games.
    pub test_games: usize,
    /// The kinds of labels of the test positions, with the number of positions of each kind.
    pub test_labels: Vec<(String, u64)>,
    /// The numbers of test games and positions that are also in the training data.
    pub training_has: Overlap,
    /// The time of the study, in seconds.
    pub seconds: f64,
}

/// The errors of weights that were fitted to a share of the games.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Point {
    /// The share of the training games.
    pub share: Share,
    /// The mean number of training games over the seeds.
    pub games: f64,
    /// The mean over the seeds of the mean absolute error, in discs.
    pub mae: f64,
    /// The standard error of `mae`, estimated from the variation over seeds; null for a single
    /// seed.
    pub mae_error: Option<f64>,
    /// The mean absolute error of the fit with each seed, in discs.
    pub by_seed: Vec<f64>,
}

/// The errors of a phase as a function of the amount of data.
#[derive(Serialize, schemars::JsonSchema)]
pub struct PhaseCurve {
    /// The phase.
    pub phase: Phase,
    /// The weight of the test positions, in occurrences.
    pub positions: f64,
    /// The mean absolute error in discs for each share of the training games, the smallest share
    /// first.
    pub mae: Vec<f64>,
    /// The law fitted to the errors at all shares of the games.
    pub law: Law,
    /// The error at the largest share of the games, predicted from the errors at smaller shares.
    pub prediction: Prediction,
}

impl Curve {
    /// The least number of shares of the games: enough to fit a law, and one more to test it.
    pub const SHARES: usize = Law::AMOUNTS + 1;

    /// Returns the run's only stage: a fit for each share of the games and each seed.
    pub fn stages(shares: &[Share], seeds: u64) -> Vec<Stage> {
        vec![Stage::new("curve (fits)", shares.len() as u64 * seeds, 1)]
    }

    /// Fits a recipe to each share of the training games, in ascending order, with every seed, and
    /// measures the errors. `begun` is when the command began.
    pub fn of(
        recipe: Recipe,
        shares: &[Share],
        seeds: u64,
        study: &Study<'_>,
        begun: Instant,
    ) -> Result<Self> {
        let fitted = study.fits(0, |unit| {
            let (share, number) = (shares[(unit / seeds) as usize], unit % seeds);
            let settings = recipe.settings_with(number, share);
            study.fit(&recipe, &settings, &format!("share-{share}-{number}"))
        })?;
        let amount = |(share, of_share): (&Share, &[Fitted])| {
            let games = of_share.iter().map(|fitted| fitted.games).collect();
            let errors = of_share.iter().map(|fitted| study.errors(fitted));
            Ok(Amount { share: *share, games, errors: errors.collect::<Result<_>>()? })
        };
        let amounts = shares.iter().zip(fitted.chunks(seeds as usize)).map(amount);
        let amounts = amounts.collect::<Result<Vec<_>>>()?;
        let points = points(&amounts, &study.phases()).ok_or(LabError::NoTestPositions)?;
        let (law, prediction) = law_and_prediction(&points).ok_or_else(|| {
            let reason = "the shares have too few games; give the recipe more data, or name larger \
                          shares";
            Invalid(reason.to_owned())
        })?;
        let most = points.iter().map(|point| point.games).fold(0.0, f64::max);
        let of_phase = |phase: Phase| {
            let points = self::points(&amounts, &[phase.index()])?;
            let (law, prediction) = law_and_prediction(&points)?;
            let positions = amounts.first()?.errors.first()?.weight.column(phase.index()).sum();
            let mae = points.iter().map(|point| point.mae).collect();
            Some(PhaseCurve { phase, positions, mae, law, prediction })
        };
        Ok(Self {
            recipe: recipe.name,
            law,
            prediction,
            twice: law.at(2.0 * most),
            phases: study.settings.phases.iter().filter_map(of_phase).collect(),
            points,
            seeds,
            test_games: study.test.len(),
            test_labels: study.labels(),
            training_has: study.overlap.clone(),
            seconds: begun.elapsed().as_secs_f64(),
        })
    }
}

/// Returns the law fitted to all points, and a prediction of the last point's error by the law
/// fitted to the other points; `None` if the points do not determine a law.
fn law_and_prediction(points: &[Point]) -> Option<(Law, Prediction)> {
    let by_games: Vec<(f64, f64)> = points.iter().map(|point| (point.games, point.mae)).collect();
    Some((Law::fit(&by_games)?, Prediction::of(&by_games)?))
}

/// The fits to one share of the training games, one for each seed.
struct Amount {
    share: Share,
    /// The number of training games for each seed.
    games: Vec<u64>,
    errors: Vec<ErrorsByGame>,
}

/// Returns the points of the curve for these phases; `None` if they have no test positions.
fn points(amounts: &[Amount], phases: &[usize]) -> Option<Vec<Point>> {
    let point = |Amount { share, games, errors }: &Amount| {
        let games: Array1<f64> = games.iter().map(|&games| games as f64).collect();
        let mae = |errors: &ErrorsByGame| errors.on(phases).mean_of_all();
        let by_seed: Array1<f64> = errors.iter().map(mae).collect::<Option<_>>()?;
        let seeds = by_seed.len();
        Some(Point {
            share: *share,
            games: games.mean()?,
            mae: by_seed.mean()?,
            mae_error: (seeds > 1).then(|| by_seed.std(1.0) / (seeds as f64).sqrt()),
            by_seed: by_seed.to_vec(),
        })
    };
    amounts.iter().map(point).collect()
}
