//! Sums over positions, computed by kernels.

use othello_kernels::{Launcher, Value, index};

use super::KernelBackend;
use super::memory::{DevicePositions, DeviceRows, Vector};
use crate::backend::{BackendError, Batch, Errors, Target};

/// Joins the two halves of a wide sum, as `common.cuh` stores it.
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
    ) -> Result<u128, BackendError> {
        self.launcher.clear(&mut sums.buffer)?;
        let mut squared = self.launcher.allocate(2 * size_of::<u64>())?;
        let labels = u32::from(target == Target::Label);
        let part = |rows| batch.range(rows);
        positions.for_each(&*self.launcher, part, |rows| {
            let mut arguments = Vec::from(rows_arguments(&rows));
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
    ) -> Result<(), BackendError> {
        self.launcher.clear(&mut sums.buffer)?;
        positions.for_each(
            &*self.launcher,
            |rows| 0..rows,
            |rows| {
                let [buffer, first, count, factor] = rows_arguments(&rows);
                let mut arguments = [buffer, first, count, factor, self.checked_out(sums)];
                self.run(&index::OCCURRENCES, rows.range.len(), &mut arguments)
            },
        )
    }

    pub(super) fn add_errors(
        &self,
        positions: &DevicePositions<'_, L>,
        weights: &Vector<L::Buffer, i32>,
    ) -> Result<Errors, BackendError> {
        let mut totals = self.launcher.allocate(4 * size_of::<u64>())?;
        positions.for_each(
            &*self.launcher,
            |rows| 0..rows,
            |rows| {
                let [buffer, first, count, factor] = rows_arguments(&rows);
                let weights = self.checked(weights);
                let mut arguments =
                    [buffer, first, count, factor, weights, Value::Out(&mut totals)];
                self.run(&index::ERRORS, rows.range.len(), &mut arguments)
            },
        )?;
        self.errors_of_totals(positions, &totals)
    }

    /// Returns the errors of positions from the totals that the kernels add up.
    pub(super) fn errors_of_totals(
        &self,
        positions: &DevicePositions<'_, L>,
        totals: &L::Buffer,
    ) -> Result<Errors, BackendError> {
        let mut found = [0u64; 4];
        self.launcher.read(totals, bytemuck::cast_slice_mut(&mut found))?;
        let [weight, absolute, low, high] = found;
        Ok(Errors::of_sums(positions.len() as u64, weight, absolute.into(), wide(low, high)))
    }
}

/// Returns the buffer, the first row, the number of rows and the factor as arguments.
pub(super) fn rows_arguments<'b, B>(rows: &DeviceRows<'b, B>) -> [Value<'b, B>; 4] {
    let number = |number: usize| Value::U32(number as u32);
    let (buffer, range) = (Value::In(rows.buffer), &rows.range);
    [buffer, number(range.start), number(range.len()), Value::U32(rows.factor.into())]
}
