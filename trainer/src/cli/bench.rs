//! `othello-trainer bench`: measures the speed of a fit's inner loop, and its limit on the machine.

use std::path::Path;

use othello_cli::arguments::number_in;
use othello_cli::{Outcome, Session};
use othello_engine::board::Phase;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress as _;
use othello_kernels::cuda::CudaLauncher;
use othello_kernels::host::HostLauncher;
use serde::Serialize;

use super::pattern_sets;
use crate::backend::kernels::program;
use crate::dataset::DataChoice;
use crate::fit::Device;
use crate::model::{Model, Phases};
use crate::throughput::{Rates, measure_cpu, measure_kernels, positions};

/// The limit of `--games`: the positions fit into memory, and measurements need fewer.
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
    /// Number of times that everything is measured; the best one counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = number_in(1..=1_000_000_u32))]
    repetitions: u32,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "device {device}, {positions} positions; rates in million positions/s\n\
     residual sums {:.2}, limit {:.2}, ratio {ratio:.2}",
    positions_per_second / 1e6,
    limit_positions_per_second / 1e6
)]
pub(in crate::cli) struct Report {
    /// The device: `cpu`, `cuda`, or `host` (the kernels of a GPU, run on the CPU).
    device: &'static str,
    /// The number of different positions up to symmetry.
    positions: usize,
    /// Residual sums in positions per second, on one thread of the CPU or on the whole GPU.
    positions_per_second: f64,
    /// The upper limit of the rate: on a GPU, by the bandwidth of its memory; on a CPU, the rate of
    /// the memory accesses alone.
    limit_positions_per_second: f64,
    /// The measured rate of residual sums divided by its limit.
    ratio: f64,
}

/// Runs the command `bench`: measures the rates and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let model = Model::new(PatternSet::named(&arguments.patterns, Path::new(""))?);
    let picked = arguments.device.pick()?;
    // On a GPU, a pass over 400,000 games takes milliseconds, and they exceed its cache.
    let games = arguments.games.unwrap_or(if picked.gpu().is_some() { 400_000 } else { 100_000 });
    let phases: Vec<Phase> = arguments.phases.iter().collect();
    let positions = positions(arguments.data.as_ref(), games, &phases, session.progress())?;
    let (device, count) = (picked.name(), positions.len());
    session.progress().message(&format!("{count} positions on {device}"));
    let (program, repetitions) = (program(&model), arguments.repetitions);
    let Rates { own, limit } = match picked.gpu() {
        _ if picked.is_cpu() => measure_cpu(&model, &positions, repetitions),
        Some(found) => {
            let launcher = CudaLauncher::new(found, &program)?;
            measure_kernels(&model, &positions, repetitions, launcher)
        }
        None => {
            let launcher = HostLauncher::new(&program)?;
            measure_kernels(&model, &positions, repetitions, launcher)
        }
    }?;
    session.print(&Report {
        device,
        positions: count,
        positions_per_second: own,
        limit_positions_per_second: limit,
        ratio: own / limit,
    })
}
