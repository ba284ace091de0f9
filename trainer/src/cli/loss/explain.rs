//! A value taken apart: what each pattern and each scalar feature adds to it.

use std::fmt;

use anyhow::{Context as _, ensure};
use othello_engine::board::notation::{BoardLine, board_text};
use othello_engine::board::{Phase, Position, Side};
use othello_engine::cli::by_class::ByClass;
use othello_engine::cli::table::{Align, table};
use othello_engine::eval::{WeightsChoice, weight_in_discs};
use serde::Serialize;

/// The parts of the value of a position, the largest first.
#[derive(Serialize)]
pub(super) struct Explanation {
    board: String,
    phase: Phase,
    /// The sum of all parts, limited to ±64 discs.
    value: f64,
    /// What all instances of each pattern, and each scalar feature, add.
    pub(super) totals: Vec<Total>,
    /// What each instance adds.
    instances: Vec<InstancePart>,
}

/// The contribution of a pattern or a scalar feature.
#[derive(Serialize)]
pub(super) struct Total {
    /// The name of the pattern or scalar feature.
    pub(super) name: String,
    pub(super) discs: f64,
}

#[derive(Serialize)]
struct InstancePart {
    pattern: String,
    squares: String,
    /// What stands there: X the player, O the opponent.
    configuration: String,
    discs: f64,
    /// How often training positions of the phase met it; null for the embedded weights.
    count: Option<u32>,
}

/// Instances that people are shown.
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
            let InstancePart { pattern, squares, configuration, .. } = part;
            [squares.clone(), configuration.clone(), discs(part.discs), count, pattern.clone()]
        });
        write!(f, "{}", table(columns, rows))
    }
}

/// Takes the value of a board line apart.
pub(super) fn explain(weights: &WeightsChoice, line: &str) -> anyhow::Result<Explanation> {
    let position = line.parse::<BoardLine>().context("--explain")?.position;
    let explanation = Explainer::load(weights)?.explain(&position).context("--explain")?;
    Ok(Explanation { board: line.to_owned(), ..explanation })
}

/// Weights by class, to take values apart by.
pub(super) struct Explainer(ByClass);

impl Explainer {
    /// The weights that an argument names; evaluations by hand are refused.
    pub(super) fn load(weights: &WeightsChoice) -> anyhow::Result<Self> {
        Ok(Self(ByClass::load(weights)?))
    }

    /// Takes the value of a position apart.
    pub(super) fn explain(&self, position: &Position) -> anyhow::Result<Explanation> {
        ensure!(
            position.moves() != 0,
            "the side to move has no move, so that its value is that after the pass, or the score"
        );
        let phase = Phase::of(position).context("the board is full")?;
        let ByClass { weights, counted, .. } = &self.0;
        let (set, geometry) = (weights.set(), weights.geometry());
        let parameters: Vec<usize> = geometry.parameters_of(position).collect();
        let discs = |parameter: usize| weight_in_discs(weights.steps(phase)[parameter]);
        let (of_instances, of_scalars) = parameters.split_at(geometry.instances.len());
        let part =
            |(instance, &parameter): (&othello_engine::pattern::Instance, &usize)| InstancePart {
                pattern: set.patterns()[instance.pattern].name().to_owned(),
                squares: instance
                    .squares
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" "),
                configuration: instance
                    .squares
                    .iter()
                    .map(|square| disc(position, square.bit()))
                    .collect(),
                discs: discs(parameter),
                count: counted.then(|| weights.counts(phase)[parameter]),
            };
        let mut instances: Vec<InstancePart> =
            geometry.instances.iter().zip(of_instances).map(part).collect();
        let of_pattern = |(number, pattern): (usize, &othello_engine::pattern::Pattern)| {
            let own = geometry.instances.iter().zip(of_instances);
            let own = own.filter(|(instance, _)| instance.pattern == number);
            Total {
                name: pattern.name().to_owned(),
                discs: own.map(|(_, &parameter)| discs(parameter)).sum(),
            }
        };
        let patterns = set.patterns().iter().enumerate().map(of_pattern);
        let scalars = geometry.scalars.iter().zip(of_scalars);
        let scalars = scalars.map(|(scalar, &parameter)| Total {
            name: format!("{} ({})", scalar.name(), scalar.count(position)),
            discs: discs(parameter),
        });
        let mut totals: Vec<Total> = patterns.chain(scalars).collect();
        totals.sort_by(|a, b| b.discs.abs().total_cmp(&a.discs.abs()));
        instances.sort_by(|a, b| b.discs.abs().total_cmp(&a.discs.abs()));
        let sum: f64 = parameters.into_iter().map(discs).sum();
        Ok(Explanation {
            board: board_text(position, Side::Black),
            phase,
            value: sum.clamp(-64.0, 64.0),
            totals,
            instances,
        })
    }
}

/// What stands on a square.
fn disc(position: &Position, bit: u64) -> char {
    match bit {
        _ if position.player() & bit != 0 => 'X',
        _ if position.opponent() & bit != 0 => 'O',
        _ => '-',
    }
}
