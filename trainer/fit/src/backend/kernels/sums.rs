//! Sums and errors over positions by kernels: for weights, and for a group's weights and factors.

use std::sync::Arc;

use bytemuck::cast_slice;
use othello_kernels::{Launcher, Value, index};

use super::memory::{DevicePositions, DeviceRows, Vector};
use super::{KernelBackend, scalars};
use crate::backend::{Backend as _, Batch, Errors, Group, GroupUpdate, Moments, Result, Target};

#[derive(Debug)]
pub(super) struct DeviceGroup<B> {
    pub(super) group: Arc<Group>,
    numbers: B,
    /// For each index in the group, the parameter's occurrences in training. The last element is 0:
    /// it stands for all other parameters.
    totals: B,
}

/// The sums of an update of a group. Between updates, all of them are 0.
#[derive(Debug)]
pub struct GroupSums<B> {
    sums: Vector<B, i64>,
    /// For each weight of every phase of the group, the number of its occurrences in the batch.
    occurrences: B,
    /// 1 for each parameter of the group that occurs in the batch, otherwise 0.
    marks: B,
    /// The indices of the parameters that occur in the batch, each once.
    met: B,
    /// The sums of the low and of the high 32 bits of weight · residual², then the length of `met`.
    totals: B,
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

    /// Returns the kernel arguments of a group: the indices, the vector, and the places in the
    /// vector where the weights of the rows and the factors begin.
    pub(super) fn arguments<'b>(
        &'b self,
        rows: &DeviceRows<'b, B>,
        vector: Value<'b, B>,
    ) -> [Value<'b, B>; 4] {
        let weights = rows.phase.map_or(0, |phase| self.group.weights(phase).start);
        let place = |place: usize| Value::U32(place as u32);
        [Value::In(&self.numbers), vector, place(weights), place(self.group.factors().start)]
    }

    fn phases(&self) -> Value<'_, B> {
        Value::U32(self.group.phases.len() as u32)
    }

    fn count(&self) -> Value<'_, B> {
        Value::U32(self.group.count() as u32)
    }
}

impl<L: Launcher> KernelBackend<'_, L> {
    pub(super) fn group_sums(
        &self,
        group: &DeviceGroup<L::Buffer>,
    ) -> Result<GroupSums<L::Buffer>> {
        let sums = Vector::zero(&*self.launcher, self.parameters())?;
        let weights = group.group.factors().start;
        let occurrences = self.launcher.allocate((weights * size_of::<u64>()).max(1))?;
        let of_numbers = || self.launcher.allocate(group.group.count() * size_of::<u32>());
        let (marks, met) = (of_numbers()?, of_numbers()?);
        let totals = self.launcher.allocate(3 * size_of::<u64>())?;
        Ok(GroupSums { sums, occurrences, marks, met, totals })
    }

    pub(super) fn descend_in_group(
        &self,
        group: &DeviceGroup<L::Buffer>,
        positions: &DevicePositions<'_, L>,
        batch: Batch,
        update: GroupUpdate<'_, Self>,
        GroupSums { sums, occurrences, marks, met, totals }: &mut GroupSums<L::Buffer>,
    ) -> Result<u128> {
        let GroupUpdate { step, initial, moments, fixed } = update;
        self.launcher.clear(totals)?;
        positions.for_each(&*self.launcher, batch, |rows| {
            let mut arguments = rows_arguments(&rows);
            arguments.extend(group.arguments(&rows, self.checked(fixed)));
            arguments.extend([self.checked_out(sums), Value::Out(occurrences)]);
            arguments.extend([Value::Out(marks), Value::Out(met), Value::Out(totals)]);
            self.run(&index::JOINT_RESIDUALS, rows.range.len() * TEAM, &mut arguments)
        })?;
        let Moments { weights, first, second } = &mut *moments;
        let mut arguments = vec![self.checked_out(sums), Value::Out(occurrences)];
        arguments.extend([Value::In(&group.totals), self.checked_out(fixed)]);
        arguments.extend([Value::Out(marks), Value::In(met), Value::In(totals)]);
        arguments.extend([self.checked(initial), self.checked_out(weights)]);
        arguments.extend([self.checked_out(first), self.checked_out(second)]);
        arguments.extend([group.phases(), group.count()]);
        arguments.extend(scalars(step));
        self.run(&index::JOINT_ADAM, group.group.count() * TEAM, &mut arguments)?;
        let mut found = [0u64; 3];
        self.launcher.read(totals, bytemuck::cast_slice_mut(&mut found))?;
        let [low, high, _] = found;
        Ok(wide(low, high))
    }

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

/// Returns the kernel arguments of rows: the buffer, the first row, their number and the factor.
pub(super) fn rows_arguments<'b, B>(rows: &DeviceRows<'b, B>) -> Vec<Value<'b, B>> {
    let number = |number: usize| Value::U32(number as u32);
    let (buffer, range) = (Value::In(rows.buffer), &rows.range);
    vec![buffer, number(range.start), number(range.len()), Value::U32(rows.factor.into())]
}
