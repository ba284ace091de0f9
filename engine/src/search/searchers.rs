//! Searchers for parallel work, made once and lent to whichever thread needs one.

use std::sync::{Mutex, PoisonError};

use super::{Searcher, Selection, TableError};
use crate::eval::Evaluate;

/// A collection of as many searchers as threads ever needed one at once.
#[derive(Debug)]
pub struct Searchers<'a, E: Evaluate> {
    evaluator: &'a E,
    hash_megabytes: usize,
    selection: Selection,
    idle: Mutex<Vec<Searcher<'a, E>>>,
}

impl<'a, E: Evaluate> Searchers<'a, E> {
    /// Makes so many searchers at once, whose tables may be too large for the memory.
    pub fn try_new(
        evaluator: &'a E,
        hash_megabytes: usize,
        count: usize,
    ) -> Result<Self, TableError> {
        let made = (0..count).map(|_| Searcher::try_new(evaluator, hash_megabytes));
        let idle = Mutex::new(made.collect::<Result<_, _>>()?);
        Ok(Self { evaluator, hash_megabytes, selection: Selection::default(), idle })
    }

    /// A collection without searchers: each is made when it is first needed.
    pub fn new(evaluator: &'a E, hash_megabytes: usize) -> Self {
        let (selection, idle) = (Selection::default(), Mutex::new(vec![]));
        Self { evaluator, hash_megabytes, selection, idle }
    }

    /// This collection with another selection for the searchers that it makes from now on.
    #[must_use]
    pub fn with_selection(self, selection: Selection) -> Self {
        Self { selection, ..self }
    }

    /// Works with a searcher that no one else has meanwhile. Its table may hold what it learned
    /// before: call [`Searcher::new_game`].
    ///
    /// # Panics
    /// Where one more searcher is needed and there is no memory for its table: use [`Self::try_new`]
    /// for a size that a user chose.
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
