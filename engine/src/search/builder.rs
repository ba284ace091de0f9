use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::table::Table;
use super::{
    Features, Found, Level, Limits, Pruning, Searcher, Selectivity, Strength, TableError, Team,
};
use crate::board::Position;
use crate::eval::{Evaluate, PruningError, Value};
use crate::progress::Progress;

const HASH_MEGABYTES: usize = 16;
/// The default size, in MiB, of each transposition table of [`Search::find_all`] without exact
/// solving. Such searches are usually shallow.
const SHALLOW_HASH_MEGABYTES: usize = 4;

/// A builder of searches, to which settings are added one by one. If no depth, strength or level is
/// set, [`Self::find`] and [`Self::find_all`] search at level 10, with the pruning of this level.
/// At depth 0, the result is the static value, without a best move.
///
/// ```
/// use othello_engine::board::Position;
/// use othello_engine::eval::Mobility;
/// use othello_engine::search::{Level, Search};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let found = Search::new(&Mobility).depth(6).find(&Position::START)?;
/// println!("{:+.2} discs, best {:?}, {} nodes", found.value, found.best, found.nodes);
///
/// // A search at level 8, on two threads.
/// let level = Level::new(8).ok_or("a level is from 1 to 60")?;
/// let found = Search::new(&Mobility).level(level).threads(2).find(&Position::START)?;
/// assert_eq!(found.depth, 8);
///
/// // Two searches with one transposition table: the second search takes fewer nodes.
/// let search = Search::new(&Mobility).hash_mb(1);
/// let mut searcher = search.searcher()?;
/// let deep = searcher.search(&Position::START, 7);
/// assert!(searcher.search(&Position::START, 7).nodes < deep.nodes);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use]
pub struct Search<'a, E: Evaluate> {
    evaluator: &'a E,
    /// `None` selects the default level.
    strength: Option<Strength>,
    pruning: Pruning,
    features: Features,
    limits: Limits,
    hash_megabytes: Option<usize>,
    threads: usize,
}

impl<'a, E: Evaluate> Search<'a, E> {
    /// Creates a search with this evaluation and default settings.
    pub fn new(evaluator: &'a E) -> Self {
        Self {
            evaluator,
            strength: None,
            pruning: Pruning::default(),
            features: Features::ALL,
            limits: Limits::default(),
            hash_megabytes: None,
            threads: 1,
        }
    }

    /// Sets the depth in plies. With at most `depth` empty squares, the search goes to the end.
    pub fn depth(self, depth: u32) -> Self {
        self.strength(depth)
    }

    /// Sets the strength: a depth, and a number of empty squares for exact solving.
    pub fn strength(self, strength: impl Into<Strength>) -> Self {
        Self { strength: Some(strength.into()), ..self }
    }

    /// Sets the depth, the exact solving and the pruning that `level` prescribes.
    pub fn level(self, level: Level) -> Self {
        let plan = level.plan(self.evaluator);
        let (strength, pruning) = (Some(plan.strength()), plan.pruning(self.evaluator));
        Self { strength, pruning, ..self }
    }

    /// Prunes fixed-depth searches by ProbCut at this confidence. Replaces any earlier pruning.
    ///
    /// # Errors
    /// If the weights have no ProbCut model. [`Selectivity::Full`] prunes nothing and needs none.
    pub fn selectivity(self, selectivity: Selectivity) -> Result<Self, PruningError> {
        Ok(Self { pruning: Pruning::new(self.evaluator, selectivity)?, ..self })
    }

    /// Sets the pruning: by ProbCut or by realization probability.
    pub fn pruning(self, pruning: Pruning) -> Self {
        Self { pruning, ..self }
    }

    /// Sets the features (techniques such as null windows) that the search uses; by default, all.
    pub fn features(self, features: Features) -> Self {
        Self { features, ..self }
    }

    /// Sets the limits at which the search ends.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the approximate size of the transposition table in MiB: 16 by default; 0 means the
    /// smallest table. The operating system provides memory only as the table fills.
    pub fn hash_mb(self, megabytes: usize) -> Self {
        Self { hash_megabytes: Some(megabytes), ..self }
    }

    /// Sets the number of threads of a search (1 by default), taken from the current rayon pool.
    /// Exact scores, and values of fixed-depth searches without ProbCut, do not depend on it.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Searches one position from an empty transposition table.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn find(&self, position: &Position) -> Result<Found, TableError> {
        let Some(strength) = self.strength else { return self.at_usual_level().find(position) };
        let search = |searcher: &mut Searcher<'a, E>| {
            searcher.search_within(position, strength, &self.limits)
        };
        Ok(self.team(1)?.lead(search))
    }

    /// Searches positions on all threads of the current rayon pool; returns the results in the same
    /// order. Each search begins with an empty table, so that its value does not depend on other
    /// positions or the number of threads. If there are fewer positions than threads and no
    /// pruning, idle threads help to search positions of other threads. A result has no best move
    /// at depth 0 or if the player must pass. A table has 4 MiB by default, or 16 MiB with exact
    /// solving. `progress` counts positions.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub fn find_all(
        &self,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Vec<Found>, TableError> {
        let Some(strength) = self.strength else {
            return self.at_usual_level().find_all(positions, progress);
        };
        let usual = match strength {
            Strength { depth: 0, exact: 0 } => 0,
            Strength { exact: 0, .. } => SHALLOW_HASH_MEGABYTES,
            _ => HASH_MEGABYTES,
        };
        let megabytes = self.hash_megabytes.filter(|_| usual > 0).unwrap_or(usual);
        let search = |searcher: &mut Searcher<'a, E>, position: &Position| {
            let found = searcher.search_within(position, strength, &self.limits);
            progress.advance(1);
            found
        };
        let threads = rayon::current_num_threads();
        if positions.len() < threads && self.pruning.is_full() {
            let mut team = self.team_of(threads, positions.len(), megabytes)?;
            return Ok(team.work(positions, search));
        }
        // Positions are searched in order of phase, to keep the weights of a phase in the cache.
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_by_key(|&place| positions[place].ply());
        let in_order = order.par_iter().map(|&place| &positions[place]);
        let new = || self.searcher_of(megabytes);
        let afresh = |searcher: &mut Result<Searcher<'a, E>, TableError>, position: &Position| {
            let searcher = searcher.as_mut().map_err(|error| *error)?;
            searcher.new_game();
            Ok(search(searcher, position))
        };
        let found: Vec<Found> = in_order.map_init(new, afresh).collect::<Result<_, _>>()?;
        let mut by_place: Vec<(usize, Found)> = order.into_iter().zip(found).collect();
        by_place.sort_by_key(|&(place, _)| place);
        Ok(by_place.into_iter().map(|(_, found)| found).collect())
    }

    /// Searches the positions like [`Self::find_all`], and returns their values in the same order.
    /// If the player must pass, the value is the negated value after the pass; the value of a
    /// finished game is its score.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub fn values(
        &self,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Vec<Value>, TableError> {
        let found = self.find_all(positions, progress)?;
        Ok(found.into_iter().map(|found| found.value).collect())
    }

    /// Creates a searcher, which keeps its transposition table from position to position.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn searcher(&self) -> Result<Searcher<'a, E>, TableError> {
        self.searcher_of(self.megabytes())
    }

    /// Creates a team with one searcher for each thread. At most `jobs` positions are searched at
    /// the same time. Searchers without a position of their own help in these searches.
    pub fn team(&self, jobs: usize) -> Result<Team<'a, E>, TableError> {
        self.team_of(self.threads, jobs, self.megabytes())
    }

    /// Creates a pool of searchers, one for each thread of the current rayon pool. Each searcher
    /// has its own transposition table.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub fn searchers(self) -> Result<Searchers<'a, E>, TableError> {
        let made = (0..rayon::current_num_threads()).map(|_| self.searcher());
        let idle = Mutex::new(made.collect::<Result<_, _>>()?);
        Ok(Searchers { search: self, idle })
    }

    fn at_usual_level(&self) -> Self {
        let (pruning, limits) = (self.pruning.clone(), self.limits.clone());
        Self { pruning, limits, ..*self }.level(Level::USUAL)
    }

    fn megabytes(&self) -> usize {
        self.hash_megabytes.unwrap_or(HASH_MEGABYTES)
    }

    fn searcher_of(&self, megabytes: usize) -> Result<Searcher<'a, E>, TableError> {
        let searcher = Searcher::with_table(self.evaluator, Table::new(megabytes)?);
        Ok(Searcher { pruning: self.pruning.clone(), features: self.features, ..searcher })
    }

    fn team_of(
        &self,
        count: usize,
        jobs: usize,
        megabytes: usize,
    ) -> Result<Team<'a, E>, TableError> {
        // Searchers after the first `takers` only help others, and need no tables.
        let takers = jobs.max(1);
        let size = |number: usize| if number < takers { megabytes } else { 0 };
        let made = (0..count.max(1)).map(|number| self.searcher_of(size(number)));
        Ok(Team { searchers: made.collect::<Result<_, _>>()?, takers })
    }
}

/// A pool with one searcher for each thread. If all are in use, it creates another searcher.
#[derive(Debug)]
pub struct Searchers<'a, E: Evaluate> {
    search: Search<'a, E>,
    idle: Mutex<Vec<Searcher<'a, E>>>,
}

impl<'a, E: Evaluate> Searchers<'a, E> {
    /// Calls `work` with a searcher that no other thread uses meanwhile. The searcher's table may
    /// contain entries of earlier searches, which [`Searcher::new_game`] discards.
    ///
    /// # Panics
    /// If all searchers of the pool are in use, and there is no memory for another table.
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
    use super::super::tests::positions;
    use super::*;
    use crate::eval::Mobility;
    use crate::progress::Silent;

    #[test]
    fn a_value_does_not_depend_on_the_company() {
        let search = Search::new(&Mobility).depth(4);
        let positions = positions(3, 300, 0..60);
        let together = search.values(&positions, &Silent).unwrap();
        for (&position, value) in positions.iter().zip(together) {
            assert_eq!(search.values(&[position], &Silent).unwrap(), [value]);
        }
    }

    #[test]
    fn a_search_without_a_strength_finds_a_move() {
        let usual = Search::new(&Mobility).level(Level::USUAL).find(&Position::START).unwrap();
        let found = Search::new(&Mobility).find(&Position::START).unwrap();
        assert!(found.best.is_some());
        assert_eq!(found, usual);
    }

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
