//! `othello-trainer loss`: the errors of any evaluation on any data.

use std::cmp::Reverse;
use std::fmt;
use std::path::PathBuf;

use othello_engine::board::notation::board_text;
use othello_engine::board::{Phase, Side};
use othello_engine::cli::table::{Align, table};
use othello_engine::cli::{Outcome, Session};
use othello_engine::eval::{Evaluate, Evaluator, STEPS_PER_DISC, WeightsChoice};
use othello_engine::file::{Existing, check_output, plain};
use othello_engine::progress::Progress as _;
use othello_engine::record::ScoredPosition;
use rayon::prelude::*;
use serde::Serialize;

use super::max_mae::{Verdict, largest_error};
use super::phases::Phases;
use crate::backend::{Errors, RESIDUALS_PER_DISC};
use crate::source::LabelRules;
use crate::source::records::read_positions;

mod explain;
mod held_out;
mod picture;

use held_out::{PartChoice, Trained, trained};

/// Arguments of `loss`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Weights: a file, `none`, `mobility` or `embedded`
    weights: WeightsChoice,
    /// Records of games or positions
    #[arg(required_unless_present = "explain")]
    data: Vec<PathBuf>,
    /// Measure only a part of the data that the weights were fitted to, by the split and the labels that
    /// their provenance names
    #[arg(long, value_name = "PART", value_enum)]
    part: Option<PartChoice>,
    /// Take the value of this board apart instead: 64 characters a1 b1 … h8, and the side to move
    #[arg(long, value_name = "BOARD", allow_hyphen_values = true, conflicts_with_all = ["data", "part", "picture", "max_mae"])]
    explain: Option<String>,
    /// Phases to measure, A and B included
    #[arg(long, value_name = "A..B", default_value = "0..59")]
    phases: Phases,
    /// Rules that give the positions of games their labels, such as `36:solved` [default: the exact
    /// score where there is one, then the value that a search found, then what perfect play gives within
    /// two plies of a game's solved position, elsewhere the result]
    #[arg(long, value_name = "RULES")]
    labels: Option<LabelRules>,
    /// Exit with status 1 where the mean absolute error is larger, in discs
    #[arg(long, value_name = "X", value_parser = largest_error)]
    max_mae: Option<f64>,
    /// List this many positions with the largest errors, also as board lines with their labels
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: usize,
    /// Draw the error of each phase into this SVG file
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Write over a picture that is something else
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Loss {
    phases: Vec<PhaseLoss>,
    positions: u64,
    /// Mean absolute error in discs, the value clamped to ±64.
    mae: Option<f64>,
    /// Mean squared error in discs².
    mse: Option<f64>,
    /// Whether the mean absolute error is within `--max-mae`; null without it.
    passed: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    worst: Vec<WorstPosition>,
}

#[derive(Serialize)]
struct PhaseLoss {
    phase: Phase,
    positions: u64,
    mae: Option<f64>,
    mse: Option<f64>,
}

#[derive(Serialize)]
struct WorstPosition {
    /// The board, the side to move, and the label as its score: a line that `evaluate` reads.
    line: String,
    board: String,
    phase: Phase,
    value: f64,
    label: f64,
    error: f64,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
        let row = |name: String, positions: u64, mae, mse| {
            [name, positions.to_string(), number(mae), number(mse)]
        };
        let columns = ["phase", "positions", "MAE", "MSE"].map(|name| (name, Align::Right));
        let phases = self.phases.iter().filter(|row| row.positions > 0);
        let phases = phases.map(|p| row(p.phase.to_string(), p.positions, p.mae, p.mse));
        let all = row("all".into(), self.positions, self.mae, self.mse);
        writeln!(f, "{}", table(columns, phases.chain([all])))?;
        if self.worst.is_empty() {
            return Ok(());
        }
        let columns = ["phase", "value", "label", "error"].map(|name| (name, Align::Right));
        let worst =
            self.worst.iter().map(|WorstPosition { phase, value, label, error, .. }| {
                let [value, label, error] =
                    [value, label, error].map(|discs| format!("{discs:+.2}"));
                [phase.to_string(), value, label, error]
            });
        writeln!(f, "\nthe largest errors\n{}", table(columns, worst))?;
        writeln!(f, "\nas board lines with their labels, for `othello-engine evaluate`")?;
        self.worst.iter().try_for_each(|worst| writeln!(f, "{}", worst.line))
    }
}

/// A position and how far the value is off, in 1/1024 disc.
#[derive(Clone, Copy)]
struct Valued {
    row: ScoredPosition,
    error: i32,
}

/// Measures and reports; exit status 1 where the error is above `--max-mae`.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    if let Some(board) = &arguments.explain {
        session.print(&explain::explain(&arguments.weights, board)?)?;
        return Ok(Outcome::Done);
    }
    if let Some(path) = &arguments.picture {
        let data = arguments.data.iter().map(PathBuf::as_path);
        check_output(path, data.chain(arguments.weights.path()))?;
    }
    let measured = measure(arguments, session)?;
    let all = measured.phases.iter().fold(Errors::default(), |sum, phase| sum.plus(*phase));
    let rows: Vec<PhaseLoss> = measured.rows(&arguments.phases).collect();
    if let Some(path) = &arguments.picture {
        let title = format!("{} on {} positions", arguments.weights, all.positions);
        let picture = picture::picture(&title, &rows)?;
        let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
        plain::write(path, picture.as_bytes(), existing)?;
    }
    let verdict = arguments.max_mae.map(|limit| Verdict::new(limit, all.mae()));
    session.print(&Loss {
        phases: rows,
        positions: all.positions,
        mae: all.mae(),
        mse: all.mse(),
        passed: verdict.as_ref().map(Verdict::passed),
        worst: measured.worst.iter().map(describe).collect(),
    })?;
    Ok(verdict.map_or(Outcome::Done, |verdict| verdict.outcome("mean absolute error", session)))
}

/// The errors of all positions.
struct Measured {
    /// One for each phase.
    phases: Vec<Errors>,
    /// The positions with the largest errors, the largest first.
    worst: Vec<(Phase, Valued)>,
}

impl Measured {
    /// The errors of some phases.
    fn rows(&self, phases: &Phases) -> impl Iterator<Item = PhaseLoss> {
        phases.iter().map(|phase| {
            let errors = self.phases[phase.index()];
            let (mae, mse) = (errors.mae(), errors.mse());
            PhaseLoss { phase, positions: errors.positions, mae, mse }
        })
    }
}

/// Values all positions of the data, or of a part of it.
fn measure(arguments: &Arguments, session: &Session) -> anyhow::Result<Measured> {
    let evaluator = Evaluator::load(&arguments.weights)?;
    let mut found = Measured { phases: vec![Errors::default(); Phase::all().len()], worst: vec![] };
    let mut add = |rows: &[ScoredPosition]| {
        let valued: Vec<(Phase, Valued)> =
            rows.par_iter().filter_map(|row| value(&evaluator, row)).collect();
        let wanted = |(phase, _): &&(Phase, Valued)| arguments.phases.0.contains(phase);
        for &(phase, valued) in valued.iter().filter(wanted) {
            found.phases[phase.index()].add(valued.row.weight().steps(), valued.error);
            if arguments.worst > 0 {
                found.worst.push((phase, valued));
            }
        }
        keep_worst(&mut found.worst, arguments.worst);
    };
    if let Some(part) = arguments.part {
        let (labels, progress) = (arguments.labels.as_ref(), session.progress());
        add(&trained(&arguments.weights)?.part(part, &arguments.data, labels, progress)?);
        return Ok(found);
    }
    let trained = Trained::of(&arguments.weights)?;
    let rules = arguments.labels.clone().unwrap_or_default();
    for path in &arguments.data {
        let sha256 = read_positions(path, &rules, session.progress(), &mut add)?;
        if trained.as_ref().is_some_and(|trained| trained.knows(&sha256)) {
            session.progress().message(&format!(
                "{}: the weights were fitted to this file, so that the error is no test of them; --part \
                 test measures what was held out",
                path.display()
            ));
        }
    }
    Ok(found)
}

/// The value of a position; `None` for a full board, which has no phase.
fn value(evaluator: &Evaluator, row: &ScoredPosition) -> Option<(Phase, Valued)> {
    let position = row.position();
    let phase = Phase::of(&position)?;
    let value = evaluator.value(&evaluator.state(&position), &position);
    let unit = RESIDUALS_PER_DISC / STEPS_PER_DISC;
    let error = i32::from(row.label().steps()) * (RESIDUALS_PER_DISC / 256) - value.steps() * unit;
    Some((phase, Valued { row: *row, error }))
}

fn keep_worst(worst: &mut Vec<(Phase, Valued)>, count: usize) {
    worst.sort_by_key(|(_, valued)| (Reverse(valued.error.unsigned_abs()), valued.row));
    worst.truncate(count);
}

fn describe((phase, valued): &(Phase, Valued)) -> WorstPosition {
    let error = -f64::from(valued.error) / f64::from(RESIDUALS_PER_DISC);
    let label = valued.row.label().discs();
    let board = board_text(&valued.row.position(), Side::Black);
    let line = format!("{board} {label}");
    WorstPosition { line, board, phase: *phase, value: label + error, label, error }
}
