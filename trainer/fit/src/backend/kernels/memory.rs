//! The data in the device's memory: vectors and positions. For each group of phases with common
//! factors, also parameter indices, and the sums of an update over a batch of positions.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::cast_slice;
use othello_engine::board::Phase;
use othello_engine::record::ROW_BYTES;
use othello_kernels::{Launcher, Value};

use crate::backend::{Batch, Group, Result, Rows};

/// A vector in device memory, with one element of type `T` for each parameter.
#[derive(Debug)]
pub struct Vector<B, T> {
    pub(super) buffer: B,
    pub(super) elements: usize,
    kind: PhantomData<T>,
}

impl<B, T> Vector<B, T> {
    pub(super) fn zero(launcher: &impl Launcher<Buffer = B>, elements: usize) -> Result<Self> {
        let buffer = launcher.allocate((elements * size_of::<T>()).max(1))?;
        Ok(Self { buffer, elements, kind: PhantomData })
    }
}

pub(super) fn uploaded<L: Launcher>(launcher: &L, bytes: &[u8]) -> Result<L::Buffer> {
    let mut buffer = launcher.allocate(bytes.len().max(1))?;
    launcher.write(&mut buffer, bytes)?;
    Ok(buffer)
}

/// The remaining budget, in bytes, for positions that stay in device memory during the fit.
pub(super) type Budget = Arc<AtomicUsize>;

#[derive(Debug)]
struct Share {
    budget: Budget,
    bytes: usize,
}

impl Share {
    fn of(budget: &Budget, bytes: usize) -> Option<Self> {
        let less = |left: usize| left.checked_sub(bytes);
        let taken = budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.is_ok().then(|| Self { budget: budget.clone(), bytes })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// Positions for the kernels. Of the [`Rows`] given, as many as fit stay in device memory; the
/// others are copied to the device each time they are used.
#[derive(Debug)]
pub struct DevicePositions<'a, L: Launcher> {
    runs: Vec<RowRun<'a, L::Buffer>>,
    staging: Mutex<Vec<L::Staging>>,
    chunk_rows: usize,
}

#[derive(Debug)]
struct RowRun<'a, B> {
    rows: Rows<'a>,
    /// The device buffer of `rows`, and its part of the memory budget; `None` if `rows` do not fit.
    resident: Option<(B, Share)>,
}

pub(super) struct DeviceRows<'b, B> {
    pub(super) buffer: &'b B,
    pub(super) range: Range<usize>,
    pub(super) factor: u16,
    /// In a fit with factors, the phase of all these positions; otherwise not used.
    pub(super) phase: Option<Phase>,
}

impl<'a, L: Launcher> DevicePositions<'a, L> {
    pub(super) fn new(launcher: &L, budget: &Budget, rows: &[Rows<'a>]) -> Result<Self> {
        let place = |&rows: &Rows<'a>| {
            let bytes: &[u8] = cast_slice(rows.positions);
            let share = Share::of(budget, bytes.len());
            let resident =
                share.map(|share| uploaded(launcher, bytes).map(|buffer| (buffer, share)));
            Ok(RowRun { rows, resident: resident.transpose()? })
        };
        let runs = rows.iter().map(place).collect::<Result<Vec<_>>>()?;
        let chunk_rows = launcher.limits().chunk_rows;
        let streams = runs.iter().any(|run| run.resident.is_none());
        let slots = if streams { 2 } else { 0 };
        let slot = |_| launcher.staging(chunk_rows * ROW_BYTES);
        let staging = Mutex::new((0..slots).map(slot).collect::<Result<_, _>>()?);
        Ok(Self { runs, staging, chunk_rows })
    }

    pub(super) fn for_each(
        &self,
        launcher: &L,
        batch: Batch,
        mut work: impl FnMut(DeviceRows<'_, L::Buffer>) -> Result<()>,
    ) -> Result<()> {
        for RowRun { rows, resident } in &self.runs {
            let (range, factor) = (batch.range(rows.positions.len()), rows.factor);
            let phase = rows.phase();
            match resident {
                Some(_) if range.is_empty() => {}
                Some((buffer, _)) => work(DeviceRows { buffer, range, factor, phase })?,
                None => {
                    let rows = Rows { positions: &rows.positions[range], factor };
                    self.stream(launcher, rows, &mut work)?;
                }
            }
        }
        Ok(())
    }

    /// Copies `rows` to the device in chunks, and calls `work` for each chunk. While the device
    /// uses one of the two staging buffers, the host writes the other.
    fn stream(
        &self,
        launcher: &L,
        rows: Rows<'_>,
        work: &mut impl FnMut(DeviceRows<'_, L::Buffer>) -> Result<()>,
    ) -> Result<()> {
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = staging.len();
        let (phase, factor) = (rows.phase(), rows.factor);
        for (number, chunk) in rows.positions.chunks(self.chunk_rows).enumerate() {
            let buffer = launcher.stage(&mut staging[number % slots], cast_slice(chunk))?;
            work(DeviceRows { buffer, range: 0..chunk.len(), factor, phase })?;
        }
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.runs.iter().map(|run| run.rows.positions.len()).sum()
    }
}

#[derive(Debug)]
pub(super) struct DeviceGroup<B> {
    pub(super) group: Arc<Group>,
    numbers: B,
    /// [`Group::occurrences`], followed by one 0, for the index that all absent parameters share.
    pub(super) totals: B,
}

/// The sums over a batch that an update of a group of phases needs. `sums`, `occurrences` and
/// `marks` are all 0 before and after every update.
#[derive(Debug)]
pub struct GroupSums<B> {
    pub(super) sums: Vector<B, i64>,
    /// For each phase of the group and each parameter, Σ weight of the occurrences in the batch.
    pub(super) occurrences: B,
    /// For each parameter index of the group: 1 if the parameter occurs in the batch, otherwise 0.
    pub(super) marks: B,
    /// The indices of the parameters that occur in the batch, each once, in no particular order.
    pub(super) met: B,
    /// The two halves of Σ weight · residual² over the batch, in 2⁻²⁶ occurrence · disc² (see
    /// [`wide`]), and the number of parameters that occur in the batch.
    pub(super) totals: B,
}

impl<B> DeviceGroup<B> {
    pub(super) fn new(launcher: &impl Launcher<Buffer = B>, group: &Group) -> Result<Self> {
        let numbers = uploaded(launcher, cast_slice(&group.numbers))?;
        let totals = uploaded(launcher, cast_slice(&[&group.occurrences[..], &[0]].concat()))?;
        Ok(Self { group: Arc::new(group.clone()), numbers, totals })
    }

    pub(super) fn arguments<'b>(
        &'b self,
        rows: &DeviceRows<'b, B>,
        vector: Value<'b, B>,
    ) -> [Value<'b, B>; 4] {
        let weights = rows.phase.map_or(0, |phase| self.group.weights(phase).start);
        let place = |place: usize| Value::U32(place as u32);
        [Value::In(&self.numbers), vector, place(weights), place(self.group.factors().start)]
    }

    pub(super) fn phases(&self) -> Value<'_, B> {
        Value::U32(self.group.phases.len() as u32)
    }

    pub(super) fn count(&self) -> Value<'_, B> {
        Value::U32(self.group.count() as u32)
    }
}

/// The number of threads that handle a position or a parameter together: `TEAM` of `factors.cu`.
pub(super) const TEAM: usize = 32;

/// Joins the two halves of a wide sum, which `common.cuh` stores as `low + 2³² · high`.
pub(super) fn wide(low: u64, high: u64) -> u128 {
    u128::from(low) + (u128::from(high) << 32)
}

pub(super) fn rows_arguments<'b, B>(rows: &DeviceRows<'b, B>) -> Vec<Value<'b, B>> {
    let number = |number: usize| Value::U32(number as u32);
    let (buffer, range) = (Value::In(rows.buffer), &rows.range);
    vec![buffer, number(range.start), number(range.len()), Value::U32(rows.factor.into())]
}
