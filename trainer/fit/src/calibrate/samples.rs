//! Draws a sample from each self-play game, and fits two linear regressions to 4/5 of the samples.
//! One predicts a deep search's value (ProbCut) or the exact score (endgame ProbCut) from a shallow
//! search. The other predicts log σ, where σ is the standard deviation of that prediction's error.

use std::fmt;

use ndarray::{Array1, Array2};
use othello_engine::eval::Evaluate;
use othello_engine::run::size;
use othello_engine::search::{Search, Searcher};
use othello_engine::selfplay::{Beginnings, Settings as Play};
use othello_engine::text_table::table;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Work;
use crate::source::Result;

/// The settings for a calibration of ProbCut or of endgame ProbCut.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed of the random moves of the self-play games.
    pub seed: u64,
    /// The number of positions, each from a separate game.
    pub positions: u64,
    /// The greatest depth of the searches (ProbCut), or the greatest number of empty squares of the
    /// positions (endgame ProbCut).
    pub most: u32,
}

/// One in this many positions is held out from the fit of a model, to test the model.
pub(super) const HELD_OUT: usize = 5;

const MOST_PER_PART: u64 = 1 << 14;

pub(super) fn per_part(seconds_per_unit: f64) -> u64 {
    size::units(seconds_per_unit, MOST_PER_PART)
}

impl Settings {
    /// Returns one sample for each self-play game: the result of `sample`. This is the first stage
    /// of a calibration.
    pub(super) fn samples<T: Serialize + DeserializeOwned + Send, E: Evaluate>(
        &self,
        play: &Play,
        evaluator: &E,
        work: &Work<'_>,
        sample: impl Fn(&Self, &Beginnings<'_>, u64, &mut Searcher<'_, E>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let beginnings = Beginnings::new(play);
        let searchers = Search::new(evaluator).searchers()?;
        work.results(0, |number| {
            Ok(searchers.with(|searcher| sample(self, &beginnings, number, searcher)))
        })
    }
}

/// Returns the samples to fit to and the held-out samples, which are every `held_out`-th sample.
pub(super) fn divided<T>(samples: &[T], held_out: usize) -> [Vec<&T>; 2] {
    let mut parts = [vec![], vec![]];
    for (number, sample) in samples.iter().enumerate() {
        parts[usize::from(number % held_out == 0)].push(sample);
    }
    parts
}

/// Fits a linear prediction of a value and of its error. An example is (x, y, true value in discs).
/// Returns (a, b): the prediction is a · x, and its error has a standard deviation of exp(b · y).
pub(super) fn fitted<const M: usize, const E: usize>(
    examples: impl Iterator<Item = ([f64; M], [f64; E], f64)>,
) -> ([f64; M], [f64; E]) {
    let (mean_terms, error_terms, wanted): (Vec<_>, Vec<_>, Vec<_>) = examples.collect();
    let (terms, wanted) = (Array2::from(mean_terms), Array1::from(wanted));
    let mean = least_squares(&terms, &wanted);
    let error = log_error(&Array2::from(error_terms), &(wanted - terms.dot(&mean)));
    (std::array::from_fn(|term| mean[term]), std::array::from_fn(|term| error[term]))
}

/// The errors, in discs, with which a model predicts scores or search values on held-out positions.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Errors {
    /// The number of held-out positions whose exact score (endgame ProbCut) or deep search value
    /// (ProbCut) was predicted.
    pub positions: u64,
    /// The root mean square of the predicted standard deviations of the errors, in discs.
    pub predicted: f64,
    /// The root mean square of the errors (actual score or deep value − predicted), in discs.
    pub observed: f64,
}

impl Errors {
    /// Returns the root mean squares of `pairs` of (predicted standard deviation, actual error), in
    /// discs; `None` if there are no pairs.
    pub(super) fn of(pairs: impl Iterator<Item = [f64; 2]>) -> Option<Self> {
        let (mut positions, mut squares) = (0, [0.0; 2]);
        for pair in pairs {
            positions += 1;
            squares = [squares[0] + pair[0].powi(2), squares[1] + pair[1].powi(2)];
        }
        let [predicted, observed] = squares.map(|sum| (sum / positions as f64).sqrt());
        (positions > 0).then_some(Self { positions, predicted, observed })
    }
}

pub(super) fn write_errors<'e>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    rows: impl Iterator<Item = (u32, u32, &'e Errors)>,
) -> fmt::Result {
    let columns = [name, "from depth", "positions", "predicted", "observed"];
    let rows = rows.map(|(of, shallow, Errors { positions, predicted, observed })| {
        let [predicted, observed] = [predicted, observed].map(|error| format!("{error:.2}"));
        [of.to_string(), shallow.to_string(), positions.to_string(), predicted, observed]
    });
    writeln!(f, "prediction error in discs on held-out positions:\n{}", table(columns, rows))
}

/// Returns the x with the least |`terms` · x − `wanted`|². A tiny L2 penalty makes x unique even if
/// columns of `terms` are linearly dependent.
fn least_squares(terms: &Array2<f64>, wanted: &Array1<f64>) -> Array1<f64> {
    const RIDGE: f64 = 1e-9;
    let mut matrix = terms.t().dot(terms);
    let largest = matrix.diag().fold(f64::MIN_POSITIVE, |largest, &one| largest.max(one));
    matrix.diag_mut().mapv_inplace(|one| one + RIDGE * largest);
    solve(matrix, terms.t().dot(wanted))
}

/// Returns the coefficients b of log σ = `terms` · b, where σ is the standard deviation of each of
/// the `residuals` (normal, mean 0). Maximises the likelihood, by iterated least squares.
fn log_error(terms: &Array2<f64>, residuals: &Array1<f64>) -> Array1<f64> {
    const ITERATIONS: usize = 40;
    let squares = residuals.mapv(|residual| residual * residual);
    let mean = squares.mean().unwrap_or(1.0).max(f64::MIN_POSITIVE);
    // The first term must be the constant 1: it gives all samples the same error at the start.
    let mut found = Array1::zeros(terms.ncols());
    found[0] = mean.ln() / 2.0;
    for _ in 0..ITERATIONS {
        let logarithm = 2.0 * terms.dot(&found);
        let variance = logarithm.mapv(f64::exp);
        let wanted = (logarithm + (&squares - &variance) / &variance) / 2.0;
        found = least_squares(terms, &wanted);
    }
    found
}

/// Returns x with `matrix` · x = `right`, by Cholesky decomposition; `matrix` is positive definite.
fn solve(mut matrix: Array2<f64>, mut right: Array1<f64>) -> Array1<f64> {
    let size = right.len();
    for column in 0..size {
        for row in column..size {
            let known: f64 = (0..column).map(|k| matrix[[row, k]] * matrix[[column, k]]).sum();
            let rest = matrix[[row, column]] - known;
            matrix[[row, column]] = if row == column {
                rest.max(f64::MIN_POSITIVE).sqrt()
            } else {
                rest / matrix[[column, column]]
            };
        }
    }
    for row in 0..size {
        let known: f64 = (0..row).map(|k| matrix[[row, k]] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[[row, row]];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|k| matrix[[k, row]] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[[row, row]];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::random::Generator;
    use othello_testing::random_games::noise;

    #[test]
    fn the_line_and_the_error_that_made_the_numbers_are_found_again() {
        let mut random = Generator::new(3);
        let terms = Array2::from_shape_fn((40_000, 2), |(row, column)| {
            if column == 0 { 1.0 } else { (row % 100) as f64 / 100.0 }
        });
        let error = |row: usize| (0.5 + 0.8 * terms[[row, 1]]).exp();
        let wanted = Array1::from_shape_fn(40_000, |row| {
            3.0 - 2.0 * terms[[row, 1]] + error(row) * noise(&mut random)
        });
        let line = least_squares(&terms, &wanted);
        assert!((line[0] - 3.0).abs() < 0.1 && (line[1] + 2.0).abs() < 0.2, "{line}");
        let found = log_error(&terms, &(wanted - terms.dot(&line)));
        assert!((found[0] - 0.5).abs() < 0.02 && (found[1] - 0.8).abs() < 0.04, "{found}");
    }
}
