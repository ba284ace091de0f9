//! The errors of an evaluation's values on a file of positions with exact scores.

use std::ops::RangeInclusive;
use std::path::Path;

use othello_engine::board::Phase;
use othello_engine::eval::Evaluator;
use othello_engine::progress::Progress;
use othello_engine::search::Pruning;
use serde::{Deserialize, Serialize};

use super::error::BenchmarkError;
use othello_fit::metrics::{Group, GroupErrors, Measured, Measuring, PhaseErrors};
use othello_fit::source::LabelRules;

/// The errors of the values of an evaluation on a file.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ValueErrors {
    /// The file.
    pub file: String,
    /// The checksum of the file: for records of the content, for text of the bytes.
    pub sha256: String,
    /// The depth of the searches in plies; 0 for static values.
    pub depth: u32,
    /// The errors of all positions.
    #[serde(flatten)]
    pub all: GroupErrors,
    /// The positions grouped by ranges of empty squares, and by their parity.
    pub by_group: Vec<Group>,
    /// The errors by number of empty squares, omitting numbers without positions.
    pub by_empties: Vec<PhaseErrors>,
}

const EXACT: &str = "all:exact";

impl ValueErrors {
    /// Measures static values at depth 0, or those of searches without pruning, on records or on
    /// lines of boards with scores. Positions of games count if their scores are exact.
    pub(super) fn measure(
        evaluator: &Evaluator,
        (path, depth): (&Path, u32),
        phases: RangeInclusive<Phase>,
        progress: &dyn Progress,
    ) -> Result<Self, BenchmarkError> {
        let pruning = Pruning::default();
        let measuring = Measuring { evaluator, depth, pruning, phases, worst: 0 };
        let rules: LabelRules = EXACT.parse()?;
        let mut measured = measuring.files(&[path.to_owned()], &rules, progress)?;
        let sha256 = measured.sha256.pop().unwrap_or_default();
        let Measured { all, by_group, mut phases, .. } = measured;
        if all.positions == 0 {
            return Err(BenchmarkError::NoScores { path: path.to_owned() });
        }
        phases.retain(|row| row.errors.positions > 0);
        let file = path.display().to_string();
        Ok(Self { file, sha256, depth, all, by_group, by_empties: phases })
    }
}
