//! `othello-trainer bench`: measures the speed of a fit's inner loop and, in the same run, the
//! machine's limit.

use std::fmt;
use std::path::{Path, PathBuf};

use othello_cli::arguments::{number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::board::Phase;
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::file::{Existing, check_output, plain};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress as _;
use othello_engine::record::ScoredPosition;
use othello_kernels::cuda::CudaLauncher;
use othello_kernels::host::HostLauncher;
use serde::Serialize;

use super::pattern_sets;
use crate::backend::Rows;
use crate::backend::kernels::program;
use crate::dataset::DataChoice;
use crate::fit::Device;
use crate::model::Model;
use crate::model::Phases;
use crate::throughput::{Ends, SOLVED_EMPTIES, indices, measure_cpu, measure_kernels, positions};

/// The greatest number of random games: more than any measurement needs, but their positions still
/// fit into memory.
const MAX_GAMES: u64 = 10_000_000;

/// Arguments of `bench`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    device: Device,
    #[arg(long, value_name = "FILE")]
    data: Option<DataChoice>,
    #[arg(long, value_name = "A..B", default_value = "34..38")]
    phases: Phases,
    #[arg(long, value_name = "SET", default_value = "standard")]
    #[arg(help = pattern_sets(|set| set.factors().is_none()))]
    patterns: String,
    #[arg(long, value_name = "N", value_parser = number_in(0..=MAX_GAMES))]
    games: Option<u64>,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    /// File for the parameters of every position, as 32-bit little-endian numbers, to measure other
    /// programs on
    #[arg(long, value_name = "FILE")]
    indices: Option<PathBuf>,
    #[arg(long, requires = "indices")]
    force: bool,
    /// Number of times that everything is measured; the best one counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = number_in(1..=1_000_000_u32))]
    repetitions: u32,
}

/// The report of a measurement, with rates in positions per second.
#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report<D> {
    /// `cpu` or `cuda`.
    device: &'static str,
    /// The number of different positions up to symmetry.
    positions: usize,
    /// The rate of residual sums, on one thread of a CPU or on all of another device.
    positions_per_second: f64,
    /// The limit of the machine, as each device defines it.
    limit_positions_per_second: f64,
    /// The rate divided by its limit.
    ratio: f64,
    #[serde(flatten)]
    details: D,
}

impl<D> Report<D> {
    fn new(
        device: &'static str,
        positions: usize,
        (positions_per_second, limit_positions_per_second, details): (f64, f64, D),
    ) -> Self {
        let ratio = positions_per_second / limit_positions_per_second;
        Self { device, positions, positions_per_second, limit_positions_per_second, ratio, details }
    }
}

impl<D: fmt::Display> fmt::Display for Report<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { device, positions, ratio, .. } = self;
        let [rate, limit] =
            [self.positions_per_second, self.limit_positions_per_second].map(|rate| rate / 1e6);
        writeln!(f, "device {device}, {positions} positions; rates in million positions/s")?;
        write!(f, "residual sums {rate:.2}, limit {limit:.2}, ratio {ratio:.2}\n{}", self.details)
    }
}

/// Measures and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    if let Some(path) = &arguments.indices {
        let set = Some(Path::new(&arguments.patterns));
        let data = arguments.data.as_ref().map(|choice| choice.path.as_path());
        check_output(path, data.into_iter().chain(set))?;
    }
    let set = PatternSet::named(&arguments.patterns, Path::new(""))?;
    let picked = arguments.device.pick()?;
    let device = picked.name();
    // Two million positions on a GPU take milliseconds per pass, and more memory than its cache
    // has.
    let games = arguments.games.unwrap_or(if picked.gpu().is_some() { 400_000 } else { 100_000 });
    let phases: Vec<Phase> = arguments.phases.iter().collect();
    let (data, random) = (arguments.data.as_ref(), (arguments.seed, games));
    let dataset = positions(data, random, &phases, session.progress())?;
    let rows: Vec<Rows<'_>> =
        phases.iter().map(|&phase| Rows::full(dataset.training(phase))).collect();
    let positions = rows.iter().map(|rows| rows.positions.len()).sum();
    session.progress().message(&format!("{positions} positions on {device}"));
    if let Some(path) = &arguments.indices {
        let indices = indices(&Model::new(set.clone()), &rows);
        plain::write(path, &indices, Existing::by_force(arguments.force))?;
    }
    let repetitions = arguments.repetitions;
    if picked.is_cpu() {
        let measured = measure_cpu(&set, &rows, session.threads(), repetitions)?;
        session.print(&Report::new(device, positions, measured))?;
    } else {
        let model = Model::new(set);
        let program = program(&model);
        let evaluator = Evaluator::prepared(&WeightsChoice::Embedded)?;
        let positions_with = |empties: u32| {
            let phase = Phase::all().nth(60 - empties as usize);
            let rows = phase.map_or(&[][..], |phase| dataset.training(phase));
            rows.iter().map(ScoredPosition::position).collect::<Vec<_>>()
        };
        let ends = SOLVED_EMPTIES.map(positions_with);
        let ends = Ends { evaluator: &evaluator, positions: &ends };
        let measured = match picked.gpu() {
            Some(found) => measure_kernels(&model, &rows, repetitions, ends, || {
                CudaLauncher::new(found, &program, None)
            }),
            None => {
                measure_kernels(&model, &rows, repetitions, ends, || HostLauncher::new(&program))
            }
        }?;
        session.print(&Report::new(device, positions, measured))?;
    }
    Ok(Outcome::Done)
}
