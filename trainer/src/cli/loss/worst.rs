//! `--worst`: the positions with the largest errors.

use anyhow::Context as _;
use othello_engine::eval::WeightsChoice;
use othello_engine::text_table::table;

use super::Arguments;
use super::explain::explainer;
use crate::metrics::{Total, Valued, WorstPosition};

/// Describes the worst positions.
pub(super) fn describe(
    worst: &[Valued],
    arguments: &Arguments,
) -> anyhow::Result<Vec<WorstPosition>> {
    let by_hand = matches!(arguments.weights, WeightsChoice::None | WeightsChoice::Mobility);
    let explainer = match worst {
        [_, ..] if !by_hand => Some(explainer(&arguments.weights)?),
        _ => None,
    };
    let rules = arguments.rules();
    let describe = |valued: &Valued| {
        let described =
            WorstPosition::describe(valued, &arguments.data, &rules, explainer.as_ref());
        described.or_else(|failed| {
            let (board, error) = *failed;
            Err(error).context(board)
        })
    };
    worst.iter().map(describe).collect()
}

fn cells(worst: &WorstPosition) -> [String; 8] {
    /// The number of contributions that are printed.
    const SHOWN: usize = 3;
    let discs = |discs: f64| format!("{discs:+.2}");
    let part = |part: &Total| format!("{} {:+.1}", part.name, part.discs);
    let parts: Vec<String> = worst.parts.iter().take(SHOWN).map(part).collect();
    [
        worst.ply.to_string(),
        discs(worst.value),
        discs(worst.label),
        discs(worst.error),
        worst.label_kind.clone().unwrap_or_else(|| "-".to_owned()),
        worst.game.map_or("-".to_owned(), |game| game.to_string()),
        worst.file.clone().unwrap_or_else(|| "-".to_owned()),
        parts.join(", "),
    ]
}

/// Returns the printed table.
pub(super) fn worst_table(worst: &[WorstPosition]) -> String {
    let columns = [
        "ply",
        "value",
        "label",
        "error",
        "<kind",
        "game",
        "<file",
        "<largest parts of the static value",
    ];
    table(columns, worst.iter().map(cells))
}
