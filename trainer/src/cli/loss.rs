//! `othello-trainer loss`: the errors of any evaluation on any data.

use std::fmt;
use std::path::PathBuf;

use othello_engine::board::Phase;
use othello_engine::cli::table::{Align, table};
use othello_engine::cli::{Outcome, Session};
use othello_engine::eval::WeightsChoice;
use othello_engine::file::{Existing, check_output, plain};
use othello_engine::record::record_files;
use serde::Serialize;

use super::max_mae::{Verdict, largest_error};
use super::phases::Phases;
use crate::source::LabelRules;

mod explain;
mod groups;
mod held_out;
mod measure;
mod picture;
mod worst;

use groups::{Group, GroupErrors, Sums, by_region};
use held_out::PartChoice;
use measure::measure;
use worst::WorstPosition;

/// Arguments of `loss`.
#[derive(clap::Args, Clone, Debug)]
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
    /// List this many positions with the largest errors: the game, the kind of the label, what each pattern adds
    /// to the value, and board lines with their labels
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
    /// The errors of all of them.
    #[serde(flatten)]
    all: GroupErrors,
    /// Whether the mean absolute error is within `--max-mae`; null without it.
    passed: Option<bool>,
    /// The positions grouped by the value that they got.
    by_value: Vec<Group>,
    /// The positions grouped by region of the game.
    by_region: Vec<Group>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    worst: Vec<WorstPosition>,
}

#[derive(Serialize)]
struct PhaseLoss {
    phase: Phase,
    #[serde(flatten)]
    errors: GroupErrors,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phases = self.phases.iter().filter(|row| row.errors.positions > 0);
        let phases = phases.map(|row| row.errors.cells(row.phase));
        writeln!(f, "{}", errors_table("phase", phases.chain([self.all.cells("all")])))?;
        for (name, groups) in [("value", &self.by_value), ("region", &self.by_region)] {
            let rows = groups.iter().map(|group| group.errors.cells(&group.name));
            writeln!(f, "\n{}", errors_table(name, rows))?;
        }
        if self.worst.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nthe largest errors\n{}", WorstPosition::table(&self.worst))?;
        writeln!(f, "\nas board lines with their labels, for `othello-engine evaluate`")?;
        self.worst.iter().try_for_each(|worst| writeln!(f, "{}", worst.line))
    }
}

/// A table of the errors of groups, under the name of what these have in common.
fn errors_table(name: &str, rows: impl Iterator<Item = [String; 5]>) -> String {
    let columns = [name, "positions", "bias", "MAE", "MSE"].map(|name| (name, Align::Right));
    table(columns, rows)
}

impl Arguments {
    /// The rules that give the positions of games their labels.
    fn rules(&self) -> LabelRules {
        self.labels.clone().unwrap_or_default()
    }
}

/// Measures and reports; exit status 1 where the error is above `--max-mae`.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    if let Some(board) = &arguments.explain {
        session.print(&explain::explain(&arguments.weights, board)?)?;
        return Ok(Outcome::Done);
    }
    let arguments = &Arguments { data: record_files(&arguments.data)?, ..arguments.clone() };
    if let Some(path) = &arguments.picture {
        let data = arguments.data.iter().map(PathBuf::as_path);
        check_output(path, data.chain(arguments.weights.path()))?;
    }
    let measured = measure(arguments, session)?;
    let all = measured.phases.iter().fold(Sums::default(), |sum, phase| sum.plus(*phase));
    let row = |phase: Phase| PhaseLoss { phase, errors: (&measured.phases[phase.index()]).into() };
    let rows: Vec<PhaseLoss> = arguments.phases.iter().map(row).collect();
    let all = GroupErrors::from(&all);
    if let Some(path) = &arguments.picture {
        let title = format!("{} on {} positions", arguments.weights, all.positions);
        let picture = picture::picture(&title, &rows)?;
        let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
        plain::write(path, picture.as_bytes(), existing)?;
    }
    let verdict = arguments.max_mae.map(|limit| Verdict::new(limit, all.mae));
    session.print(&Loss {
        phases: rows,
        all,
        by_value: measured.by_value.groups(),
        by_region: by_region(&measured.phases),
        passed: verdict.as_ref().map(Verdict::passed),
        worst: WorstPosition::describe(&measured.worst, arguments)?,
    })?;
    Ok(verdict.map_or(Outcome::Done, |verdict| verdict.outcome("mean absolute error", session)))
}
