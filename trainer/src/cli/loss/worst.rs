//! The positions with the largest errors: their origin, and the contributions to their values.

use anyhow::Context as _;
use othello_engine::board::Side;
use othello_engine::board::notation::board_text;
use othello_engine::cli::table::{Align, table};
use othello_engine::eval::WeightsChoice;
use serde::Serialize;

use super::Arguments;
use super::explain::{Explainer, Total};
use crate::measure::Valued;

/// A position with a large error.
#[derive(Serialize)]
pub(super) struct WorstPosition {
    /// The board, the side to move, and the label as the score: a line that `evaluate` reads.
    pub(super) line: String,
    board: String,
    phase: othello_engine::board::Phase,
    value: f64,
    label: f64,
    /// The kind of the label; null with `--part`, whose positions are merged from many games.
    label_kind: Option<String>,
    error: f64,
    /// The file; null with `--part`.
    file: Option<String>,
    /// The number of the game in the file, or of the position in a file of positions, counted from
    /// 1.
    game: Option<u64>,
    /// The number of moves before the position.
    ply: u32,
    /// The contributions to the static value of all instances of each pattern and of each scalar
    /// feature, the largest first; empty for evaluations by hand.
    parts: Vec<Total>,
}

impl WorstPosition {
    /// Describes the worst positions.
    pub(super) fn describe(worst: &[Valued], arguments: &Arguments) -> anyhow::Result<Vec<Self>> {
        let by_hand = matches!(arguments.weights, WeightsChoice::None | WeightsChoice::Mobility);
        let explainer = match worst {
            [_, ..] if !by_hand => Some(Explainer::load(&arguments.weights)?),
            _ => None,
        };
        let rules = arguments.rules();
        let describe = |valued: &Valued| {
            let (Valued { phase, row, place, .. }, error) = (valued, valued.error_in_discs());
            let (position, label) = (row.position(), row.label().discs());
            let board = board_text(&position, Side::Black);
            let parts = explainer.as_ref().map(|explainer| explainer.explain(&position));
            let parts = parts.transpose().with_context(|| board.clone())?;
            let file = place.and_then(|place| arguments.data.get(place.file));
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
        };
        worst.iter().map(describe).collect()
    }

    fn cells(&self) -> [String; 8] {
        /// The number of contributions that are printed.
        const SHOWN: usize = 3;
        let discs = |discs: f64| format!("{discs:+.2}");
        let part = |part: &Total| format!("{} {:+.1}", part.name, part.discs);
        let parts: Vec<String> = self.parts.iter().take(SHOWN).map(part).collect();
        [
            self.ply.to_string(),
            discs(self.value),
            discs(self.label),
            discs(self.error),
            self.label_kind.clone().unwrap_or_else(|| "-".to_owned()),
            self.game.map_or("-".to_owned(), |game| game.to_string()),
            self.file.clone().unwrap_or_else(|| "-".to_owned()),
            parts.join(", "),
        ]
    }

    /// Returns the printed table.
    pub(super) fn table(worst: &[Self]) -> String {
        let columns = [
            ("ply", Align::Right),
            ("value", Align::Right),
            ("label", Align::Right),
            ("error", Align::Right),
            ("kind", Align::Left),
            ("game", Align::Right),
            ("file", Align::Left),
            ("largest parts of the static value", Align::Left),
        ];
        table(columns, worst.iter().map(Self::cells))
    }
}
