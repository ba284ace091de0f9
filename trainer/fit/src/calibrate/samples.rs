//! Samples of positions, each from a separate game that the evaluation plays against itself, and
//! models that are fitted to four in five of them.

use ndarray::Array1;
use othello_engine::eval::Evaluate;
use othello_engine::run::size;
use othello_engine::search::{Search, Searcher};
use othello_engine::selfplay::{Beginnings, Settings as Play};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::regression::{mean_and_error, root_mean_squares};
use super::{CalibrateError, Work};

/// The settings of a calibration on samples.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed of the games.
    pub seed: u64,
    /// The number of positions, each from a separate game.
    pub positions: u64,
    /// The greatest depth of a search, or number of empty squares of a position.
    pub most: u32,
}

/// One of this many positions is held out to test the model fitted to the others.
pub(super) const HELD_OUT: usize = 5;

/// The greatest number of samples in a part.
const MOST_PER_PART: u64 = 1 << 14;

/// Returns the number of units of a part if each takes about this number of seconds.
pub(super) fn per_part(seconds: f64) -> u64 {
    size::units(seconds, MOST_PER_PART)
}

impl Settings {
    /// Makes the samples, the first stage of the work.
    pub(super) fn samples<T: Serialize + DeserializeOwned + Send, E: Evaluate>(
        &self,
        play: &Play,
        evaluator: &E,
        work: &Work<'_>,
        sample: impl Fn(&Beginnings<'_>, u64, &mut Searcher<'_, E>) -> T + Sync,
    ) -> Result<Vec<T>, CalibrateError> {
        let beginnings = Beginnings::new(play);
        let searchers = Search::new(evaluator).searchers()?;
        work.results(0, |number| {
            Ok(searchers.with(|searcher| sample(&beginnings, number, searcher)))
        })
    }
}

/// Returns the samples that a model is fitted to, and those that are held out.
pub(super) fn divided<T>(samples: &[T], held_out: usize) -> [Vec<&T>; 2] {
    let mut parts = [vec![], vec![]];
    for (number, sample) in samples.iter().enumerate() {
        parts[usize::from(number % held_out == 0)].push(sample);
    }
    parts
}

/// A value to predict: the terms of its mean and of the logarithm of its error, and the value.
pub(super) type Example<const M: usize, const E: usize> = ([f64; M], [f64; E], f64);

/// Fits the coefficients of the mean and of the error.
pub(super) fn fitted<const M: usize, const E: usize>(
    examples: impl Iterator<Item = Example<M, E>>,
) -> ([f64; M], [f64; E]) {
    let (mut mean, mut error, mut wanted) = (vec![], vec![], vec![]);
    for (mean_terms, error_terms, value) in examples {
        mean.push(mean_terms);
        error.push(error_terms);
        wanted.push(value);
    }
    mean_and_error(mean, error, Array1::from(wanted))
}

/// The errors of predictions: their number, the root mean square that the model expects, and that
/// of the residuals.
pub(super) struct Errors {
    pub(super) positions: u64,
    pub(super) predicted: f64,
    pub(super) observed: f64,
}

impl Errors {
    /// Returns the errors of pairs of the expected error and the residual; `None` without pairs.
    pub(super) fn of(pairs: impl Iterator<Item = [f64; 2]>) -> Option<Self> {
        let pairs: Vec<[f64; 2]> = pairs.collect();
        let [predicted, observed] = root_mean_squares(&pairs)?;
        Some(Self { positions: pairs.len() as u64, predicted, observed })
    }
}
