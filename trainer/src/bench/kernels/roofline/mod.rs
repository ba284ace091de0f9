//! The roofline of the gradient kernels: the measured limits of the device, and the layout that
//! other trainers use. Fits use none of this.

mod baseline;
mod limits;
#[cfg(test)]
mod tests;
mod wide;

use othello_engine::record::ScoredPosition;
use othello_kernels::{Kernel, Launcher};

use crate::backend::BackendError;

pub(super) use baseline::{Baseline, Layout};
pub(super) use limits::{Limit, LimitKernels};
pub(super) use wide::{WIDE_FEATURES, WIDE_ROW_BYTES};

/// The most positions in a measurement: 32-bit numbers count their features.
pub(in crate::bench) const MOST_POSITIONS: usize = 1 << 25;

fn failed(reason: String) -> BackendError {
    BackendError { device: "benchmark of the kernels", reason }
}

/// Returns the number of positions; refuses too many.
fn checked_count(positions: &[ScoredPosition]) -> Result<u32, BackendError> {
    let count = positions.len();
    if count > MOST_POSITIONS {
        let reason = format!("{count} positions are too many; {MOST_POSITIONS} at most");
        return Err(failed(reason));
    }
    Ok(count as u32)
}

/// Returns the number of blocks for a kernel that loops over `count` elements.
fn blocks_over(launcher: &impl Launcher, kernel: &Kernel, count: usize) -> u32 {
    let blocks = count.div_ceil(kernel.block as usize).max(1);
    blocks.min(launcher.limits().blocks as usize) as u32
}

/// Returns a buffer with these elements.
fn upload<L: Launcher>(
    launcher: &L,
    elements: &[impl bytemuck::NoUninit],
) -> Result<L::Buffer, BackendError> {
    let bytes: &[u8] = bytemuck::cast_slice(elements);
    let mut buffer = launcher.allocate(bytes.len().max(1))?;
    launcher.write(&mut buffer, bytes)?;
    Ok(buffer)
}
