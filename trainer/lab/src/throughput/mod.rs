//! Speed of the inner loop of a fit, compared with the limit of the machine in the same run.

mod cpu;
mod kernels;
mod positions;
mod stopwatch;

use othello_engine::record::ScoredPosition;

use othello_fit::backend::{BackendError, Rows};
use othello_fit::dataset::DatasetError;
use othello_fit::model::{Model, Row};

pub use cpu::{Rates as CpuRates, measure as measure_cpu};
pub use kernels::{Ends, Rates as KernelRates, SOLVED_EMPTIES, measure as measure_kernels};
pub use positions::positions;

/// Errors of a measurement.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum BenchError {
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("{0}")]
    Unfit(String),
}

fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Result<(), BenchError> {
    if holds { Ok(()) } else { Err(BenchError::Unfit(reason())) }
}

/// Returns weights between −4 and 4 discs, all neighbours different. The sum of 65 of them does not
/// overflow.
fn weights(parameters: usize) -> Vec<i32> {
    let weight = |parameter| (parameter as i32).wrapping_mul(0x9E37_79B1_u32 as i32) >> 11;
    (0..parameters).map(weight).collect()
}

fn stream<'a>(model: &Model, positions: impl Iterator<Item = &'a ScoredPosition>) -> Vec<u32> {
    let (mut stream, mut row) = (vec![], [Row::EMPTY]);
    for position in positions {
        model.write_rows([position.position()].into_iter(), &mut row);
        stream.extend_from_slice(row[0].features(model));
    }
    stream
}

/// Returns the parameters of every position, as 32-bit little-endian numbers.
pub fn indices(model: &Model, rows: &[Rows<'_>]) -> Vec<u8> {
    let stream = stream(model, rows.iter().flat_map(|rows| rows.positions));
    stream.into_iter().flat_map(u32::to_le_bytes).collect()
}
