//! The data of a fit in the device's memory: vectors and positions. Fits with factors also need
//! parameter indices and, for each batch, lists of the positions in which each parameter occurs.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::cast_slice;
use othello_engine::board::Phase;
use othello_engine::record::ROW_BYTES;
use othello_kernels::{Launcher, Value};

use crate::backend::{BackendError, Batch, Group, Result, Rows};

/// A vector in device memory, with one element of type `T` for each parameter.
#[derive(Debug)]
pub struct Vector<B, T> {
    pub(super) buffer: B,
    pub(super) elements: usize,
    kind: PhantomData<T>,
}

impl<B, T> Vector<B, T> {
    pub(super) fn zero(launcher: &impl Launcher<Buffer = B>, elements: usize) -> Result<Self> {
        let buffer = launcher.allocate(elements * size_of::<T>())?;
        Ok(Self { buffer, elements, kind: PhantomData })
    }
}

pub(super) fn uploaded<L: Launcher>(launcher: &L, bytes: &[u8]) -> Result<L::Buffer> {
    let mut buffer = launcher.allocate(bytes.len())?;
    launcher.write(&mut buffer, bytes)?;
    Ok(buffer)
}

/// The number of bytes of device memory still free for positions and for lists of a batch's
/// positions ([`Lists`]).
pub(super) type Budget = Arc<AtomicUsize>;

#[derive(Debug)]
pub(super) struct Share {
    budget: Budget,
    bytes: usize,
}

impl Share {
    pub(super) fn of(budget: &Budget, bytes: usize) -> Option<Self> {
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

/// The positions that kernels read: in device memory if they fit, otherwise copied at each use.
#[derive(Debug)]
pub struct DevicePositions<'a, L: Launcher> {
    runs: Vec<RowRun<'a, L::Buffer>>,
    staging: Mutex<Option<L::Staging>>,
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
    /// The phase (ply) of these positions, needed in fits with factors; `None` without positions.
    pub(super) phase: Option<Phase>,
}

impl<'a, L: Launcher> DevicePositions<'a, L> {
    pub(super) fn new(launcher: &L, budget: &Budget, rows: &[Rows<'a>]) -> Self {
        let place = |&rows: &Rows<'a>| {
            let bytes: &[u8] = cast_slice(rows.positions);
            // Rows for which the device has no memory are copied at each use, like those beyond
            // the budget. Whatever else fails here fails again there.
            let resident = Share::of(budget, bytes.len())
                .and_then(|share| Some((uploaded(launcher, bytes).ok()?, share)));
            RowRun { rows, resident }
        };
        let runs = rows.iter().map(place).collect();
        Self { runs, staging: Mutex::default(), chunk_rows: launcher.limits().chunk_rows }
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
        let staging = match &mut *staging {
            Some(staging) => staging,
            none => none.insert(launcher.staging(self.chunk_rows * ROW_BYTES)?),
        };
        let (phase, factor) = (rows.phase(), rows.factor);
        for chunk in rows.positions.chunks(self.chunk_rows) {
            let buffer = launcher.stage(staging, cast_slice(chunk))?;
            work(DeviceRows { buffer, range: 0..chunk.len(), factor, phase })?;
        }
        Ok(())
    }

    pub(super) fn len(&self, batch: Batch) -> usize {
        self.runs.iter().map(|run| batch.range(run.rows.positions.len()).len()).sum()
    }
}

#[derive(Debug)]
pub(super) struct DeviceGroup<B> {
    pub(super) group: Arc<Group>,
    pub(super) numbers: B,
    /// For each parameter index of the group, the number of its occurrences in training
    /// ([`Group::occurrences`]); 0 for the last index, that of all parameters that do not occur.
    pub(super) totals: B,
}

/// The memory for the updates of a group of phases.
#[derive(Debug)]
pub struct GroupScratch<B> {
    /// For each batch that fits in device memory, the lists of its positions, kept between updates.
    pub(super) kept: HashMap<Batch, Lists<B>>,
    /// Memory in which kernels make lists: for each parameter index of the group, first the number
    /// of its occurrences in a batch, then the beginning of its list, and at last the end of its
    /// list.
    pub(super) counts: B,
    /// The number of positions for which [`Self::weighted`] and [`Self::added`] have space.
    pub(super) positions: usize,
    /// For each position of a batch, weight · residual.
    pub(super) weighted: B,
    /// For each position of a batch, weight · residual · the sum of its factor vectors.
    pub(super) added: B,
}

/// The positions of a batch, and for each parameter that occurs in it, the list of the positions in
/// which it occurs.
#[derive(Debug)]
pub(super) struct Lists<B> {
    pub(super) positions: usize,
    /// The label, weight and phase of each position.
    pub(super) listed: B,
    /// The indices of the parameters of each position.
    pub(super) found: B,
    /// The lists of all parameters, one after another; their elements are indices of positions.
    pub(super) members: B,
    /// For each list, its parameter and its range in `members`. Long lists, of at least 256
    /// positions (`LONG_LIST` in `factors.cu`), come first.
    pub(super) lists: B,
    /// The number of long lists (see [`Self::lists`]), and the number of all lists.
    pub(super) counts: [u32; 2],
    /// The bytes that these lists take from the memory budget; `None` if it has not enough bytes
    /// left.
    pub(super) share: Option<Share>,
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
        let factors = self.group.factors().start;
        [Value::In(&self.numbers), vector, Value::U32(weights as u32), Value::U32(factors as u32)]
    }

    /// Returns, as a kernel argument, the index of the phase of `rows` in the group's phases.
    pub(super) fn phase(&self, rows: &DeviceRows<'_, B>) -> Value<'_, B> {
        let place = self.group.phases.iter().position(|&phase| Some(phase) == rows.phase);
        Value::U32(place.unwrap_or(0) as u32)
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

/// Returns `low + 2³² · high`. Kernels store a sum that may exceed 64 bits as these two numbers
/// (`common.cuh`).
pub(super) fn wide(low: u64, high: u64) -> u128 {
    u128::from(low) + (u128::from(high) << 32)
}

/// Returns a count or an index as a kernel argument; an error if it is 2³¹ or more.
pub(super) fn number<'b, B>(number: usize) -> Result<Value<'b, B>> {
    let reason = || format!("{number} elements are too many for a kernel: use smaller batches");
    let number = i32::try_from(number).map(|number| Value::U32(number as u32));
    number.map_err(|_| BackendError { device: "kernels", reason: reason() })
}

pub(super) fn rows_arguments<'b, B>(rows: &DeviceRows<'b, B>) -> Result<Vec<Value<'b, B>>> {
    let (buffer, factor) = (Value::In(rows.buffer), Value::U32(rows.factor.into()));
    Ok(vec![buffer, number(rows.range.start)?, number(rows.range.len())?, factor])
}
