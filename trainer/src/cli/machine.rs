//! `othello-trainer doctor` shows the hardware of a fit, and `bench` the speed of its inner loop.

use std::path::Path;

use othello_cli::arguments::number_in;
use othello_cli::{Outcome, Session};
use othello_engine::board::Phase;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress as _;
use othello_engine::simd::InstructionSet;
use othello_kernels::cuda::CudaLauncher;
use othello_kernels::host::HostLauncher;
use serde::Serialize;

use super::pattern_sets;
use crate::backend::kernels::program;
use crate::dataset::DataChoice;
use crate::fit::Device;
use crate::memory::allowed_memory;
use crate::model::{self, Model, Phases};
use crate::throughput::{Rates, measure_cpu, measure_kernels, positions};

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "device            {device}\n\
     reason            {reason}\n\
     optimizer         {optimizer}\n\
     threads           {threads}\n\
     memory            {:.1} GiB ({memory_limit})\n\
     instructions      {instructions}\n\
     instruction sets  {}",
    *memory_bytes as f64 / f64::from(1 << 30), instruction_sets.join(" ")
)]
pub(in crate::cli) struct Findings {
    /// The device that `--device auto` picks.
    device: &'static str,
    /// The reason why `--device auto` picks this device.
    reason: String,
    /// The GPU; null if there is no usable one.
    gpu: Option<GpuFindings>,
    /// The number of threads that a fit would use.
    threads: usize,
    /// The memory in bytes that this process may use; commands stay within it by default.
    memory_bytes: u64,
    /// The source of `memory_bytes`: `machine`, `control group`, `ulimit` (half of the memory that
    /// `ulimit -d` or `-v` still allows), or `unknown` on systems other than Linux.
    memory_limit: &'static str,
    /// The instruction set that the most time-consuming functions use.
    instructions: String,
    /// The vector instruction sets of this CPU that the computation of pattern indices can use.
    instruction_sets: Vec<String>,
    /// The default optimizer of a fit on this device.
    optimizer: &'static str,
}

#[derive(Serialize, schemars::JsonSchema)]
struct GpuFindings {
    /// The name of the GPU.
    name: String,
    /// The architecture of the GPU, such as `compute_90`.
    architecture: String,
    /// The CUDA version of the driver: 1000 · major + 10 · minor.
    driver: i32,
    /// The total memory of the GPU in bytes.
    memory_bytes: usize,
}

pub fn doctor(session: &Session) -> anyhow::Result<Outcome> {
    let picked = Device::Auto.pick()?;
    let (memory_bytes, memory_limit) = allowed_memory();
    let gpu = picked.gpus.first().map(|found| GpuFindings {
        name: found.name.clone(),
        architecture: found.architecture.to_string(),
        driver: found.driver,
        memory_bytes: found.memory_bytes,
    });
    session.print(&Findings {
        device: picked.name,
        optimizer: if gpu.is_some() { "adam" } else { "lsq" },
        reason: picked.reason.clone(),
        gpu,
        threads: rayon::current_num_threads(),
        memory_bytes,
        memory_limit,
        instructions: InstructionSet::chosen().to_string(),
        instruction_sets: model::InstructionSet::available()
            .filter(|&set| set != model::InstructionSet::Portable)
            .map(|set| set.to_string())
            .collect(),
    })
}

/// The maximum of `--games`, chosen so that the positions of all games fit into memory.
const MAX_GAMES: u64 = 10_000_000;

#[derive(clap::Args, Debug)]
pub struct BenchArguments {
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Cpu)]
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
    /// Number of times that each speed is measured; the highest speed counts
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
pub(in crate::cli) struct Bench {
    /// The device: `cpu`, `cuda`, or `host` (the kernels of a GPU, run on the CPU).
    device: &'static str,
    /// The number of positions in the measurement; symmetric images of a position count once.
    positions: usize,
    /// The measured speed of the inner loop of a fit in positions per second, on one thread of the
    /// CPU or on the whole GPU.
    positions_per_second: f64,
    /// The greatest speed of a fit's inner loop that memory allows, in positions per second. It is
    /// computed from a GPU's memory bandwidth. On a CPU, the memory accesses alone are measured.
    limit_positions_per_second: f64,
    /// `positions_per_second` divided by `limit_positions_per_second`; 1 would be ideal.
    ratio: f64,
}

pub fn bench(arguments: &BenchArguments, session: &Session) -> anyhow::Result<Outcome> {
    let model = Model::new(PatternSet::named(&arguments.patterns, Path::new(""))?);
    let picked = arguments.device.pick()?;
    // The positions of 400,000 games exceed the cache of a GPU.
    let games = arguments.games.unwrap_or(if !picked.gpus.is_empty() { 400_000 } else { 100_000 });
    let phases: Vec<Phase> = arguments.phases.iter().collect();
    let rows = positions(arguments.data.as_ref(), games, &phases, session.progress())?;
    let (device, count) = (picked.name, rows.len());
    session.progress().message(&format!("{count} positions on {device}"));
    let (program, repetitions) = (program(&model), arguments.repetitions);
    let Rates { own, limit } = match &picked.gpus[..] {
        _ if picked.is_cpu() => measure_cpu(&model, &rows, repetitions),
        [] => measure_kernels(&model, &rows, repetitions, HostLauncher::new(&program)?),
        gpus => measure_kernels(&model, &rows, repetitions, CudaLauncher::new(gpus, &program)?),
    }?;
    session.print(&Bench {
        device,
        positions: count,
        positions_per_second: own,
        limit_positions_per_second: limit,
        ratio: own / limit,
    })
}
