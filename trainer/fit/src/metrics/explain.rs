//! Splits the value of a position into the contributions of patterns, scalar features and factors.

use std::fmt;
use std::path::PathBuf;

use othello_engine::board::notation::board_text;
use othello_engine::board::{Phase, Position, Side};
use othello_engine::eval::{InstancePart, STEPS_PER_DISC, Value, Weights, weight_in_discs};
use othello_engine::pattern::Pattern;
use othello_engine::text::Invalid;
use othello_engine::text_table::table;
use serde::Serialize;

use super::Valued;
use crate::backend::RESIDUALS_PER_DISC;
use crate::source::LabelRules;

/// The contributions to the value of a position, in descending order of their absolute values.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Explanation {
    /// The position as text: 64 squares (X for the side to move) and the side to move.
    pub board: String,
    /// The phase.
    pub phase: Phase,
    /// The sum of all contributions, limited to ±64 discs.
    pub value: f64,
    /// The contributions of each pattern (all instances), of each scalar feature, of all factors.
    pub totals: Vec<Total>,
    /// The contribution of each pattern instance.
    pub instances: Vec<InstanceRow>,
}

/// The contribution of a pattern, of a scalar feature or of factors to the value of a position.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Total {
    /// The name of the pattern or scalar feature. All factors share one entry, which has the name
    /// `all of them together`.
    pub name: String,
    /// The contribution to the position's value for the side to move, in discs.
    pub discs: f64,
}

/// The contribution of one instance of a pattern to the value of a position.
#[derive(Serialize, schemars::JsonSchema)]
pub struct InstanceRow {
    /// The name of the pattern.
    pub pattern: String,
    /// The squares of the pattern instance, such as `a1 b1 c1`.
    pub squares: String,
    /// The contents of the squares, in the order of `squares`: X for a disc of the side to move, O
    /// for one of the opponent, `-` for an empty square.
    pub configuration: String,
    /// The contribution of this pattern instance to the value for the side to move, in discs.
    pub discs: f64,
    /// The number of times that this configuration, or one symmetric to it, occurs in the training
    /// positions of the phase; null for the embedded weights, which lack this number.
    pub count: Option<u32>,
}

/// The weights whose contributions to the value of a position are computed.
pub struct Explainer {
    /// The weights.
    pub weights: Weights,
    /// True if `weights` has each parameter's number of occurrences in training.
    pub counted: bool,
}

impl Explainer {
    /// Returns the contributions of the weights to the value of a position.
    pub fn explain(&self, position: &Position) -> Result<Explanation, Invalid> {
        if position.moves() == 0 {
            let reason = "the side to move has no legal move; its value is the value after the \
                          pass, or the score";
            return Err(Invalid(reason.to_owned()));
        }
        let Self { weights, counted } = self;
        let parts = weights.parts(position);
        let parts = parts.ok_or_else(|| Invalid("the board is full".to_owned()))?;
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
            name: format!("{} ({})", part.scalar, part.number),
            discs: weight_in_discs(part.weight.steps),
        });
        let together = weights.factors().map(|_| Total {
            name: "all of them together".to_owned(),
            discs: f64::from(parts.together) / f64::from(STEPS_PER_DISC),
        });
        let patterns = weights.set().patterns().iter().map(of_pattern);
        let mut totals: Vec<Total> = patterns.chain(scalars).chain(together).collect();
        totals.sort_by(|a, b| b.discs.abs().total_cmp(&a.discs.abs()));
        instances.sort_by(|a, b| b.discs.abs().total_cmp(&a.discs.abs()));
        let (board, value) = (board_text(position, Side::Black), Value::clamped(parts.steps()));
        Ok(Explanation { board, phase: parts.phase, value: value.discs(), totals, instances })
    }
}

fn disc(position: &Position, bit: u64) -> char {
    match bit {
        _ if position.player() & bit != 0 => 'X',
        _ if position.opponent() & bit != 0 => 'O',
        _ => '-',
    }
}

const SHOWN: usize = 12;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: phase {}, value {:+.2} discs", self.board, self.phase, self.value)?;
        let discs = |discs: f64| format!("{discs:+.2}");
        let columns = ["<pattern or scalar feature", "discs"];
        let rows = self.totals.iter().map(|row| [row.name.clone(), discs(row.discs)]);
        writeln!(f, "{}\n\nthe largest parts", table(columns, rows))?;
        let columns = ["<squares", "<configuration", "discs", "count", "<pattern"];
        let rows = self.instances.iter().take(SHOWN).map(|part| {
            let count = part.count.map_or("-".to_owned(), |count| count.to_string());
            let InstanceRow { pattern, squares, configuration, .. } = part;
            [squares.clone(), configuration.clone(), discs(part.discs), count, pattern.clone()]
        });
        write!(f, "{}", table(columns, rows))
    }
}

/// A position with a large error.
#[derive(Serialize, schemars::JsonSchema)]
pub struct WorstPosition {
    /// A line for the command `evaluate`: the board, the side to move, and the label as the score.
    pub line: String,
    /// The position as text: 64 squares (X for the side to move) and the side to move.
    pub board: String,
    /// The phase.
    pub phase: Phase,
    /// The position's value for the side to move, in discs: static or, with `--depth`, by a search.
    pub value: f64,
    /// The label of the position for the side to move, in discs.
    pub label: f64,
    /// The source of the label, such as `result`; null with `--subset`: datasets do not store it.
    pub label_kind: Option<String>,
    /// Value − label, in discs.
    pub error: f64,
    /// The path of the file with the position's game; null with `--subset`.
    pub file: Option<String>,
    /// The number, from 1, of the game in the file, where a position without a game counts as a
    /// game; null with `--subset`.
    pub game: Option<u64>,
    /// The number of moves before the position.
    pub ply: u32,
    /// The contributions to the static value, in descending order of absolute values: one entry for
    /// each pattern (the sum over its instances), for each scalar feature, and for all factors
    /// together. Empty for the evaluations `none` and `mobility`.
    pub parts: Vec<Total>,
}

impl WorstPosition {
    /// Describes the position `valued`, which was read from one of `files` and labelled by one of
    /// `rules`. Fails if an `explainer` is given, but the side to move has no legal move.
    pub fn describe(
        valued: &Valued,
        files: &[PathBuf],
        rules: &LabelRules,
        explainer: Option<&Explainer>,
    ) -> Result<Self, Invalid> {
        let Valued { phase, row, place, error } = valued;
        let error = -f64::from(*error) / f64::from(RESIDUALS_PER_DISC);
        let (position, label) = (row.position(), row.label().discs());
        let board = board_text(&position, Side::Black);
        let parts = explainer.map(|explainer| explainer.explain(&position)).transpose();
        let parts = parts.map_err(|Invalid(reason)| Invalid(format!("{board}: {reason}")))?;
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
