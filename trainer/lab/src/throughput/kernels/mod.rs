//! The kernels, on a GPU or on the CPU: residual sums, compared with memory, and exact scores.

mod residuals;
mod solves;

use std::fmt;

use othello_engine::eval::Evaluate;
use othello_engine::record::{ROW_BYTES, ScoredPosition};
use othello_kernels::{LaunchError, Launcher};
use serde::Serialize;

use super::cpu::limit_positions_per_second;
use super::{BenchError, ensure};
use othello_fit::backend::Rows;
use othello_fit::backend::kernels::KernelSolver;
use othello_fit::model::Model;
use solves::SolveRates;

pub use solves::{Ends, SOLVED_EMPTIES};

/// The greatest number of positions of a measurement, since a launch counts rows in 32 bits.
const MOST_POSITIONS: usize = u32::MAX as usize;

/// The bytes that a position moves for each feature: it reads a weight, and reads and writes a sum.
const BYTES_PER_FEATURE: usize = 4 + 2 * 8;

/// Rates in positions per second, by wall time.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Rates {
    /// The bytes that a position moves if caches keep nothing.
    bytes_per_position: usize,
    /// The memory bandwidth of the device in bytes per second. Without it, the limit is that of one
    /// thread of the CPU.
    memory_bandwidth: Option<u64>,
    /// The rates of exact scores, by numbers of empty squares.
    solves: Vec<SolveRates>,
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.memory_bandwidth {
            Some(bandwidth) => {
                let (gigabytes, bytes) = (bandwidth as f64 / 1e9, self.bytes_per_position);
                write!(f, "limit: {gigabytes:.0} GB/s, {bytes} bytes a position")?;
            }
            None => write!(f, "limit: memory accesses of one thread of the CPU")?,
        }
        self.solves.iter().try_for_each(|rates| write!(f, "\n{rates}"))
    }
}

/// Measures residual sums, then exact scores, on devices that `launcher` creates. Returns the rate
/// of the residual sums, its limit (memory bandwidth / bytes per position), and the other rates.
pub fn measure<L: Launcher, E: Evaluate>(
    model: &Model,
    rows: &[Rows<'_>],
    repetitions: u32,
    ends: Ends<'_, E>,
    launcher: impl Fn() -> Result<L, LaunchError>,
) -> Result<(f64, f64, Rates), BenchError> {
    // One run of rows, like a fit without neighbouring phases.
    let positions: Vec<ScoredPosition> =
        rows.iter().flat_map(|rows| rows.positions).copied().collect();
    let count = positions.len();
    let fewer = "choose fewer --phases or other --data";
    ensure(count <= MOST_POSITIONS, || {
        format!("{count} positions, over {MOST_POSITIONS}: {fewer}")
    })?;
    let weights = super::weights(model.parameters());
    let device = launcher()?;
    let memory_bandwidth = device.limits().memory_bandwidth;
    let own = residuals::rate(model, device, &positions, &weights, repetitions)?;
    let bytes_per_position = ROW_BYTES + BYTES_PER_FEATURE * model.feature_count();
    let limit = match memory_bandwidth {
        Some(bandwidth) => bandwidth as f64 / bytes_per_position as f64,
        None => limit_positions_per_second(model, rows, repetitions),
    };
    let solves = solves::measure(&KernelSolver::new(launcher()?), ends)?;
    Ok((own, limit, Rates { bytes_per_position, memory_bandwidth, solves }))
}
