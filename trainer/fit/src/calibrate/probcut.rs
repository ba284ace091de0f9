//! Calibrates the model behind Multi-ProbCut (Buro): how well shallow searches predict deeper ones.
//! The model is fitted to positions of games that the evaluation plays against itself.

use std::ops::RangeInclusive;

use othello_engine::eval::{Depths, Evaluate, ProbCut, Tables, Value, Weights};
use othello_engine::progress::Progress;
use othello_engine::random::Generator;
use othello_engine::search::{Search, Searcher, Selectivity, shallow_depth};
use othello_engine::selfplay::{
    Beginnings, Exploration, Players, Schedule, Settings as Play, play,
};
use rayon::prelude::*;
use serde::Serialize;

use super::regression::{mean_and_error, root_mean_squares};
use super::{CalibrateError, of_each, part};

/// The settings of a calibration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed of the games.
    pub seed: u64,
    /// The number of positions, each from a game of its own.
    pub positions: u64,
    /// The greatest depth of a search.
    pub depth: u32,
}

/// The least depth of a search that a shallower one predicts.
const LEAST_DEPTH: u32 = 3;
/// One of this many positions is kept to test the model fitted to the others.
const HELD_OUT: usize = 5;
/// The numbers of random moves at the beginning of the games.
const RANDOM_PLIES: RangeInclusive<u8> = 4..=24;

/// A calibrated model, and its performance on positions that it was not fitted to.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// The model.
    pub probcut: ProbCut,
    /// The errors by the depth of the predicted search.
    pub depths: Vec<DepthError>,
    /// The shares of predictions that are too far off.
    pub misses: Vec<Miss>,
}

/// The error of the predictions for searches of one depth, in discs.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct DepthError {
    /// The depth of the predicted search.
    pub deep: u32,
    /// The depth of the search that predicts it.
    pub shallow: u32,
    /// The number of positions.
    pub positions: u64,
    /// The root mean square of the errors that the model expects.
    pub predicted: f64,
    /// The root mean square of the actual errors.
    pub observed: f64,
}

/// The share of predictions by which a cut at a selectivity would be wrong: the deeper value is
/// outside of the allowed deviations, on the harmful side.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Miss {
    /// The probability of the selectivity in percent.
    pub selectivity: u32,
    /// The share by a normal distribution, in percent.
    pub predicted: f64,
    /// The share among the cuts of held-out positions, in percent.
    pub observed: f64,
}

/// Fits the model. The same weights, settings and seed give the same result.
pub fn calibrate(
    settings: &Settings,
    weights: &Weights,
    progress: &dyn Progress,
) -> Result<Calibrated, CalibrateError> {
    let evaluator = Tables::new(weights);
    let samples = samples(settings, &evaluator, progress)?;
    let probcut = fit(part(&samples, HELD_OUT, false))?;
    let held_out: Vec<Pair> = part(&samples, HELD_OUT, true).flat_map(used_pairs).collect();
    let depths =
        (LEAST_DEPTH..=settings.depth).filter_map(|deep| depth_error(&probcut, &held_out, deep));
    let misses = Selectivity::ALL.into_iter().filter_map(|one| miss(&probcut, &held_out, one));
    Ok(Calibrated { depths: depths.collect(), misses: misses.collect(), probcut })
}

/// The values of searches of one position.
#[derive(Clone, PartialEq, Debug)]
struct Sample {
    /// The ply of the position.
    ply: u32,
    /// The values by depth, from 0 on; no search reaches the end of the game.
    values: Vec<Value>,
}

/// Returns samples of positions, each from one ply of a game of its own. Most moves of the games
/// are drawn by their values, so that lost and won positions are among them.
fn samples<E: Evaluate>(
    settings: &Settings,
    evaluator: &E,
    progress: &dyn Progress,
) -> Result<Vec<Sample>, CalibrateError> {
    let play = Play {
        exploration: Exploration::softmax(1.0),
        ..Play::new(settings.seed, Schedule::evenly(RANDOM_PLIES), 1, 0)
    };
    let beginnings = Beginnings::new(&play);
    let searchers = Search::new(evaluator).searchers()?;
    progress.begin_stoppable("probcut (positions)", 0, settings.positions);
    let samples = of_each((0..settings.positions).into_par_iter(), progress, |number| {
        searchers.with(|searcher| sample(settings, &beginnings, number, searcher))
    });
    Ok(samples?)
}

fn sample<E: Evaluate>(
    settings: &Settings,
    beginnings: &Beginnings<'_>,
    number: u64,
    searcher: &mut Searcher<'_, E>,
) -> Sample {
    let game = play(beginnings, number, &mut Players::Same(searcher));
    let replay = game.replay();
    let mut random = Generator::split(settings.seed, number);
    let position = replay.steps[random.below(replay.steps.len() as u32) as usize].position;
    searcher.new_game();
    let depths = 0..=settings.depth.min(position.empties().saturating_sub(1));
    let values = depths.map(|depth| searcher.search(&position, depth).value).collect();
    Sample { ply: position.ply(), values }
}

/// The values of two searches of a position, in discs.
#[derive(Clone, Copy, Debug)]
struct Pair {
    depths: Depths,
    known: f64,
    wanted: f64,
}

/// Returns the pairs of any two depths of a sample.
fn pairs(sample: &Sample) -> impl Iterator<Item = Pair> {
    let depths =
        (1..sample.values.len()).flat_map(|deep| (0..deep).map(move |shallow| (shallow, deep)));
    depths.map(|(shallow, deep)| Pair {
        depths: Depths { ply: sample.ply, shallow: shallow as u32, deep: deep as u32 },
        known: sample.values[shallow].discs(),
        wanted: sample.values[deep].discs(),
    })
}

/// Returns the pairs of depths that the search uses.
fn used_pairs(sample: &Sample) -> impl Iterator<Item = Pair> {
    pairs(sample).filter(|Pair { depths, .. }| {
        depths.deep >= LEAST_DEPTH && depths.shallow == shallow_depth(depths.deep)
    })
}

fn fit<'s>(samples: impl Iterator<Item = &'s Sample>) -> Result<ProbCut, CalibrateError> {
    let pairs: Vec<Pair> = samples.flat_map(pairs).collect();
    let mean_terms = pairs.iter().map(|pair| pair.depths.mean_terms(pair.known)).collect();
    let error_terms = pairs.iter().map(|pair| pair.depths.error_terms()).collect();
    let wanted = pairs.iter().map(|pair| pair.wanted).collect();
    let (mean, error) = mean_and_error(mean_terms, error_terms, wanted);
    ProbCut::new(mean, error).map_err(CalibrateError::Model)
}

/// Returns the residual of a pair, and the error that the model expects.
fn residual(probcut: &ProbCut, pair: &Pair) -> (f64, f64) {
    let prediction = probcut.prediction(pair.depths);
    (pair.wanted - prediction.slope * pair.known - prediction.offset, prediction.error)
}

fn depth_error(probcut: &ProbCut, pairs: &[Pair], deep: u32) -> Option<DepthError> {
    let of_depth = pairs.iter().filter(|pair| pair.depths.deep == deep);
    let errors = of_depth.map(|pair| {
        let (residual, error) = residual(probcut, pair);
        [error, residual]
    });
    let errors: Vec<[f64; 2]> = errors.collect();
    let [predicted, observed] = root_mean_squares(&errors)?;
    let (shallow, positions) = (shallow_depth(deep), errors.len() as u64);
    Some(DepthError { deep, shallow, positions, predicted, observed })
}

/// Returns the misses of a selectivity on both sides: wrong cuts above and below the window are
/// equally harmful.
fn miss(probcut: &ProbCut, pairs: &[Pair], selectivity: Selectivity) -> Option<Miss> {
    let deviations = selectivity.deviations()?;
    let off = pairs.iter().filter(|pair| {
        let (residual, error) = residual(probcut, pair);
        residual.abs() > deviations * error
    });
    let beyond = libm::erfc(deviations / std::f64::consts::SQRT_2);
    Some(Miss {
        selectivity: selectivity.percent(),
        predicted: 50.0 * beyond,
        observed: 50.0 * off.count() as f64 / pairs.len().max(1) as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::testing::{assert_threads_change_nothing, shipped};
    use othello_engine::progress::Silent;

    #[test]
    fn predictions_hold_on_positions_that_were_held_out() {
        let settings = Settings { seed: 1, positions: 1500, depth: 6 };
        let found = calibrate(&settings, &shipped(), &Silent).unwrap();
        assert_eq!(found.depths.len(), 4);
        for row in &found.depths {
            let ratio = row.observed / row.predicted;
            assert!((0.8..1.25).contains(&ratio) && row.predicted > 1.0, "{row:?}");
        }
        for row in &found.misses {
            assert!(row.observed < 1.5 * row.predicted + 1.0, "{row:?}");
            assert!(2.0 * row.observed > row.predicted - 1.0, "{row:?}");
        }
        // A search two plies shallower predicts better than one four plies shallower.
        let error =
            |shallow, deep| found.probcut.prediction(Depths { ply: 30, shallow, deep }).error;
        assert!(error(4, 6) < error(2, 6) && error(2, 6) < error(0, 6));
    }

    #[test]
    fn threads_change_no_prediction() {
        let settings = Settings { seed: 2, positions: 300, depth: 4 };
        assert_threads_change_nothing(|| {
            calibrate(&settings, &shipped(), &Silent).unwrap().probcut
        });
    }
}
