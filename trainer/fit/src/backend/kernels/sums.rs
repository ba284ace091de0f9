//! Device memory for a group of phases: its parameters, and the sums of its updates.

use std::sync::Arc;

use bytemuck::cast_slice;
use othello_kernels::{Launcher, Value, index};

use super::KernelBackend;
use super::memory::{DeviceRows, Vector};
use crate::backend::{Group, Result};

#[derive(Debug)]
pub(super) struct DeviceGroup<B> {
    pub(super) group: Arc<Group>,
    numbers: B,
    /// For each parameter index of the group, the parameter's occurrences in training. The last
    /// element, which stands for all parameters that do not occur, is 0.
    pub(super) totals: B,
}

/// The sums that an update of a group needs. Every update begins and ends with all of them 0.
#[derive(Debug)]
pub struct GroupSums<B> {
    pub(super) sums: Vector<B, i64>,
    /// For each weight of every phase of the group, the number of its occurrences in the batch.
    pub(super) occurrences: B,
    /// 1 for each parameter of the group that occurs in the batch, otherwise 0.
    pub(super) marks: B,
    /// The indices of the parameters that occur in the batch, each once.
    pub(super) met: B,
    /// The sums of the low and of the high halves of weight · residual², then the length of `met`.
    pub(super) totals: B,
}

impl<B> DeviceGroup<B> {
    pub(super) fn new(launcher: &impl Launcher<Buffer = B>, group: &Group) -> Result<Self> {
        let uploaded = |bytes: &[u8]| -> Result<B> {
            let mut buffer = launcher.allocate(bytes.len().max(1))?;
            launcher.write(&mut buffer, bytes)?;
            Ok(buffer)
        };
        let numbers = uploaded(cast_slice(&group.numbers))?;
        let totals = uploaded(cast_slice(&[&group.occurrences[..], &[0]].concat()))?;
        Ok(Self { group: Arc::new(group.clone()), numbers, totals })
    }

    /// Returns the kernel arguments for a group of phases: the indices of its parameters, `vector`,
    /// and where in `vector` the weights of the rows' phase and the factors begin.
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

impl<L: Launcher> KernelBackend<'_, L> {
    pub(super) fn round_factors(
        &self,
        group: &DeviceGroup<L::Buffer>,
        vector: &Vector<L::Buffer, f64>,
        fixed: &mut Vector<L::Buffer, i32>,
    ) -> Result<()> {
        let factors = group.group.factors();
        let (first, count) = (Value::U32(factors.start as u32), Value::U32(factors.len() as u32));
        let mut arguments = [self.checked(vector), first, self.checked_out(fixed), count];
        self.run(&index::ROUND_FACTORS, factors.len(), &mut arguments)?;
        let mut arguments = [group.phases(), group.count(), self.checked_out(fixed)];
        self.run(&index::TAKE_SQUARES, group.group.count(), &mut arguments)
    }
}

/// The number of threads that handle a position or a parameter together: `TEAM` of `factors.cu`.
pub(super) const TEAM: usize = 32;

/// Joins the two halves of a wide sum, which `common.cuh` stores as `low + 2³² · high`.
pub(super) fn wide(low: u64, high: u64) -> u128 {
    u128::from(low) + (u128::from(high) << 32)
}

/// Returns the kernel arguments of rows: buffer, first row, number of rows, factor of the weights.
pub(super) fn rows_arguments<'b, B>(rows: &DeviceRows<'b, B>) -> Vec<Value<'b, B>> {
    let number = |number: usize| Value::U32(number as u32);
    let (buffer, range) = (Value::In(rows.buffer), &rows.range);
    vec![buffer, number(range.start), number(range.len()), Value::U32(rows.factor.into())]
}
