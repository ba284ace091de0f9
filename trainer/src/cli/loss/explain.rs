//! `--explain`: prints what each pattern and each scalar feature adds to a value.

use std::fmt;

use anyhow::Context as _;
use othello_engine::board::notation::BoardLine;
use othello_engine::cli::by_class::ByClass;
use othello_engine::columns::table;
use othello_engine::eval::WeightsChoice;

use crate::measure::{Explainer, Explanation, InstanceRow};

/// The number of instances that are printed.
const SHOWN: usize = 12;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: phase {}, value {:+.2} discs", self.board, self.phase, self.value)?;
        let discs = |discs: f64| format!("{discs:+.2}");
        let columns = ["<pattern or scalar feature", "discs"];
        let rows = self.totals.iter().map(|row| [row.name.clone(), discs(row.discs)]);
        writeln!(f, "{}\n\nthe largest parts", table(columns, rows))?;
        let columns = ["<squares", "<what is there", "discs", "met", "<pattern"];
        let rows = self.instances.iter().take(SHOWN).map(|part| {
            let count = part.count.map_or("-".to_owned(), |count| count.to_string());
            let InstanceRow { pattern, squares, configuration, .. } = part;
            [squares.clone(), configuration.clone(), discs(part.discs), count, pattern.clone()]
        });
        write!(f, "{}", table(columns, rows))
    }
}

/// Explains the value of a board line.
pub(super) fn explain(weights: &WeightsChoice, line: &str) -> anyhow::Result<Explanation> {
    let position = line.parse::<BoardLine>().context("--explain")?.position;
    let explanation = explainer(weights)?.explain(&position).context("--explain")?;
    Ok(Explanation { board: line.to_owned(), ..explanation })
}

/// Loads the weights that an argument names; refuses evaluations by hand.
pub(super) fn explainer(weights: &WeightsChoice) -> anyhow::Result<Explainer> {
    let ByClass { weights, counted, .. } = ByClass::load(weights)?;
    Ok(Explainer::new(weights, counted))
}
