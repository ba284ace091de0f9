//! `othello-trainer relabel` and `leaves`: label positions by searches.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use othello_cli::arguments::{Output, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::file::{Kind, Summary, check_output, kind_of};
use othello_engine::progress::Progress as _;
use othello_engine::record::{Game, ScoredPosition, record_files};
use othello_engine::run::{Shard, described};
use othello_engine::search::{Level, Plan, Selectivity, Strength};
use serde::Serialize;

use super::picture::histogram;
use super::selection::Count;
use crate::backend::SolveMany;
use crate::fit::Device;
use crate::records::leaves::{LeavesJob, leaves};
use crate::records::relabel::{
    Changes, Relabel, RelabelJob, Relabelled, Search, Settings, relabel,
};
use crate::records::sequence::Inputs;
use crate::source::LabelRules;

#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Files of games, or of positions, or folders of such files, read in the given order
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
    #[arg(long, value_name = "N", value_parser = number_in(0..=60_u32), required_unless_present = "level")]
    exact: Option<u32>,
    #[arg(long, value_name = "D", value_parser = number_in(1..=60_u32))]
    depth: Option<u32>,
    #[arg(long, value_name = "N", value_parser = number_in(1..=u64::MAX))]
    nodes: Option<u64>,
    #[arg(long, value_name = "PERCENT")]
    selectivity: Option<Selectivity>,
    #[arg(long, value_name = "L", conflicts_with_all = ["depth", "exact"])]
    level: Option<Level>,
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Cpu)]
    device: Device,
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report {
    /// The device that solved positions with few empty squares: `cpu`, `cuda`, or `host` (the
    /// kernels of a GPU, run on the CPU).
    device: &'static str,
    #[serde(flatten)]
    count: Count,
    #[serde(flatten)]
    changes: Changes,
    /// The mean of |old result or label − exact score|, in discs; null if there are no old values.
    mean_discs: Option<f64>,
    #[serde(flatten)]
    summary: Option<Summary>,
    /// The wall time of the command.
    seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Changes { solved, results, changed, other_winner, contradicted, by_discs, .. } =
            &self.changes;
        let (changing, with_results) = match self.count {
            Count::Games(_) => ("results", format!(", {results} of those with a result")),
            Count::Positions(_) => ("labels", String::new()),
        };
        writeln!(f, "{}, {solved} of them solved{with_results}", self.count)?;
        let percent = |part: u64| 100.0 * part as f64 / (*results).max(1) as f64;
        writeln!(
            f,
            "{changed} {changing} changed ({:.1} %), {other_winner} with another winner ({:.1} %)",
            percent(*changed),
            percent(*other_winner)
        )?;
        if *contradicted > 0 {
            writeln!(f, "{contradicted} games stated another score for the same position")?;
        }
        if let Some(mean) = self.mean_discs {
            writeln!(f, "by {mean:.2} discs on average\n")?;
        }
        let bars = histogram(changing, by_discs.iter().map(|(&discs, &it)| (discs as i32, it)));
        write!(f, "{bars}{}, {:.2} s", described(self.summary.as_ref()), self.seconds)
    }
}

pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    check_output(&arguments.output.out, arguments.weights.path())?;
    let evaluator = Evaluator::load(&arguments.weights)?;
    let arguments = &Arguments { files: record_files(&arguments.files)?, ..arguments.clone() };
    let first = arguments.files.first().context("no file is named")?;
    let picked = arguments.device.pick()?;
    let solver = picked.solver()?;
    if solver.is_some() {
        session.progress().message(&format!("solves on {}: {}", picked.name, picked.reason));
    }
    let solver = solver.as_deref();
    let (count, Relabelled { changes, summary, .. }) = match kind_of(first)? {
        Kind::Games => arguments.relabel::<Game>(&evaluator, solver, session)?,
        _ => arguments.relabel::<ScoredPosition>(&evaluator, solver, session)?,
    };
    session.print(&Report {
        device: picked.name,
        count,
        mean_discs: changes.mean_discs(),
        changes,
        summary,
        seconds: session.seconds(),
    })
}

impl Arguments {
    fn settings(&self, evaluator: &Evaluator) -> anyhow::Result<Settings> {
        let (exact, depth, usual) = match self.level.map(|level| level.plan(evaluator)) {
            Some(Plan { depth, selectivity, exact, .. }) => (exact, Some(depth), selectivity),
            None => {
                let depth = self.depth.or(self.nodes.map(|_| Strength::ANY_DEPTH));
                (self.exact.unwrap_or(0), depth, Selectivity::Full)
            }
        };
        let (nodes, selectivity) = (self.nodes, self.selectivity.unwrap_or(usual));
        if depth.is_none() && selectivity != Selectivity::Full {
            bail!(
                "--selectivity applies to searches by depth, nodes or level: add --depth, --nodes \
                 or --level"
            );
        }
        let search = depth.map(|depth| Search { depth, nodes, selectivity });
        Ok(Settings { exact, search })
    }

    fn relabel<R: Relabel>(
        &self,
        evaluator: &Evaluator,
        device: Option<&dyn SolveMany>,
        session: &Session,
    ) -> anyhow::Result<(Count, Relabelled)> {
        let progress = session.progress();
        let inputs = Inputs::<R>::count(&self.files, progress)?;
        let settings = self.settings(evaluator)?;
        let run = RelabelJob { settings, inputs: &inputs, shard: self.shard, device };
        let relabelled =
            relabel(&self.output.out, &run, evaluator, self.output.existing(), progress)?;
        Ok((Count::of::<R>(relabelled.records), relabelled))
    }
}

#[derive(clap::Args, Debug)]
pub struct LeavesArguments {
    /// Files of games, or folders of such files, read in the given order
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
    /// Largest search depth; each position is searched to a pseudo-random depth from 1 to D
    #[arg(long, value_name = "D", default_value_t = 4, value_parser = number_in(1..=12_u32))]
    depth: u32,
    #[arg(long, value_name = "RULES", default_value_t)]
    labels: LabelRules,
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{positions} leaves of {games} games\n{}, {seconds:.2} s", described(summary.as_ref()))]
pub(in crate::cli) struct Leaves {
    /// The number of games in the input files.
    games: u64,
    /// The number of positions in the written file: the leaves of principal variations.
    positions: u64,
    #[serde(flatten)]
    summary: Option<Summary>,
    /// The wall time of the command.
    seconds: f64,
}

pub fn write_leaves(arguments: &LeavesArguments, session: &Session) -> anyhow::Result<Outcome> {
    let LeavesArguments { output, labels, depth, weights, shard, .. } = arguments;
    check_output(&output.out, weights.path())?;
    let evaluator = Evaluator::load(weights)?;
    let games = Inputs::<Game>::count(&record_files(&arguments.files)?, session.progress())?;
    let job = LeavesJob { games: &games, labels, depth: *depth, shard: *shard };
    let written = leaves(&output.out, &job, &evaluator, output.existing(), session.progress())?;
    session.print(&Leaves {
        games: games.len(),
        positions: written.records,
        summary: written.summary,
        seconds: session.seconds(),
    })
}
