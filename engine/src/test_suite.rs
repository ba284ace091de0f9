//! The agreement of searches or other programs with the scores and best moves of a test suite.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::board::{Discs, Square, StatedPosition};
use crate::eval::Value;

/// The errors of values and of chosen moves, collected over the lines of a test suite.
#[derive(Clone, Default, Debug)]
pub struct Agreement {
    /// The error (value − score) in discs of each position that has a stated score.
    errors: Vec<f64>,
    /// For each chosen move, the discs that it loses compared with the best move of the test line;
    /// `None` if the line does not state a score for the chosen move.
    lost: Vec<Option<Discs>>,
}

impl Agreement {
    /// Adds a line, with the value and the best move that a search found for its position.
    pub fn add(&mut self, line: &StatedPosition, value: Value, best: Option<Square>) {
        self.errors.extend(line.score.map(|score| value.discs() - score));
        self.add_move(line, best);
    }

    /// Adds a line of a test suite, with the move that a player chose (if any) but without a value.
    pub fn add_move(&mut self, line: &StatedPosition, best: Option<Square>) {
        let most = line.moves.iter().map(|&(_, score)| score).max();
        let (Some(most), Some(choice)) = (most, best) else { return };
        let of_choice = line.moves.iter().find(|&&(square, _)| square == choice);
        self.lost.push(of_choice.map(|&(_, score)| most - score));
    }

    /// Returns the errors of the values, the number of best moves found, and the discs lost.
    pub fn report(&self) -> AgreementReport {
        let mean =
            |all: &[f64]| (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64);
        let of_errors =
            |term: fn(&f64) -> f64| mean(&self.errors.iter().map(term).collect::<Vec<_>>());
        let lost: Vec<f64> = self.lost.iter().flatten().map(|&lost| f64::from(lost)).collect();
        let counted = |count: usize| (!self.lost.is_empty()).then_some(count as u64);
        AgreementReport {
            scored: self.errors.len() as u64,
            bias: mean(&self.errors),
            mae: of_errors(|error| error.abs()),
            mse: of_errors(|error| error * error),
            best_stated: counted(self.lost.len()),
            best_found: counted(lost.iter().filter(|&&lost| lost == 0.0).count()),
            discs_lost: mean(&lost),
        }
    }
}

/// The agreement of the values and moves of a search with those that a file states.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AgreementReport {
    /// The number of lines of the test suite that state a score.
    pub scored: u64,
    /// The mean of value minus score, in discs; absent if no line states a score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias: Option<f64>,
    /// The mean absolute error, in discs; absent if no line states a score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mae: Option<f64>,
    /// The mean squared error, in discs²; absent if no line states a score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mse: Option<f64>,
    /// The number of lines with scores of moves and with a chosen move; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_stated: Option<u64>,
    /// The number of lines whose chosen move has the best stated score; absent if `best_stated` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_found: Option<u64>,
    /// The mean number of discs that the chosen moves lose: the best score that a line states for a
    /// move, minus the score that it states for the chosen move. Absent if no line states both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discs_lost: Option<f64>,
}

impl fmt::Display for AgreementReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(bias), Some(mae), Some(mse)) = (self.bias, self.mae, self.mse) {
            let scored = self.scored;
            write!(f, "; on {scored} with a score: bias {bias:+.3}, MAE {mae:.3}, MSE {mse:.3}")?;
        }
        if let (Some(found), Some(stated)) = (self.best_found, self.best_stated) {
            write!(f, "; best moves found: {found} of {stated}")?;
        }
        if let Some(lost) = self.discs_lost {
            write!(f, ", {lost:.3} discs lost a move")?;
        }
        Ok(())
    }
}
