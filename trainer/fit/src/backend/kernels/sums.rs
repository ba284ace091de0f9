//! Sums over positions, computed by kernels.

use othello_kernels::{Launcher, Value, index};

use super::KernelBackend;
use super::memory::{DevicePositions, DeviceRows, Vector};
use crate::backend::{Batch, Errors, Result, Target};

/// The number of threads that work on a position or number together: `TEAM` of `factors.cu`.
pub(super) const TEAM: usize = 32;

/// Joins the two halves of a wide sum as stored by `common.cuh`.
pub(super) fn wide(low: u64, high: u64) -> u128 {
    u128::from(low) + (u128::from(high) << 32)
}

impl<L: Launcher> KernelBackend<'_, L> {
    pub(super) fn add_residuals(
        &self,
        positions: &DevicePositions<'_, L>,
        batch: Batch,
        vector: &Vector<L::Buffer, i32>,
        target: Target,
        sums: &mut Vector<L::Buffer, i64>,
    ) -> Result<u128> {
        self.launcher.clear(&mut sums.buffer)?;
        let mut squared = self.launcher.allocate(2 * size_of::<u64>())?;
        let labels = u32::from(target == Target::Label);
        positions.for_each(&*self.launcher, batch, |rows| {
            let mut arguments = rows_arguments(&rows);
            arguments.extend([Value::U32(labels), self.checked(vector)]);
            arguments.extend([self.checked_out(sums), Value::Out(&mut squared)]);
            self.run(&index::RESIDUAL_SUMS, rows.range.len(), &mut arguments)
        })?;
        let mut halves = [0u64; 2];
        self.launcher.read(&squared, bytemuck::cast_slice_mut(&mut halves))?;
        Ok(wide(halves[0], halves[1]))
    }

    pub(super) fn add_occurrences(
        &self,
        positions: &DevicePositions<'_, L>,
        sums: &mut Vector<L::Buffer, i64>,
    ) -> Result<()> {
        self.launcher.clear(&mut sums.buffer)?;
        positions.for_each(&*self.launcher, Batch::WHOLE, |rows| {
            let mut arguments = rows_arguments(&rows);
            arguments.push(self.checked_out(sums));
            self.run(&index::OCCURRENCES, rows.range.len(), &mut arguments)
        })
    }

    pub(super) fn errors_of(
        &self,
        positions: &DevicePositions<'_, L>,
        weights: &Vector<L::Buffer, i32>,
    ) -> Result<Errors> {
        let mut totals = self.launcher.allocate(4 * size_of::<u64>())?;
        positions.for_each(&*self.launcher, Batch::WHOLE, |rows| {
            let (mut arguments, count) = (rows_arguments(&rows), rows.range.len());
            let weights = self.checked(weights);
            let (kernel, threads) = match &self.group {
                None => {
                    arguments.push(weights);
                    (&index::ERRORS, count)
                }
                Some(group) => {
                    arguments.extend(group.arguments(&rows, weights));
                    (&index::JOINT_ERRORS, count * TEAM)
                }
            };
            arguments.push(Value::Out(&mut totals));
            self.run(kernel, threads, &mut arguments)
        })?;
        let mut found = [0u64; 4];
        self.launcher.read(&totals, bytemuck::cast_slice_mut(&mut found))?;
        let [weight, absolute, low, high] = found;
        Ok(Errors::of_sums(positions.len() as u64, weight, absolute.into(), wide(low, high)))
    }
}

/// Returns the kernel arguments for rows: the buffer, the first row, the number of rows and the
/// factor.
pub(super) fn rows_arguments<'b, B>(rows: &DeviceRows<'b, B>) -> Vec<Value<'b, B>> {
    let number = |number: usize| Value::U32(number as u32);
    let (buffer, range) = (Value::In(rows.buffer), &rows.range);
    vec![buffer, number(range.start), number(range.len()), Value::U32(rows.factor.into())]
}
