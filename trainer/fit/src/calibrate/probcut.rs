//! Calibrates the model of Multi-ProbCut (Buro), which predicts the value of a deep search from
//! that of a shallower one. Uses positions of games that the evaluation plays against itself.

use std::fmt;
use std::ops::RangeInclusive;

use othello_engine::eval::{Depths, Evaluate, ProbCut, Tables, Weights};
use othello_engine::random::Generator;
use othello_engine::run::{Stage, size};
use othello_engine::search::{Searcher, Selectivity, shallow_depth};
use othello_engine::selfplay::{
    Beginnings, Exploration, Players, Schedule, Settings as Play, play,
};
use othello_engine::text_table::table;
use serde::{Deserialize, Serialize};

use super::samples::{Errors, HELD_OUT, Settings, divided, fitted, per_part, write_errors};
use super::{Work, no_model};
use crate::source::Result;

const MIN_PREDICTED_DEPTH: u32 = 3;
const RANDOM_PLIES: RangeInclusive<u8> = 4..=24;

/// A calibrated model, and its errors on positions that it was not fitted to.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Calibrated {
    /// The calibrated model of ProbCut.
    #[serde(skip)]
    pub probcut: ProbCut,
    /// The errors of the predictions, by depth of the predicted search.
    pub depths: Vec<DepthError>,
    /// For each selectivity (the confidence that ProbCut requires for a cut), the percentage of
    /// wrong cuts, as expected by the model and as observed.
    pub misses: Vec<Miss>,
}

impl fmt::Display for Calibrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let depths = self.depths.iter().map(|row| (row.deep, row.shallow, &row.errors));
        write_errors(f, "depth", depths)?;
        writeln!(f, "wrong cuts, in percent of these positions:")?;
        let columns = ["selectivity", "predicted", "observed"];
        let rows = self.misses.iter().map(|row| {
            let [predicted, observed] = [row.predicted, row.observed].map(|p| format!("{p:.2}"));
            [row.selectivity.to_string(), predicted, observed]
        });
        f.write_str(&table(columns, rows))
    }
}

/// The errors, in discs, with which ProbCut predicts the values of searches to the depth `deep`.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct DepthError {
    /// The depth of the predicted search.
    pub deep: u32,
    /// The depth of the shallow search that predicts the deep one.
    pub shallow: u32,
    #[serde(flatten)]
    #[allow(missing_docs)]
    pub errors: Errors,
}

/// The predicted and the observed share of wrong ProbCut cuts at one selectivity. A cut is wrong if
/// the deep search's value is not beyond the window bound, although the prediction is.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Miss {
    /// The selectivity: the confidence that ProbCut requires for a cut, in percent.
    pub selectivity: u32,
    /// The predicted share of wrong cuts, in percent: the model's probability of an error that
    /// exceeds the margin of a cut and makes the cut wrong.
    pub predicted: f64,
    /// The observed share of wrong cuts, in percent: half the share of held-out positions on which
    /// the prediction's error exceeds the margin of a cut. Half, because an error makes a cut wrong
    /// in only one of the two directions.
    pub observed: f64,
}

/// Returns the stages of a calibration of the ProbCut model.
pub fn stages(settings: &Settings) -> Vec<Stage> {
    let per_part = per_part(2.0 * size::search(settings.most));
    vec![Stage::new("probcut (positions)", settings.positions, per_part)]
}

/// Fits the model of ProbCut to the values of searches of positions from self-play. The same
/// weights and settings give the same model.
pub fn calibrate(settings: &Settings, weights: &Weights, work: &Work<'_>) -> Result<Calibrated> {
    let play = Play {
        exploration: Exploration::softmax(1.0),
        ..Play::new(settings.seed, Schedule::evenly(RANDOM_PLIES), 1, 0)
    };
    let samples = settings.samples(&play, &Tables::new(weights), work, sample)?;
    let [learned, held_out] = divided(&samples, HELD_OUT);
    let examples = learned.into_iter().flat_map(pairs).map(|Pair { depths, known, wanted }| {
        (depths.mean_terms(known), depths.error_terms(), wanted)
    });
    let (mean, error) = fitted(examples);
    let probcut = ProbCut::new(mean, error).map_err(no_model)?;
    // The search uses one shallow depth for each deep depth, so only these pairs are measured.
    let is_used = |Pair { depths: Depths { shallow, deep, .. }, .. }: &Pair| {
        *deep >= MIN_PREDICTED_DEPTH && *shallow == shallow_depth(*deep)
    };
    let held_out: Vec<Pair> = held_out.into_iter().flat_map(pairs).filter(is_used).collect();
    let depths = MIN_PREDICTED_DEPTH..=settings.most;
    let depths = depths.filter_map(|deep| depth_error(&probcut, &held_out, deep));
    let misses = Selectivity::ALL.into_iter().filter_map(|one| miss(&probcut, &held_out, one));
    Ok(Calibrated { depths: depths.collect(), misses: misses.collect(), probcut })
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Sample {
    ply: u32,
    /// The values, in discs, of searches to depth 0, 1, 2, …. The last depth is [`Settings::most`],
    /// or less if few squares are empty.
    values: Vec<f64>,
}

fn sample<E: Evaluate>(
    settings: &Settings,
    beginnings: &Beginnings<'_>,
    number: u64,
    searcher: &mut Searcher<'_, E>,
) -> Sample {
    let game = play(beginnings, number, &mut Players { black: searcher, white: None });
    let replay = game.replay();
    let mut random = Generator::split(settings.seed, number);
    let position = replay.steps[random.below(replay.steps.len() as u32) as usize].position;
    searcher.new_game();
    let depths = 0..=settings.most.min(position.empties().saturating_sub(1));
    let values = depths.map(|depth| searcher.search(&position, depth).value.discs()).collect();
    Sample { ply: position.ply(), values }
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    depths: Depths,
    known: f64,
    wanted: f64,
}

fn pairs(sample: &Sample) -> impl Iterator<Item = Pair> {
    let numbered = || (0..).zip(sample.values.iter().copied());
    numbered().flat_map(move |(deep, wanted)| {
        numbered().take(deep as usize).map(move |(shallow, known)| Pair {
            depths: Depths { ply: sample.ply, shallow, deep },
            known,
            wanted,
        })
    })
}

/// Returns a prediction's expected error (standard deviation) and its actual error, in discs.
fn errors(probcut: &ProbCut, pair: &Pair) -> [f64; 2] {
    let prediction = probcut.prediction(pair.depths);
    [prediction.error, pair.wanted - prediction.slope * pair.known - prediction.offset]
}

fn depth_error(probcut: &ProbCut, pairs: &[Pair], deep: u32) -> Option<DepthError> {
    let of_depth = pairs.iter().filter(|pair| pair.depths.deep == deep);
    let errors = Errors::of(of_depth.map(|pair| errors(probcut, pair)))?;
    Some(DepthError { deep, shallow: shallow_depth(deep), errors })
}

fn miss(probcut: &ProbCut, pairs: &[Pair], selectivity: Selectivity) -> Option<Miss> {
    let deviations = selectivity.deviations()?;
    let off = pairs.iter().map(|pair| errors(probcut, pair));
    let off = off.filter(|[expected, error]| error.abs() > deviations * expected);
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
    use crate::calibrate::testing::{assert_threads_change_nothing, in_memory, shipped};

    #[test]
    fn predictions_hold_on_positions_that_were_held_out() {
        let settings = Settings { seed: 1, positions: 1500, most: 6 };
        let found = calibrate(&settings, &shipped(), &in_memory(stages(&settings))).unwrap();
        assert_eq!(found.depths.len(), 4);
        for DepthError { errors, .. } in &found.depths {
            let ratio = errors.observed / errors.predicted;
            assert!((0.8..1.25).contains(&ratio) && errors.predicted > 1.0, "{errors:?}");
        }
        for row in &found.misses {
            assert!(row.observed < 1.5 * row.predicted + 1.0, "{row:?}");
            assert!(2.0 * row.observed > row.predicted - 1.0, "{row:?}");
        }
        let error =
            |shallow, deep| found.probcut.prediction(Depths { ply: 30, shallow, deep }).error;
        assert!(error(4, 6) < error(2, 6) && error(2, 6) < error(0, 6));
    }

    #[test]
    fn threads_change_no_prediction() {
        let settings = Settings { seed: 2, positions: 300, most: 4 };
        assert_threads_change_nothing(|| {
            calibrate(&settings, &shipped(), &in_memory(stages(&settings))).unwrap().probcut
        });
    }
}
