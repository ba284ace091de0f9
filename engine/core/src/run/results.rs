//! Stages whose units have results that are stored as JSON.

use std::marker::PhantomData;
use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Items, Run, RunError};
use crate::file::Section;
use crate::progress::Progress;

const RESULTS: &str = "results";

struct FunctionItems<F, T, E>(F, PhantomData<fn() -> (T, E)>);

impl Run {
    /// Makes the missing parts of a stage; `make` maps a unit to its result. Returns all results.
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
        self.make(stage, 1, &FunctionItems(make, PhantomData), progress)?;
        Ok(self.read_results(stage)?)
    }

    /// Makes the missing parts of a stage one by one; a part has only one unit. `make` may use all
    /// threads, report its own progress, and even open a run. Returns the results of all parts in
    /// order.
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
            let units = self.plan.stages[stage].units_of(index).count();
            let read: Option<Vec<T>> = read(&sections).filter(|read: &Vec<T>| read.len() == units);
            let reason = "lacks the results of its units; delete the file to make them again";
            results.extend(read.ok_or_else(|| part.meaningless(reason.to_owned()))?);
        }
        Ok(results)
    }
}

fn section<T: Serialize>(results: &[T]) -> Section {
    let content = serde_json::json!(results).to_string().into_bytes();
    Section { name: RESULTS.to_owned(), content }
}

fn read<T: DeserializeOwned>(part: &[Section]) -> Option<Vec<T>> {
    let [section] = part else { return None };
    serde_json::from_slice(&section.content).ok().filter(|_| section.name == RESULTS)
}

impl<F, T, E> Items for FunctionItems<F, T, E>
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
