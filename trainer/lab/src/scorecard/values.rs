//! The errors of an evaluation's values on a file of positions with exact scores.

use std::ops::RangeInclusive;
use std::path::Path;

use othello_engine::board::{Phase, StatedPosition};
use othello_engine::eval::Evaluator;
use othello_engine::file::{FileError, kind_of};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::{Label, ScoredPosition, Weight};
use othello_engine::search::Pruning;
use othello_engine::text::Lines;
use serde::Serialize;

use super::error::BenchmarkError;
use othello_fit::metrics::{Group, GroupErrors, Measured, Measuring, PhaseErrors};
use othello_fit::source::{LabelRules, checksum};

/// The errors of the values of an evaluation on a file.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
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
        let (measured, sha256) = match kind_of(path) {
            Err(FileError::Foreign { .. }) => {
                let measured = measuring.positions(stated_scores(path)?, progress)?;
                (measured, checksum(path, &Silent)?)
            }
            _ => {
                let rules: LabelRules = EXACT.parse()?;
                let mut measured = measuring.files(&[path.to_owned()], &rules, progress)?;
                let sha256 = measured.sha256.pop().unwrap_or_default();
                (measured, sha256)
            }
        };
        let Measured { all, by_group, mut phases, .. } = measured;
        if all.positions == 0 {
            return Err(BenchmarkError::NoScores { path: path.to_owned() });
        }
        phases.retain(|row| row.errors.positions > 0);
        let file = path.display().to_string();
        Ok(Self { file, sha256, depth, all, by_group, by_empties: phases })
    }
}

fn stated_scores(path: &Path) -> Result<Vec<ScoredPosition>, BenchmarkError> {
    let lines: Vec<StatedPosition> = Lines::open(path)?.next_lines(usize::MAX)?;
    let movable = lines.iter().filter(|line| line.position.moves() != 0);
    let row = |line: &StatedPosition| {
        let label = Label::of_discs(line.score?)?;
        Some(ScoredPosition::new(line.position, label, Weight::ONE))
    };
    Ok(movable.filter_map(row).collect())
}
