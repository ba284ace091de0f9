//! Splits a value into the contributions of each pattern and each scalar feature.

use std::fmt;

use anyhow::{Context as _, ensure};
use othello_engine::board::notation::{BoardLine, board_text};
use othello_engine::board::{Phase, Position, Side};
use othello_engine::cli::by_class::ByClass;
use othello_engine::cli::table::{Align, table};
use othello_engine::eval::{InstancePart, STEPS_PER_DISC, Value, WeightsChoice, weight_in_discs};
use othello_engine::pattern::Pattern;
use serde::Serialize;

/// The contributions to the value of a position, the largest first.
#[derive(Serialize)]
pub(super) struct Explanation {
    board: String,
    phase: Phase,
    /// The sum of all contributions, limited to ±64 discs.
    value: f64,
    /// The contribution of all instances of each pattern, and of each scalar feature.
    pub(super) totals: Vec<Total>,
    /// The contribution of each instance.
    instances: Vec<InstanceRow>,
}

/// The contribution of a pattern or a scalar feature.
#[derive(Serialize)]
pub(super) struct Total {
    /// The name of the pattern or scalar feature.
    pub(super) name: String,
    pub(super) discs: f64,
}

#[derive(Serialize)]
struct InstanceRow {
    pattern: String,
    squares: String,
    /// The configuration on the squares: X for the player, O for the opponent.
    configuration: String,
    discs: f64,
    /// The number of times that training positions of the phase met it; null for the embedded
    /// weights.
    count: Option<u32>,
}

/// The number of instances that are printed.
const SHOWN: usize = 12;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: phase {}, value {:+.2} discs", self.board, self.phase, self.value)?;
        let discs = |discs: f64| format!("{discs:+.2}");
        let columns = [("pattern or scalar feature", Align::Left), ("discs", Align::Right)];
        let rows = self.totals.iter().map(|row| [row.name.clone(), discs(row.discs)]);
        writeln!(f, "{}\n\nthe largest parts", table(columns, rows))?;
        let columns = [
            ("squares", Align::Left),
            ("what is there", Align::Left),
            ("discs", Align::Right),
            ("met", Align::Right),
            ("pattern", Align::Left),
        ];
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
    let explanation = Explainer::load(weights)?.explain(&position).context("--explain")?;
    Ok(Explanation { board: line.to_owned(), ..explanation })
}

/// Weights by class, for explaining values.
pub(super) struct Explainer(ByClass);

impl Explainer {
    /// Loads the weights that an argument names; refuses evaluations by hand.
    pub(super) fn load(weights: &WeightsChoice) -> anyhow::Result<Self> {
        Ok(Self(ByClass::load(weights)?))
    }

    /// Explains the value of a position.
    pub(super) fn explain(&self, position: &Position) -> anyhow::Result<Explanation> {
        ensure!(
            position.moves() != 0,
            "the side to move has no move, so that its value is that after the pass, or the score"
        );
        let ByClass { weights, counted, .. } = &self.0;
        let parts = weights.parts(position).context("the board is full")?;
        let part = |part: &InstancePart<'_>| {
            let names = part.squares.iter().map(ToString::to_string);
            InstanceRow {
                pattern: part.pattern.name().to_owned(),
                squares: names.collect::<Vec<_>>().join(" "),
                configuration: part.squares.iter().map(|s| disc(position, s.bit())).collect(),
                discs: weight_in_discs(part.weight.steps),
                count: counted.then_some(part.weight.count),
            }
        };
        let mut instances: Vec<InstanceRow> = parts.instances.iter().map(part).collect();
        let of_pattern = |pattern: &Pattern| {
            let own = parts.instances.iter().filter(|part| part.pattern == pattern);
            let discs = own.map(|part| weight_in_discs(part.weight.steps)).sum();
            Total { name: pattern.name().to_owned(), discs }
        };
        let scalars = parts.scalars.iter().map(|part| Total {
            name: format!("{} ({})", part.scalar.name(), part.number),
            discs: weight_in_discs(part.weight.steps),
        });
        let together = f64::from(parts.together) / f64::from(STEPS_PER_DISC);
        let together = Total { name: "all of them together".to_owned(), discs: together };
        let together = weights.factors().map(|_| together);
        let patterns = weights.set().patterns().iter().map(of_pattern);
        let mut totals: Vec<Total> = patterns.chain(scalars).chain(together).collect();
        totals.sort_by(|a, b| b.discs.abs().total_cmp(&a.discs.abs()));
        instances.sort_by(|a, b| b.discs.abs().total_cmp(&a.discs.abs()));
        let value = Value::clamped(parts.steps());
        Ok(Explanation {
            board: board_text(position, Side::Black),
            phase: parts.phase,
            value: value.discs(),
            totals,
            instances,
        })
    }
}

/// Returns the character of a square's disc.
fn disc(position: &Position, bit: u64) -> char {
    match bit {
        _ if position.player() & bit != 0 => 'X',
        _ if position.opponent() & bit != 0 => 'O',
        _ => '-',
    }
}
