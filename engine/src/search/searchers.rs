//! A pool of searchers for parallel work, lent to the threads that need one.

use std::sync::{Mutex, PoisonError};

use super::{Searcher, Selection, TableError};
use crate::eval::Evaluate;

/// A pool with as many searchers as were ever in use at once, one per thread at the start.
#[derive(Debug)]
pub struct Searchers<'a, E: Evaluate> {
    evaluator: &'a E,
    hash_megabytes: usize,
    selection: Selection,
    idle: Mutex<Vec<Searcher<'a, E>>>,
}

impl<'a, E: Evaluate> Searchers<'a, E> {
    /// Makes a searcher for each thread of the current rayon pool, so that a lack of memory for
    /// their tables is reported before the work begins. Untouched memory costs nothing.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub fn try_new(
        evaluator: &'a E,
        hash_megabytes: usize,
        selection: &Selection,
    ) -> Result<Self, TableError> {
        let made = (0..rayon::current_num_threads()).map(|_| {
            let searcher = Searcher::try_new(evaluator, hash_megabytes)?;
            Ok(searcher.with_selection(selection.clone()))
        });
        let idle = Mutex::new(made.collect::<Result<_, _>>()?);
        Ok(Self { evaluator, hash_megabytes, selection: selection.clone(), idle })
    }

    /// Calls `work` with a searcher that no other thread uses meanwhile. Its table may hold entries
    /// from before: call [`Searcher::new_game`] to forget them.
    ///
    /// # Panics
    /// If more searchers are in use at once than there are threads, and there is no memory for
    /// another table.
    pub fn with<T>(&self, work: impl FnOnce(&mut Searcher<'a, E>) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut searcher = taken.unwrap_or_else(|| self.make());
        let result = work(&mut searcher);
        idle().push(searcher);
        result
    }

    fn make(&self) -> Searcher<'a, E> {
        let searcher = Searcher::new(self.evaluator, self.hash_megabytes);
        searcher.with_selection(self.selection.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Mobility;

    /// A regression: the first search panicked if its table found no memory.
    #[test]
    fn tables_without_memory_are_an_error_before_the_work() {
        let made = Searchers::try_new(&Mobility, 1 << 40, &Selection::default());
        let error = made.map(drop).unwrap_err().to_string();
        assert!(error.contains("1099511627776 MB") && error.contains("fewer --threads"), "{error}");
    }
}
