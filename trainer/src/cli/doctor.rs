//! `othello-trainer doctor`: reports the hardware, and the parts of it that a fit would use.

use othello_cli::{Outcome, Session};
use othello_engine::simd::InstructionSet;
use serde::Serialize;

use crate::fit::Device;
use crate::memory::allowed_memory;
use crate::model;

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
    /// The reason for this device.
    reason: String,
    /// The GPU; null if there is no usable one.
    gpu: Option<GpuFindings>,
    /// The number of threads that a fit would use.
    threads: usize,
    /// The memory in bytes that this process may use; commands stay within it by default.
    memory_bytes: u64,
    /// What limits the memory: `machine`, `control group`, or `ulimit` (half of what it leaves).
    memory_limit: &'static str,
    /// The instruction set that the most time-consuming functions use.
    instructions: String,
    /// The available instruction sets for pattern indices, without the portable code.
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
    /// The memory of the GPU.
    memory_bytes: usize,
}

/// Runs the command `doctor`: examines the machine and prints the report.
pub fn run(session: &Session) -> anyhow::Result<Outcome> {
    let picked = Device::Auto.pick()?;
    let (memory_bytes, memory_limit) = allowed_memory();
    let gpu = picked.gpu().map(|found| GpuFindings {
        name: found.name.clone(),
        architecture: found.architecture.to_string(),
        driver: found.driver,
        memory_bytes: found.memory_bytes,
    });
    session.print(&Findings {
        device: picked.name(),
        optimizer: if gpu.is_some() { "adam" } else { "lsq" },
        reason: picked.reason.clone(),
        gpu,
        threads: rayon::current_num_threads(),
        memory_bytes,
        memory_limit,
        instructions: InstructionSet::chosen().to_string(),
        instruction_sets: instruction_sets(),
    })
}

fn instruction_sets() -> Vec<String> {
    let sets = model::InstructionSet::available();
    sets.filter(|&set| set != model::InstructionSet::Portable).map(|set| set.to_string()).collect()
}
