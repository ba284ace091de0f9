//! Searches: the best move and its value.

use std::ffi::c_char;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use othello_engine::analysis::best_line;
use othello_engine::board::{Position, Square};
use othello_engine::eval::Evaluator;
use othello_engine::player::SearchSpec;
use othello_engine::search::{
    Found, Level, Limits, Plan, Search, Searcher, Selectivity, Strength, Team,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{Failure, OTHELLO_PASS, OthelloBoard, OthelloStatus, OthelloWeights};
use crate::{call, place, read, text};

/// A search: its settings, threads and transposition table, which keeps what earlier searches
/// found.
pub struct OthelloSearch {
    state: Mutex<State>,
    /// Ends the search under way.
    stop: Arc<AtomicBool>,
}

struct State {
    team: Team<'static, Evaluator>,
    evaluator: &'static Evaluator,
    threads: Option<ThreadPool>,
    settings: SearchSpec,
    strength: Strength,
    /// The last search, whose line can be asked for.
    last: Option<(Position, Found)>,
}

/// The result of a search.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OthelloFound {
    /// The value for the player in steps; a solved position has its score times
    /// OTHELLO_STEPS_PER_DISC.
    pub value: i32,
    /// The best move; OTHELLO_PASS if the player has none.
    pub best: i32,
    /// The depth of the search in moves; a smaller one than was asked for if a limit ended it.
    pub depth: i32,
    /// The confidence of the search in percent: 100 if nothing was pruned by ProbCut.
    pub confidence: i32,
    /// True if the value is the score under perfect play.
    pub is_exact: bool,
    /// The number of nodes.
    pub nodes: u64,
}

/// Makes a search. `settings` are those of a player: "level=16", or keys such as
/// "depth=12,selectivity=73,exact=20,nodes=1000000,ms=500", separated by commas; without a level or
/// a depth, level 10. `nodes` and `ms` limit each search. The transposition table has about
/// `hash_mb` MiB. The weights must not be freed before the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search_new(
    weights: *const OthelloWeights,
    settings: *const c_char,
    hash_mb: usize,
    threads: usize,
    search: *mut *mut OthelloSearch,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller's promise; the weights outlive the search.
        let (weights, settings, search) = unsafe {
            let weights: &'static OthelloWeights = read(weights, "weights")?;
            (weights, text(settings, "settings")?, place(search, "search")?)
        };
        if !(1..=1024).contains(&threads) {
            let text = format!("{threads} threads; expected 1 to 1024");
            return Err(Failure::argument(text));
        }
        let evaluator = &weights.evaluator;
        let team = Search::new(evaluator).hash_mb(hash_mb).threads(threads).team(1);
        let pool = || ThreadPoolBuilder::new().num_threads(threads).build();
        let mut state = State {
            team: team.map_err(Failure::memory)?,
            evaluator,
            threads: (threads > 1).then(pool).transpose().map_err(Failure::memory)?,
            settings: SearchSpec::default(),
            strength: Strength::PERFECT,
            last: None,
        };
        state.set(settings)?;
        let made = OthelloSearch { state: Mutex::new(state), stop: Arc::default() };
        search.write(Box::into_raw(Box::new(made)));
        Ok(())
    })
}

impl State {
    fn set(&mut self, settings: &str) -> Result<(), Failure> {
        let settings: SearchSpec = match settings {
            "" => SearchSpec::default(),
            settings => settings.parse().map_err(Failure::argument)?,
        };
        let usual =
            settings.depth.map_or_else(|| Level::USUAL.plan(self.evaluator), Plan::to_depth);
        let (strength, pruning) =
            settings.search(usual, self.evaluator).map_err(Failure::weights)?;
        self.team.select(&pruning);
        (self.settings, self.strength) = (settings, strength);
        Ok(())
    }

    /// Does work with the searcher, while other threads help.
    fn lead<T: Send>(
        &mut self,
        work: impl FnOnce(&mut Searcher<'static, Evaluator>) -> T + Send,
    ) -> Result<T, Failure> {
        let Self { team, threads, .. } = self;
        let done = match threads {
            Some(threads) => threads.install(|| team.lead(work)),
            None => team.lead(work),
        };
        done.ok_or_else(|| Failure::memory("no thread took the search"))
    }
}

impl OthelloSearch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the limits of a search that begins now.
    fn limits(&self, settings: &SearchSpec) -> Limits {
        let time = settings.milliseconds.map(Duration::from_millis);
        Limits {
            nodes: settings.nodes,
            deadline: time.map(|time| Instant::now() + time),
            interrupt: Some(Arc::clone(&self.stop)),
            ..Limits::default()
        }
    }
}

/// Changes the settings of later searches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search_set(
    search: *const OthelloSearch,
    settings: *const c_char,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let (search, settings) = unsafe { (read(search, "search")?, text(settings, "settings")?) };
        search.state().set(settings)
    })
}

/// Searches a board. Waits while another thread searches with the same handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search(
    search: *const OthelloSearch,
    board: *const OthelloBoard,
    found: *mut OthelloFound,
) -> OthelloStatus {
    // SAFETY: the caller's promise.
    unsafe { find(search, board, found, |state| state.strength) }
}

/// Solves a board: perfect play by both sides. Up to about 22 empty squares take seconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_solve(
    search: *const OthelloSearch,
    board: *const OthelloBoard,
    found: *mut OthelloFound,
) -> OthelloStatus {
    // SAFETY: the caller's promise.
    unsafe { find(search, board, found, |_| Strength::PERFECT) }
}

/// # Safety
/// `search` is a handle, `board` points to a board, `found` to memory for a result.
unsafe fn find(
    search: *const OthelloSearch,
    board: *const OthelloBoard,
    found: *mut OthelloFound,
    strength: impl Fn(&State) -> Strength,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let (search, board, place) =
            unsafe { (read(search, "search")?, read(board, "board")?, place(found, "found")?) };
        let position = board.position()?;
        let mut state = search.state();
        search.stop.store(false, Ordering::Relaxed);
        let (limits, strength) = (search.limits(&state.settings), strength(&state));
        let found = state.lead(|searcher| searcher.search_within(&position, strength, &limits))?;
        state.last = Some((position, found));
        let Found { value, best, nodes, depth, selectivity } = found;
        place.write(OthelloFound {
            value: value.steps(),
            best: best.map_or(OTHELLO_PASS, |square| square.index() as i32),
            depth: depth as i32,
            confidence: selectivity.percent() as i32,
            is_exact: depth == position.empties() && selectivity == Selectivity::Full,
            nodes,
        });
        Ok(())
    })
}

/// Finds the best line of the last search: at most 60 moves, without passes, from its best move on.
/// Most of the tree is still in the table; the rest is searched within the same limits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_line(
    search: *const OthelloSearch,
    squares: *mut i32,
    count: *mut usize,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let (search, squares, count) = unsafe {
            let squares = place(squares.cast::<[i32; 60]>(), "squares")?;
            (read(search, "search")?, squares, place(count, "count")?)
        };
        let mut state = search.state();
        let limits = search.limits(&state.settings);
        let none = || Failure::argument("nothing was searched yet, so that there is no line");
        let (position, found) = state.last.ok_or_else(none)?;
        let line = state.lead(|searcher| best_line(searcher, &position, &found, &limits))?;
        let mut all = [OTHELLO_PASS; 60];
        let numbers = line.iter().map(|square: &Square| square.index() as i32);
        all.iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
        squares.write(all);
        count.write(line.len());
        Ok(())
    })
}

/// Ends the search that another thread runs with this handle, which returns its result so far.
/// Without such a search, nothing happens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search_stop(search: *const OthelloSearch) {
    // SAFETY: the caller's promise.
    if let Some(search) = unsafe { search.as_ref() } {
        search.stop.store(true, Ordering::Relaxed);
    }
}

/// Forgets earlier searches, so that later ones give the same results as with a new handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search_forget(search: *const OthelloSearch) {
    // SAFETY: the caller's promise.
    if let Some(search) = unsafe { search.as_ref() } {
        let mut state = search.state();
        state.team.leader().new_game();
        state.last = None;
    }
}

/// Frees a search; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search_free(search: *mut OthelloSearch) {
    if !search.is_null() {
        // SAFETY: `othello_search_new` made it, and the caller promises that nobody uses it.
        drop(unsafe { Box::from_raw(search) });
    }
}
