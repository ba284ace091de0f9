//! The primitives of a fit, computed by the kernels of `othello-kernels` on a GPU or, for tests, on
//! the CPU. Both run the same kernels, so tests on the CPU also check what a GPU computes.

mod header;
mod memory;
mod solve;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::cast_slice_mut;
use othello_kernels::{Kernel, Launcher, Program, Value, index};

use super::{
    AdamStep, Backend, Batch, DOT_CHUNK, Errors, Group, GroupUpdate, Moments, Result, Rows, Target,
    check_linear, no_group,
};
use crate::model::Model;
use memory::{Budget, DeviceGroup, GroupScratch, Lists, Share, TEAM, number, rows_arguments, wide};

pub use memory::{DevicePositions, Vector};
pub use solve::{KernelSolver, solver_program};

/// Returns the program that a launcher compiles for fits: the kernels for a model's pattern set.
pub fn program(model: &Model) -> Program {
    let files = ["residuals.cu", "errors.cu", "vectors.cu", "adam.cu", "factors.cu"];
    let count = if model.set().factors().is_some() { 5 } else { 4 };
    Program::new(&header::header(model), &files[..count])
}

/// A backend for one model that computes the primitives of a fit by kernels.
#[derive(Debug)]
pub struct KernelBackend<'m, L: Launcher> {
    model: &'m Model,
    launcher: Arc<L>,
    budget: Budget,
    /// The phases (plies) whose factors are fitted together; `None` in a fit of one phase without
    /// factors.
    group: Option<DeviceGroup<L::Buffer>>,
    /// For each thread, the device buffer that [`Self::results`] reuses.
    results: Mutex<HashMap<Option<usize>, L::Buffer>>,
}

type Argument<'v, L> = Value<'v, <L as Launcher>::Buffer>;

impl<'m, L: Launcher> KernelBackend<'m, L> {
    /// Creates the backend for a model. `launcher` must have compiled the model's [`program`].
    pub fn new(model: &'m Model, launcher: L) -> Self {
        let budget = Budget::new(launcher.limits().resident_bytes.into());
        Self { model, launcher: Arc::new(launcher), budget, group: None, results: Mutex::default() }
    }

    /// Calls `work` with a device buffer of zeros, then copies the buffer's content to `values`.
    fn results<T: bytemuck::Pod>(
        &self,
        values: &mut [T],
        work: impl FnOnce(&mut L::Buffer) -> Result<()>,
    ) -> Result<()> {
        let (thread, launcher) = (rayon::current_thread_index(), &self.launcher);
        let kept = || self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let there = kept().remove(&thread);
        let mut buffer = match there {
            None => launcher.allocate(size_of::<u64>() * self.chunks().max(4))?,
            Some(mut buffer) => launcher.clear(&mut buffer).map(|()| buffer)?,
        };
        work(&mut buffer)?;
        launcher.read(&buffer, cast_slice_mut(values))?;
        kept().insert(thread, buffer);
        Ok(())
    }

    fn chunks(&self) -> usize {
        self.parameters().div_ceil(DOT_CHUNK)
    }

    fn run(&self, kernel: &Kernel, count: usize, values: &mut [Argument<'_, L>]) -> Result<()> {
        let blocks = count.div_ceil(kernel.block as usize);
        self.launch(kernel, blocks.min(self.launcher.limits().blocks as usize) as u32, values)
    }

    /// Launches a kernel, or does nothing if `blocks` is 0. This backend launches kernels only
    /// here.
    fn launch(&self, kernel: &Kernel, blocks: u32, values: &mut [Argument<'_, L>]) -> Result<()> {
        if blocks == 0 {
            return Ok(());
        }
        // SAFETY: this module passes the arguments that the kernel index lists. The length of
        // vectors was checked by `checked`; rows, sums and totals were made by this module.
        unsafe { self.launcher.launch(kernel, blocks, values) }
    }

    fn checked<'v, T>(&self, vector: &'v Vector<L::Buffer, T>) -> Argument<'v, L> {
        assert_eq!(vector.elements, self.parameters(), "a vector of another model");
        Value::In(&vector.buffer)
    }

    fn checked_out<'v, T>(&self, vector: &'v mut Vector<L::Buffer, T>) -> Argument<'v, L> {
        assert_eq!(vector.elements, self.parameters(), "a vector of another model");
        Value::Out(&mut vector.buffer)
    }

    fn elementwise<const N: usize>(
        &self,
        kernel: &Kernel,
        arguments: [Argument<'_, L>; N],
    ) -> Result<()> {
        let mut arguments = Vec::from(arguments);
        arguments.push(number(self.parameters())?);
        self.run(kernel, self.parameters(), &mut arguments)
    }

    fn download_all<T: bytemuck::Pod>(&self, vector: &Vector<L::Buffer, T>) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); vector.elements];
        self.launcher.read(&vector.buffer, cast_slice_mut(&mut values))?;
        Ok(values)
    }
}

impl<L: Launcher> Backend for KernelBackend<'_, L> {
    type Positions<'a> = DevicePositions<'a, L>;
    type Fixed = Vector<L::Buffer, i32>;
    type Sums = Vector<L::Buffer, i64>;
    type Reals = Vector<L::Buffer, f64>;
    type Squares = L::Buffer;
    type Scratch = Option<GroupScratch<L::Buffer>>;

    fn of_group(&self, group: &Group) -> Result<Self> {
        Ok(Self {
            model: self.model,
            launcher: Arc::clone(&self.launcher),
            budget: self.budget.clone(),
            group: Some(DeviceGroup::new(&*self.launcher, group)?),
            results: Mutex::default(),
        })
    }

    fn parameters(&self) -> usize {
        self.group.as_ref().map_or_else(|| self.model.parameters(), |there| there.group.length())
    }

    fn positions<'a>(&self, rows: &[Rows<'a>]) -> Result<DevicePositions<'a, L>> {
        Ok(DevicePositions::new(&*self.launcher, &self.budget, rows))
    }

    fn zero_fixed(&self) -> Result<Self::Fixed> {
        Vector::zero(&*self.launcher, self.parameters())
    }

    fn at_once(&self, length: usize) -> usize {
        // Ten vectors of doubles or sums, one of them being replaced, and two of rounded weights.
        self.launcher.limits().vector_bytes / (88 * length.max(1))
    }

    fn zero_reals(&self) -> Result<Self::Reals> {
        Vector::zero(&*self.launcher, self.parameters())
    }

    fn zero_sums(&self) -> Result<Self::Sums> {
        Vector::zero(&*self.launcher, self.parameters())
    }

    fn zero_squares(&self) -> Result<L::Buffer> {
        self.launcher.allocate(2 * size_of::<u64>())
    }

    fn squared(&self, squares: &L::Buffer) -> Result<u128> {
        let mut halves = [0u64; 2];
        self.launcher.read(squares, cast_slice_mut(&mut halves))?;
        Ok(wide(halves[0], halves[1]))
    }

    fn upload(&self, values: &[f64]) -> Result<Self::Reals> {
        let mut vector = Vector::zero(&*self.launcher, values.len())?;
        self.launcher.write(&mut vector.buffer, bytemuck::cast_slice(values))?;
        Ok(vector)
    }

    fn download(&self, vector: &Self::Reals) -> Result<Vec<f64>> {
        self.download_all(vector)
    }

    fn download_sums(&self, sums: &Self::Sums) -> Result<Vec<i64>> {
        self.download_all(sums)
    }

    fn copy(&self, from: &Self::Reals, to: &mut Self::Reals) -> Result<()> {
        assert_eq!(from.elements, to.elements, "vectors of two models");
        self.launcher.copy(&from.buffer, &mut to.buffer)
    }

    fn residual_sums(
        &self,
        positions: &Self::Positions<'_>,
        batch: Batch,
        vector: &Self::Fixed,
        target: Target,
        sums: &mut Self::Sums,
        squares: &mut L::Buffer,
    ) -> Result<()> {
        check_linear("kernels", self.group.as_ref())?;
        self.launcher.clear(&mut sums.buffer)?;
        let labels = u32::from(target == Target::Label);
        positions.for_each(&*self.launcher, batch, |rows| {
            let mut arguments = rows_arguments(&rows)?;
            arguments.extend([Value::U32(labels), self.checked(vector)]);
            arguments.extend([self.checked_out(sums), Value::Out(squares)]);
            self.run(&index::RESIDUAL_SUMS, rows.range.len(), &mut arguments)
        })
    }

    fn occurrences(&self, positions: &Self::Positions<'_>, sums: &mut Self::Sums) -> Result<()> {
        check_linear("kernels", self.group.as_ref())?;
        self.launcher.clear(&mut sums.buffer)?;
        positions.for_each(&*self.launcher, Batch::WHOLE, |rows| {
            let mut arguments = rows_arguments(&rows)?;
            arguments.push(self.checked_out(sums));
            self.run(&index::OCCURRENCES, rows.range.len(), &mut arguments)
        })
    }

    fn errors(&self, positions: &Self::Positions<'_>, weights: &Self::Fixed) -> Result<Errors> {
        let mut found = [0u64; 4];
        self.results(&mut found, |totals| {
            positions.for_each(&*self.launcher, Batch::WHOLE, |rows| {
                let (mut arguments, count) = (rows_arguments(&rows)?, rows.range.len());
                let weights = self.checked(weights);
                let (kernel, threads) = match &self.group {
                    None => {
                        arguments.push(weights);
                        (&index::ERRORS, count)
                    }
                    Some(group) => {
                        arguments.extend(group.arguments(&rows, weights));
                        (&index::FACTOR_ERRORS, count * TEAM)
                    }
                };
                arguments.push(Value::Out(totals));
                self.run(kernel, threads, &mut arguments)
            })
        })?;
        let [weight, absolute, low, high] = found;
        let (positions, absolute, squared) =
            (positions.len(Batch::WHOLE) as u64, absolute.into(), wide(low, high));
        Ok(Errors { positions, weight, absolute, squared })
    }

    fn dot(&self, left: &Self::Reals, right: &Self::Reals) -> Result<f64> {
        let (count, mut sums) = (self.parameters(), vec![0.0f64; self.chunks()]);
        let (left, right, chunks) = (self.checked(left), self.checked(right), sums.len() as u32);
        self.results(&mut sums, |there| {
            let mut arguments = [left, right, Value::U32(count as u32), Value::Out(there)];
            self.launch(&index::DOT_CHUNKS, chunks, &mut arguments)
        })?;
        Ok(sums.iter().fold(0.0, |total, sum| total + sum))
    }

    fn max_abs(&self, vector: &Self::Reals) -> Result<f64> {
        let (count, mut largest) = (self.parameters(), [0.0f64]);
        self.results(&mut largest, |there| {
            let mut arguments = [self.checked(vector), Value::U32(count as u32), Value::Out(there)];
            self.run(&index::MAX_ABS, count, &mut arguments)
        })?;
        Ok(largest[0])
    }

    fn add_scaled(&self, sum: &mut Self::Reals, factor: f64, other: &Self::Reals) -> Result<()> {
        let arguments = [self.checked_out(sum), Value::F64(factor), self.checked(other)];
        self.elementwise(&index::ADD_SCALED, arguments)
    }

    fn scale_and_add(&self, sum: &mut Self::Reals, factor: f64, other: &Self::Reals) -> Result<()> {
        let arguments = [self.checked_out(sum), Value::F64(factor), self.checked(other)];
        self.elementwise(&index::SCALE_AND_ADD, arguments)
    }

    fn divide(&self, left: &Self::Reals, right: &Self::Reals, to: &mut Self::Reals) -> Result<()> {
        let arguments = [self.checked(left), self.checked(right), self.checked_out(to)];
        self.elementwise(&index::DIVIDE, arguments)
    }

    fn scale_sums(&self, sums: &Self::Sums, unit: f64, scaled: &mut Self::Reals) -> Result<()> {
        let arguments = [self.checked(sums), Value::F64(unit), self.checked_out(scaled)];
        self.elementwise(&index::SCALE_SUMS, arguments)
    }

    fn round_weights(&self, weights: &Self::Reals, fixed: &mut Self::Fixed) -> Result<()> {
        let arguments = [self.checked(weights), self.checked_out(fixed)];
        self.elementwise(&index::ROUND_WEIGHTS, arguments)?;
        let Some(there) = &self.group else { return Ok(()) };
        let factors = there.group.factors();
        let (first, count) = (Value::U32(factors.start as u32), Value::U32(factors.len() as u32));
        let mut arguments = [self.checked(weights), first, self.checked_out(fixed), count];
        self.run(&index::ROUND_FACTORS, factors.len(), &mut arguments)?;
        let mut arguments = [there.phases(), there.count(), self.checked_out(fixed)];
        self.run(&index::TAKE_SQUARES, there.group.count(), &mut arguments)
    }

    fn round_direction(
        &self,
        direction: &mut Self::Reals,
        scale: f64,
        fixed: &mut Self::Fixed,
    ) -> Result<()> {
        let arguments = [self.checked_out(direction), Value::F64(scale), self.checked_out(fixed)];
        self.elementwise(&index::ROUND_DIRECTION, arguments)
    }

    fn adam(
        &self,
        sums: &Self::Sums,
        initial: &Self::Reals,
        step: &AdamStep,
        moments: &mut Moments<Self>,
        fixed: &mut Self::Fixed,
    ) -> Result<()> {
        let (Moments { weights, first, second }, count) = (moments, self.parameters());
        let mut arguments = vec![self.checked(sums), self.checked(initial)];
        arguments.extend([weights, first, second].map(|vector| self.checked_out(vector)));
        arguments.extend([self.checked_out(fixed), Value::U32(count as u32)]);
        arguments.extend(scalars(step));
        self.run(&index::ADAM, count, &mut arguments)
    }

    fn scratch(&self) -> Result<Self::Scratch> {
        let Some(DeviceGroup { group, .. }) = &self.group else { return Ok(None) };
        Ok(Some(GroupScratch {
            kept: HashMap::new(),
            counts: self.launcher.allocate(group.count() * size_of::<u32>())?,
            positions: 0,
            weighted: self.launcher.allocate(0)?,
            added: self.launcher.allocate(0)?,
        }))
    }

    fn descend(
        &self,
        positions: &Self::Positions<'_>,
        batch: Batch,
        update: GroupUpdate<'_, Self>,
        scratch: &mut Self::Scratch,
    ) -> Result<()> {
        let there = self.group.as_ref().zip(scratch.as_mut());
        let Some((group, scratch)) = there else { return Err(no_group("kernels")) };
        let lists = match scratch.kept.remove(&batch) {
            Some(lists) => lists,
            None => match self.lists(positions, batch, group, scratch) {
                // The memory of other lists may suffice.
                Err(_) if !scratch.kept.is_empty() => {
                    scratch.kept.clear();
                    self.lists(positions, batch, group, scratch)?
                }
                made => made?,
            },
        };
        self.update(group, &lists, update, scratch)?;
        if lists.share.is_some() {
            scratch.kept.insert(batch, lists);
        }
        Ok(())
    }
}

/// The size in bytes of the struct `Listed` in `factors.cu`.
const LISTED_BYTES: usize = 8;
const LIST_BYTES: usize = 12;

impl<L: Launcher> KernelBackend<'_, L> {
    /// Makes, for each parameter, the list of the positions of a batch in which it occurs, by a
    /// counting sort.
    fn lists(
        &self,
        positions: &DevicePositions<'_, L>,
        batch: Batch,
        group: &DeviceGroup<L::Buffer>,
        scratch: &mut GroupScratch<L::Buffer>,
    ) -> Result<Lists<L::Buffer>> {
        let (launcher, counts) = (&*self.launcher, &mut scratch.counts);
        let (length, parameters) = (positions.len(batch), group.group.count());
        let members = length * self.model.feature_count();
        let count = number(members)?;
        let mut listed = launcher.allocate(length * LISTED_BYTES)?;
        let mut found = launcher.allocate(members * size_of::<u32>())?;
        launcher.clear(counts)?;
        let mut place = 0;
        positions.for_each(launcher, batch, |rows| {
            let mut arguments = rows_arguments(&rows)?;
            arguments.extend([Value::In(&group.numbers), group.phase(&rows), number(place)?]);
            arguments.extend([&mut listed, &mut found, &mut *counts].map(Value::Out));
            place += rows.range.len();
            self.run(&index::LIST_POSITIONS, rows.range.len(), &mut arguments)
        })?;
        let mut all = launcher.allocate(members.min(parameters) * LIST_BYTES)?;
        let mut sizes = launcher.allocate(2 * size_of::<u32>())?;
        let mut arguments = vec![Value::Out(counts), number(parameters)?];
        arguments.extend([Value::Out(&mut all), Value::Out(&mut sizes)]);
        self.launch(&index::ARRANGE_LISTS, 1, &mut arguments)?;
        let mut in_order = launcher.allocate(members * size_of::<u32>())?;
        let mut arguments = vec![Value::In(&found), count];
        arguments.extend([Value::Out(counts), Value::Out(&mut in_order)]);
        self.run(&index::FILL_LISTS, members, &mut arguments)?;
        let mut counts = [0u32; 2];
        launcher.read(&sizes, cast_slice_mut(&mut counts))?;
        let bytes = counts[1] as usize * LIST_BYTES;
        let mut lists = launcher.allocate(bytes)?;
        if bytes > 0 {
            launcher.copy(&all, &mut lists)?;
        }
        let bytes = bytes + length * LISTED_BYTES + 2 * members * size_of::<u32>();
        let share = Share::of(&self.budget, bytes);
        Ok(Lists { positions: length, listed, found, members: in_order, lists, counts, share })
    }

    fn update(
        &self,
        group: &DeviceGroup<L::Buffer>,
        lists: &Lists<L::Buffer>,
        GroupUpdate { step, initial, moments, fixed, squares }: GroupUpdate<'_, Self>,
        scratch: &mut GroupScratch<L::Buffer>,
    ) -> Result<()> {
        let dimensions = group.group.dimensions;
        if scratch.positions < lists.positions {
            scratch.positions = lists.positions;
            scratch.weighted = self.launcher.allocate(lists.positions * size_of::<i64>())?;
            let added = lists.positions * dimensions * size_of::<i32>();
            scratch.added = self.launcher.allocate(added)?;
        }
        let GroupScratch { weighted, added, .. } = scratch;
        let shape = || [group.phases(), group.count()];
        let mut arguments = vec![Value::In(&lists.listed), Value::In(&lists.found)];
        arguments.extend([number(lists.positions)?, self.checked(fixed)]);
        arguments.extend(shape());
        arguments.extend([&mut *weighted, &mut *added, squares].map(Value::Out));
        self.run(&index::FACTOR_VALUES, lists.positions * TEAM, &mut arguments)?;
        let [long, all] = lists.counts;
        let mut arguments = vec![Value::In(&lists.lists), Value::U32(long), Value::U32(all)];
        arguments.extend([&lists.members, &lists.listed, weighted, added].map(Value::In));
        arguments.extend([Value::In(&group.totals), self.checked_out(fixed)]);
        let Moments { weights, first, second } = moments;
        arguments.push(self.checked(initial));
        arguments.extend([weights, first, second].map(|vector| self.checked_out(vector)));
        arguments.extend(shape());
        arguments.extend(scalars(step));
        self.run(&index::FACTOR_UPDATES, (all + 3 * long) as usize * TEAM, &mut arguments)
    }
}

fn scalars<'v, B>(step: &AdamStep) -> [Value<'v, B>; 9] {
    bytemuck::cast::<_, [f64; 9]>(*step).map(Value::F64)
}
