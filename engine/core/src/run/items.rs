use std::collections::VecDeque;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Run, RunError};
use crate::file::{Kind, Result, Section, Writer, remove_if_there};
use crate::progress::Progress;

const PARTS_AT_ONCE: usize = 2;

/// The work of a run whose parts (files) have many small units each, such as games or positions.
pub trait Items: Sync {
    /// The input of a part of the run, such as the records to label; `()` if nothing is read.
    type Input: Send + Sync;
    /// The type of the result of one unit, such as a game.
    type Output: Send;
    /// The type of the errors of the work.
    type Error: From<RunError> + Send;

    /// True if [`Self::ends`] can return true and so end the run before its last part.
    const CAN_END: bool = false;

    /// Returns false if the sections of an existing part are not the results of these units. The
    /// part is then made again.
    fn fits(&self, _units: Range<u64>, _part: &[Section]) -> bool {
        true
    }

    /// Returns the input that [`Self::make`] needs for the part with these units. Called for one
    /// part after another, in order.
    fn begin(&self, units: Range<u64>) -> Result<Self::Input, Self::Error>;

    /// Computes the results of `units`, which are some units of a part, in order. `input` is what
    /// [`Self::begin`] returned for the part. Several threads may call this at once.
    fn make(
        &self,
        input: &Self::Input,
        units: Range<u64>,
    ) -> Result<Vec<Self::Output>, Self::Error>;

    /// Encodes the results of all units of a part, in order, as the sections of the part's file.
    fn encode(&self, results: Vec<Self::Output>) -> Vec<Section>;

    /// Returns true if no part after `part` is needed. Called for one part after another, in order.
    fn ends(&self, _part: &[Section]) -> bool {
        false
    }
}

struct InProgress<W: Items> {
    index: u64,
    units: Range<u64>,
    input: Arc<W::Input>,
    /// The first unit that no thread has taken yet, counted from the start of the stage.
    next: u64,
    results: Batches<W>,
    units_left: u64,
}

/// The results of finished batches, each with the index of the batch's first unit in the stage.
type Batches<W> = Vec<(u64, Vec<<W as Items>::Output>)>;

struct State<W: Items> {
    missing: VecDeque<u64>,
    is_beginning: bool,
    parts: Vec<InProgress<W>>,
    /// The index in the stage of the first part that was not yet passed to [`Items::ends`].
    asked: u64,
    has_ended: bool,
    failed: Option<W::Error>,
}

enum Task<I> {
    Begin(u64),
    Make { index: u64, input: Arc<I>, units: Range<u64> },
    Wait,
    Stop,
}

struct Work<'a, W: Items> {
    run: &'a Run,
    stage: usize,
    per_item: u64,
    work: &'a W,
    progress: &'a dyn Progress,
    state: Mutex<State<W>>,
    changed: Condvar,
}

impl Run {
    /// Makes the missing parts of stage number `stage`, at most two parts at once. A thread takes
    /// `per_item` units of work at a time; this number does not affect the results.
    pub fn make<W: Items>(
        &self,
        stage: usize,
        per_item: u64,
        work: &W,
        progress: &dyn Progress,
    ) -> Result<(), W::Error> {
        (0..stage).try_for_each(|earlier| self.require(earlier))?;
        self.remove_unfit(stage, work, progress)?;
        let missing = self.missing(stage);
        self.begin_progress(stage, &missing, progress);
        let shared = Work {
            run: self,
            stage,
            per_item: per_item.max(1),
            work,
            progress,
            state: Mutex::new(State {
                missing: missing.into(),
                is_beginning: false,
                parts: vec![],
                asked: self.standing_parts(stage),
                has_ended: false,
                failed: None,
            }),
            changed: Condvar::new(),
        };
        shared.ask_about_end(&mut shared.lock())?;
        let threads = rayon::current_num_threads();
        rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| shared.make_items())));
        let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.failed.map_or(Ok(()), Err)
    }

    fn remove_unfit<W: Items>(
        &self,
        stage: usize,
        work: &W,
        progress: &dyn Progress,
    ) -> Result<(), RunError> {
        for index in self.own(stage) {
            let path = self.path(stage, index);
            if !path.exists() {
                continue;
            }
            let sections = self.part(stage, index)?.collect::<Result<Vec<_>, _>>()?;
            if !work.fits(self.plan.stages[stage].units_of(index), &sections) {
                let reason = "is not a part of this run; it is made again";
                progress.message(&format!("{}: {reason}", path.display()));
                remove_if_there(&path)?;
            }
        }
        Ok(())
    }

    pub(super) fn part_writer(&self, path: &Path, stage: usize, index: u64) -> Result<Writer> {
        Writer::create(path, Kind::Part, &self.plan.provenance_of(stage, index))
    }

    pub(super) fn write_part(
        &self,
        path: &Path,
        (stage, index): (usize, u64),
        sections: &[Section],
    ) -> Result<(), RunError> {
        let mut writer = self.part_writer(path, stage, index)?;
        for Section { name, content } in sections {
            writer.section(name, content)?;
        }
        Ok(writer.finish().map(drop)?)
    }

    pub(super) fn begin_progress(&self, stage: usize, missing: &[u64], progress: &dyn Progress) {
        let plan = &self.plan.stages[stage];
        let own = (0..plan.parts()).filter(|&index| self.shard.makes(index));
        let total: u64 = own.map(|index| plan.count_of(index)).sum();
        let left: u64 = missing.iter().map(|&index| plan.count_of(index)).sum();
        progress.begin_stoppable(&plan.name, total - left, total);
    }

    /// Makes the missing parts of a stage. `make` computes a unit's result from its index. Returns
    /// the results of all parts in order, except results that an existing output already contains.
    pub fn results<T, E>(
        &self,
        stage: usize,
        make: impl Fn(u64) -> Result<T, E> + Sync,
        progress: &dyn Progress,
    ) -> Result<Vec<T>, E>
    where
        T: Serialize + DeserializeOwned + Send,
        E: From<RunError> + Send,
    {
        self.make(stage, 1, &FunctionItems(make), progress)?;
        Ok(self.read_results(stage)?)
    }

    /// Makes the missing parts of a stage, each of one unit, one after another. `make` computes a
    /// part's result from its index, and may use all threads. Returns all results in order.
    pub fn steps<T, E>(
        &self,
        stage: usize,
        mut make: impl FnMut(u64) -> Result<T, E>,
        progress: &dyn Progress,
    ) -> Result<Vec<T>, E>
    where
        T: Serialize + DeserializeOwned,
        E: From<RunError>,
    {
        (0..stage).try_for_each(|earlier| self.require(earlier))?;
        let missing = self.missing(stage);
        self.begin_progress(stage, &missing, progress);
        for index in missing {
            progress.check().map_err(RunError::from)?;
            let result = make(index)?;
            self.write_part(&self.path(stage, index), (stage, index), &[section(&[result])])?;
        }
        Ok(self.read_results(stage)?)
    }

    fn read_results<T: DeserializeOwned>(&self, stage: usize) -> Result<Vec<T>, RunError> {
        let mut results = vec![];
        for (index, part) in (self.standing_parts(stage)..).zip(self.parts(stage)) {
            let mut part = part?;
            let sections: Vec<Section> = part.by_ref().collect::<Result<_, _>>()?;
            let units = self.plan.stages[stage].count_of(index);
            let read = read(&sections).filter(|read: &Vec<T>| read.len() as u64 == units);
            let reason = "lacks the results of its units; delete the file to make them again";
            results.extend(read.ok_or_else(|| part.meaningless(reason.to_owned()))?);
        }
        Ok(results)
    }
}

impl<W: Items> Work<'_, W> {
    fn make_items(&self) {
        loop {
            let done = match self.next_task() {
                Task::Stop => return,
                Task::Wait => {
                    self.wait();
                    Ok(())
                }
                Task::Begin(index) => self.begin(index),
                Task::Make { index, input, units } => self.make(index, &input, units),
            };
            if let Err(error) = done {
                self.lock().failed.get_or_insert(error);
            }
            self.changed.notify_all();
        }
    }

    fn next_task(&self) -> Task<W::Input> {
        let state = &mut *self.lock();
        if state.failed.is_some() || state.has_ended {
            return Task::Stop;
        }
        if let Some(part) = state.parts.iter_mut().find(|part| part.next < part.units.end) {
            let units = part.next..(part.next + self.per_item).min(part.units.end);
            part.next = units.end;
            return Task::Make { index: part.index, input: part.input.clone(), units };
        }
        let may_begin = !state.is_beginning && state.parts.len() < PARTS_AT_ONCE;
        if may_begin && let Some(index) = state.missing.pop_front() {
            state.is_beginning = true;
            return Task::Begin(index);
        }
        if state.parts.is_empty() && !state.is_beginning { Task::Stop } else { Task::Wait }
    }

    fn wait(&self) {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            let state = self.lock();
            drop(self.changed.wait_timeout(state, Duration::from_millis(2)));
        }
    }

    fn begin(&self, index: u64) -> Result<(), W::Error> {
        let units = self.run.plan.stages[self.stage].units_of(index);
        let begun = self.progress.check().map_err(|error| RunError::from(error).into());
        let begun = begun.and_then(|()| self.work.begin(units.clone()));
        let state = &mut *self.lock();
        state.is_beginning = false;
        let (next, units_left) = (units.start, units.end - units.start);
        let input = Arc::new(begun?);
        state.parts.push(InProgress { index, units, input, next, results: vec![], units_left });
        Ok(())
    }

    fn make(&self, index: u64, input: &W::Input, units: Range<u64>) -> Result<(), W::Error> {
        self.progress.check().map_err(RunError::from)?;
        let count = units.end - units.start;
        let results = self.work.make(input, units.clone())?;
        self.progress.advance(count);
        let finished = {
            let mut state = self.lock();
            let part = state.parts.iter_mut().find(|part| part.index == index);
            let Some(part) = part else { return Ok(()) };
            part.results.push((units.start, results));
            part.units_left -= count;
            (part.units_left == 0).then(|| std::mem::take(&mut part.results))
        };
        finished.map_or(Ok(()), |results| self.complete(index, results))
    }

    fn complete(&self, index: u64, mut results: Batches<W>) -> Result<(), W::Error> {
        results.sort_unstable_by_key(|&(first, _)| first);
        let results = results.into_iter().flat_map(|(_, results)| results).collect();
        let sections = self.work.encode(results);
        let path = self.run.path(self.stage, index);
        self.run.write_part(&path, (self.stage, index), &sections)?;
        let mut state = self.lock();
        state.parts.retain(|part| part.index != index);
        self.ask_about_end(&mut state)
    }

    fn ask_about_end(&self, state: &mut State<W>) -> Result<(), W::Error> {
        let parts = self.run.plan.stages[self.stage].parts();
        while W::CAN_END
            && !state.has_ended
            && state.asked < parts
            && self.run.has(self.stage, state.asked)
        {
            let part = self.run.part(self.stage, state.asked)?;
            let sections: Vec<Section> = part.collect::<Result<_, _>>().map_err(RunError::from)?;
            state.has_ended = self.work.ends(&sections);
            state.asked += 1;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const RESULTS: &str = "results";

struct FunctionItems<F>(F);

fn section<T: Serialize>(results: &[T]) -> Section {
    let content = serde_json::json!(results).to_string().into_bytes();
    Section { name: RESULTS.to_owned(), content }
}

fn read<T: DeserializeOwned>(part: &[Section]) -> Option<Vec<T>> {
    let [section] = part else { return None };
    serde_json::from_slice(&section.content).ok().filter(|_| section.name == RESULTS)
}

impl<F, T, E> Items for FunctionItems<F>
where
    F: Fn(u64) -> Result<T, E> + Sync,
    T: Serialize + DeserializeOwned + Send,
    E: From<RunError> + Send,
{
    type Input = ();
    type Output = T;
    type Error = E;

    fn fits(&self, units: Range<u64>, part: &[Section]) -> bool {
        let read: Option<Vec<T>> = read(part);
        read.is_some_and(|results| results.len() as u64 == units.end - units.start)
    }

    fn begin(&self, _: Range<u64>) -> Result<(), E> {
        Ok(())
    }

    fn make(&self, (): &(), units: Range<u64>) -> Result<Vec<T>, E> {
        units.map(&self.0).collect()
    }

    fn encode(&self, results: Vec<T>) -> Vec<Section> {
        vec![section(&results)]
    }
}
