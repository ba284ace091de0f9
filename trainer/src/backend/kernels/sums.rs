//! Sums over positions, computed by kernels.

use std::ops::Range;

use othello_kernels::{Grid, Kernel, index};

use super::launcher::{Launcher, Value};
use super::memory::{DevicePositions, DeviceRows, Vector};
use super::tiles::Scratch;
use super::{KernelBackend, Tile};
use crate::backend::{BackendError, Batch, Errors, Target};

/// The kernels that add up residuals. All give the same bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SumKernel {
    /// Gathers and reductions in global memory: `residuals.cu`.
    Simple,
    /// Tiles in shared memory: `tiles.cu`.
    Fast,
    /// Tiles for large batches. For small batches, reading and writing all tiles costs more than
    /// they save. The size from which tiles are better is an estimate, not measured.
    Auto,
}

/// The number of rows from which [`SumKernel::Auto`] uses tiles: each batch then meets a parameter
/// 20 times.
const ROWS_FOR_TILES: usize = 1 << 17;

/// The number of rows that a block processes for each copy of its tile. For a tile of 30,000
/// classes and four instances of a pattern, that makes twice as many gathers as copies.
const SLICE_ROWS: usize = 1 << 14;

/// Joins the two halves of a wide sum, as `common.cuh` stores it.
pub(super) fn wide(low: u64, high: u64) -> u128 {
    u128::from(low) + (u128::from(high) << 32)
}

/// The inputs and outputs of a sum of residuals.
struct Residuals<'v, L: Launcher> {
    vector: &'v Vector<L::Buffer, i32>,
    labels: u32,
    sums: &'v mut Vector<L::Buffer, i64>,
    squared: L::Buffer,
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
        let squared = self.launcher.allocate(2 * size_of::<u64>())?;
        let labels = u32::from(target == Target::Label);
        let mut to = Residuals { vector, labels, sums, squared };
        let part = |rows| batch.range(rows);
        positions.for_each(&*self.launcher, part, |rows| {
            let fast = match self.way {
                SumKernel::Simple => false,
                SumKernel::Fast => true,
                SumKernel::Auto => rows.range.len() >= ROWS_FOR_TILES,
            };
            if fast { self.add_by_tiles(&rows, &mut to) } else { self.add_simply(&rows, &mut to) }
        })?;
        let mut halves = [0u64; 2];
        self.launcher.read(&to.squared, bytemuck::cast_slice_mut(&mut halves))?;
        Ok(wide(halves[0], halves[1]))
    }

    fn add_simply(
        &self,
        rows: &DeviceRows<'_, L::Buffer>,
        to: &mut Residuals<'_, L>,
    ) -> Result<(), BackendError> {
        let [buffer, first, count, factor] = rows_arguments(rows, &rows.range);
        let mut arguments = [
            buffer,
            first,
            count,
            factor,
            Value::U32(to.labels),
            self.checked(to.vector),
            self.checked_out(to.sums),
            Value::Out(&mut to.squared),
        ];
        self.run(&index::RESIDUAL_SUMS, rows.range.len(), &mut arguments)
    }

    fn add_by_tiles(
        &self,
        rows: &DeviceRows<'_, L::Buffer>,
        to: &mut Residuals<'_, L>,
    ) -> Result<(), BackendError> {
        let chunk_rows = self.launcher.limits().chunk_rows;
        self.tiles.scratch.with(&*self.launcher, |scratch| {
            for first in rows.range.clone().step_by(chunk_rows) {
                let chunk = first..(first + chunk_rows).min(rows.range.end);
                self.add_chunk(rows, chunk, scratch, to)?;
            }
            Ok(())
        })
    }

    /// Adds the residuals of rows that fit the scratch.
    fn add_chunk(
        &self,
        rows: &DeviceRows<'_, L::Buffer>,
        chunk: Range<usize>,
        scratch: &mut Scratch<L::Buffer>,
        to: &mut Residuals<'_, L>,
    ) -> Result<(), BackendError> {
        let stride = Value::U32(self.launcher.limits().chunk_rows as u32);
        let [buffer, first, count, _] = rows_arguments(rows, &chunk);
        let mut arguments = [buffer, first, count, stride, Value::Out(&mut scratch.classes)];
        self.run(&index::FIND_CLASSES, chunk.len(), &mut arguments)?;

        let (weights, values) = (self.checked(to.vector), Value::Out(&mut scratch.values));
        self.run_tiles(&index::ADD_TILES, &scratch.classes, chunk.len(), weights, values)?;

        let [buffer, first, count, factor] = rows_arguments(rows, &chunk);
        let mut arguments = [
            buffer,
            first,
            count,
            factor,
            Value::U32(to.labels),
            Value::Out(&mut scratch.values),
            Value::Out(&mut scratch.weighted),
            Value::Out(&mut to.squared),
        ];
        self.run(&index::WEIGH, chunk.len(), &mut arguments)?;

        let (weighted, sums) = (Value::In(&scratch.weighted), self.checked_out(to.sums));
        self.run_tiles(&index::SCATTER_TILES, &scratch.classes, chunk.len(), weighted, sums)
    }

    /// Runs a block for each tile and slice of a chunk of rows.
    fn run_tiles<'b>(
        &self,
        kernel: &Kernel,
        classes: &'b L::Buffer,
        rows: usize,
        from: Value<'b, L::Buffer>,
        to: Value<'b, L::Buffer>,
    ) -> Result<(), BackendError> {
        let largest = self.tiles.tiles.iter().map(|tile: &Tile| tile.classes).max().unwrap_or(0);
        let grid = Grid {
            x: self.tiles.tiles.len() as u32,
            y: rows.div_ceil(SLICE_ROWS) as u32,
            shared_bytes: largest as usize * size_of::<u32>(),
        };
        let mut arguments = [
            Value::In(&self.tiles.there),
            Value::In(classes),
            Value::U32(rows as u32),
            Value::U32(self.launcher.limits().chunk_rows as u32),
            Value::U32(SLICE_ROWS as u32),
            from,
            to,
        ];
        self.launch(kernel, grid, &mut arguments)
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
                let [buffer, first, count, factor] = rows_arguments(&rows, &rows.range);
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
                let [buffer, first, count, factor] = rows_arguments(&rows, &rows.range);
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
pub(super) fn rows_arguments<'b, B>(
    rows: &DeviceRows<'b, B>,
    range: &Range<usize>,
) -> [Value<'b, B>; 4] {
    let number = |number: usize| Value::U32(number as u32);
    let buffer = Value::In(rows.buffer);
    [buffer, number(range.start), number(range.len()), Value::U32(rows.factor.into())]
}
