//! `--explain`: prints the contribution of each pattern and each scalar feature to a value.

use anyhow::Context as _;
use othello_engine::board::StatedPosition;
use othello_engine::eval::ByClass;
use othello_engine::eval::WeightsChoice;

use crate::metrics::{Explainer, Explanation};

/// Explains the value of a board line.
pub(super) fn explain(weights: &WeightsChoice, line: &str) -> anyhow::Result<Explanation> {
    let position = line.parse::<StatedPosition>().context("--explain")?.position;
    let explanation = explainer(weights)?.explain(&position).context("--explain")?;
    Ok(Explanation { board: line.to_owned(), ..explanation })
}

/// Loads the weights that an argument names; refuses evaluations by hand.
pub(super) fn explainer(weights: &WeightsChoice) -> anyhow::Result<Explainer> {
    let ByClass { weights, counted, .. } = ByClass::load(weights)?;
    Ok(Explainer::new(weights, counted))
}
