//! A pool of searchers for parallel work. Each thread borrows a searcher while it works.

use std::sync::{Mutex, PoisonError};

use super::{Search, Searcher, TableError};
use crate::eval::Evaluate;

/// A pool with one searcher for each thread; creates more searchers if more are in use at once.
#[derive(Debug)]
pub struct Searchers<'a, E: Evaluate> {
    search: Search<'a, E>,
    idle: Mutex<Vec<Searcher<'a, E>>>,
}

impl<'a, E: Evaluate> Search<'a, E> {
    /// Creates a pool with one searcher for each thread of the current rayon pool. Allocates all
    /// transposition tables now, so that a lack of memory is an error before the work begins.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub fn searchers(self) -> Result<Searchers<'a, E>, TableError> {
        let made = (0..rayon::current_num_threads()).map(|_| self.searcher());
        let idle = Mutex::new(made.collect::<Result<_, _>>()?);
        Ok(Searchers { search: self, idle })
    }
}

impl<'a, E: Evaluate> Searchers<'a, E> {
    /// Calls `work` with a searcher that no other thread uses at the same time. Its transposition
    /// table may contain entries of earlier searches: [`Searcher::new_game`] forgets them.
    ///
    /// # Panics
    /// If more searchers are in use than threads, and there is no memory for another table.
    #[expect(clippy::expect_used, reason = "documented; as `Vec` does if memory is exhausted")]
    pub fn with<T>(&self, work: impl FnOnce(&mut Searcher<'a, E>) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let make = || self.search.searcher().expect("memory for the transposition table");
        let mut searcher = taken.unwrap_or_else(make);
        let result = work(&mut searcher);
        idle().push(searcher);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Mobility;

    /// Formerly, a search panicked if there was no memory for its table.
    #[test]
    fn tables_without_memory_are_an_error_before_the_work() {
        for megabytes in [1 << 40, usize::MAX >> 21, usize::MAX] {
            let made = Search::new(&Mobility).hash_mb(megabytes).searchers();
            let error = made.map(drop).unwrap_err();
            assert_eq!(error, TableError { megabytes });
            let size = format!("of {megabytes} MB; choose a smaller one, or fewer --threads");
            assert!(error.to_string().contains(&size), "{error}");
        }
    }
}
