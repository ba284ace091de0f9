//! One position with the value that an evaluation gives it.

use othello_engine::board::Phase;
use othello_engine::eval::{STEPS_PER_DISC, Value};
use othello_engine::record::{LABEL_STEPS_PER_DISC, ScoredPosition};

use crate::backend::RESIDUALS_PER_DISC;

/// A position with the error of its value, and its origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Valued {
    /// The phase of the position.
    pub phase: Phase,
    /// The position with its label and its weight.
    pub row: ScoredPosition,
    /// The label minus the value, in 1/1024 disc.
    pub error: i32,
    /// The origin of the position; `None` if it represents equal positions of several games.
    pub place: Option<Place>,
}

/// The file and the game from which a position was read, and the rule that labelled it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The index of the file in the given order, from 0.
    pub file: usize,
    /// The number, from 1, of the game in the file or, in a file of positions, of the position.
    pub game: u64,
    /// The index of the label rule that gave the label; `None` if the file contains the label.
    pub rule: Option<u8>,
}

impl Valued {
    /// Creates a position with its value; `None` for a full board, which has no phase.
    pub fn new(row: ScoredPosition, value: Value, place: Option<Place>) -> Option<Self> {
        let error = label(&row) - value.steps() * (RESIDUALS_PER_DISC / STEPS_PER_DISC);
        Some(Self { phase: Phase::of(&row.position())?, row, error, place })
    }

    /// Returns the value in 1/1024 disc.
    pub fn value(&self) -> i32 {
        label(&self.row) - self.error
    }
}

/// Returns the label of a position in 1/1024 disc.
fn label(row: &ScoredPosition) -> i32 {
    i32::from(row.label().steps()) * (RESIDUALS_PER_DISC / i32::from(LABEL_STEPS_PER_DISC))
}
