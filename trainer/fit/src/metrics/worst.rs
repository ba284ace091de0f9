//! The positions with the largest errors: their origin, and the contributions to their values.

use std::path::PathBuf;

use othello_engine::board::notation::board_text;
use othello_engine::board::{Phase, Side};
use serde::Serialize;

use super::Valued;
use super::error::MetricsError;
use super::explain::{Explainer, Total};
use crate::source::LabelRules;

/// A position with a large error.
#[derive(Serialize, schemars::JsonSchema)]
pub struct WorstPosition {
    /// The board, the side to move, and the label as the score: a line that `evaluate` reads.
    pub line: String,
    /// The board.
    pub board: String,
    /// The phase.
    pub phase: Phase,
    /// The value, in discs.
    pub value: f64,
    /// The label, in discs.
    pub label: f64,
    /// The kind of the label; null with `--subset`, whose positions are merged from many games.
    pub label_kind: Option<String>,
    /// Value − label, in discs.
    pub error: f64,
    /// The file; null with `--subset`.
    pub file: Option<String>,
    /// The number of the game in the file, or of the position in a file of positions, counted from
    /// 1.
    pub game: Option<u64>,
    /// The number of moves before the position.
    pub ply: u32,
    /// The contributions to the static value of all instances of each pattern and of each scalar
    /// feature, the largest first; empty for evaluations by hand.
    pub parts: Vec<Total>,
}

impl WorstPosition {
    /// Describes a position of these files, labelled by these rules. Without an explainer, the
    /// description has no parts.
    ///
    /// # Errors
    ///
    /// Returns the board of a position that cannot be explained, with the reason.
    pub fn describe(
        valued: &Valued,
        files: &[PathBuf],
        rules: &LabelRules,
        explainer: Option<&Explainer>,
    ) -> Result<Self, Box<(String, MetricsError)>> {
        let (Valued { phase, row, place, .. }, error) = (valued, valued.error_in_discs());
        let (position, label) = (row.position(), row.label().discs());
        let board = board_text(&position, Side::Black);
        let parts = explainer.map(|explainer| explainer.explain(&position)).transpose();
        let parts = parts.map_err(|error| Box::new((board.clone(), error)))?;
        let file = place.and_then(|place| files.get(place.file));
        Ok(Self {
            line: format!("{board} {label}"),
            board,
            phase: *phase,
            value: label + error,
            label,
            label_kind: place.map(|place| rules.kind(place.rule)),
            error,
            file: file.map(|path| path.display().to_string()),
            game: place.map(|place| place.game),
            ply: position.ply(),
            parts: parts.map_or(vec![], |explanation| explanation.totals),
        })
    }
}
