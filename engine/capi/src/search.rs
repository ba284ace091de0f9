use std::ffi::c_char;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// A handle for searches: settings, threads, and a transposition table with earlier results.
pub struct OthelloSearch {
    state: Mutex<State>,
    stop: Arc<AtomicBool>,
}

struct State {
    team: Team<'static, Evaluator>,
    evaluator: &'static Evaluator,
    threads: Option<ThreadPool>,
    settings: SearchSpec,
    strength: Strength,
    last: Option<(Position, Found)>,
}

/// The result of a search.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OthelloFound {
    /// The value, or the score if solved, in steps of 1/OTHELLO_STEPS_PER_DISC disc for the player.
    pub value: i32,
    /// The square of the best move, 0 to 63; OTHELLO_PASS if the player has no legal move.
    pub best: i32,
    /// The depth that the search reached, in moves: less than requested if a limit ended it.
    pub depth: i32,
    /// The confidence of ProbCut pruning in percent; 100 for a search without ProbCut.
    pub confidence: i32,
    /// True if the value is the score under perfect play.
    pub is_exact: bool,
    /// The number of nodes that the search visited.
    pub nodes: u64,
}

/// Creates a handle for searches and stores it in `search`. Fails if a setting is not valid or
/// there is too little memory. `settings` is a level, such as "level=16", or keys separated by
/// commas, such as "depth=12,selectivity=73,exact=20,nodes=1000000,ms=500". If there is neither a
/// level nor a depth, the level is 10. The keys `nodes` and `ms` limit the nodes and the
/// milliseconds of each search. The transposition table has about `hash_mb` MiB. A search uses
/// `threads` threads, 1 to 1024. The handle must be freed before `weights`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search_new(
    weights: *const OthelloWeights,
    settings: *const c_char,
    hash_mb: usize,
    threads: usize,
    search: *mut *mut OthelloSearch,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers, and weights that outlive the search.
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

    fn lead<T: Send>(
        &mut self,
        work: impl FnOnce(&mut Searcher<'static, Evaluator>) -> T + Send,
    ) -> T {
        let Self { team, threads, .. } = self;
        match threads {
            Some(threads) => threads.install(|| team.lead(work)),
            None => team.lead(work),
        }
    }
}

impl OthelloSearch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limits(&self, settings: &SearchSpec) -> Limits {
        Limits { interrupt: Some(Arc::clone(&self.stop)), ..settings.limits() }
    }
}

/// Replaces all settings, for later searches. `settings` is a level, such as "level=16", or keys,
/// such as "depth=12,exact=20" (see othello_search_new). A key that it omits gets its default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search_set(
    search: *const OthelloSearch,
    settings: *const c_char,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (search, settings) = unsafe { (read(search, "search")?, text(settings, "settings")?) };
        search.state().set(settings)
    })
}

/// Searches a board, and stores the best move and its value in `found`. If another thread is
/// searching with the same handle, waits until that search ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search(
    search: *const OthelloSearch,
    board: *const OthelloBoard,
    found: *mut OthelloFound,
) -> OthelloStatus {
    // SAFETY: the caller promises valid pointers.
    unsafe { find(search, board, found, |state| state.strength) }
}

/// Solves a board: finds the score under perfect play. Up to about 22 empty squares take seconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_solve(
    search: *const OthelloSearch,
    board: *const OthelloBoard,
    found: *mut OthelloFound,
) -> OthelloStatus {
    // SAFETY: the caller promises valid pointers.
    unsafe { find(search, board, found, |_| Strength::PERFECT) }
}

/// Searches `board` to the depth that `strength` returns, or exactly near the end of the game, and
/// writes the result to `found`.
///
/// # Safety
/// `search` is a handle, `board` points to a board, `found` to memory for a result.
unsafe fn find(
    search: *const OthelloSearch,
    board: *const OthelloBoard,
    found: *mut OthelloFound,
    strength: impl Fn(&State) -> Strength,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (search, board, place) =
            unsafe { (read(search, "search")?, read(board, "board")?, place(found, "found")?) };
        let position = board.position()?;
        let mut state = search.state();
        search.stop.store(false, Ordering::Relaxed);
        let (limits, strength) = (search.limits(&state.settings), strength(&state));
        let found = state.lead(|searcher| searcher.search_within(&position, strength, &limits));
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

/// Finds the best line of the last search, its best move first: at most 60 moves, without passes.
/// `squares` must have room for 60 numbers; `count` receives the number of moves. If a move is not
/// in the transposition table, searches for it within the limits of the settings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_line(
    search: *const OthelloSearch,
    squares: *mut i32,
    count: *mut usize,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (search, squares, count) = unsafe {
            let squares = place(squares.cast::<[i32; 60]>(), "squares")?;
            (read(search, "search")?, squares, place(count, "count")?)
        };
        let mut state = search.state();
        let limits = search.limits(&state.settings);
        let none = || Failure::argument("nothing was searched yet, so that there is no line");
        let (position, found) = state.last.ok_or_else(none)?;
        let line = state.lead(|searcher| best_line(searcher, &position, &found, &limits));
        let mut all = [OTHELLO_PASS; 60];
        let numbers = line.iter().map(|square: &Square| square.index() as i32);
        all.iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
        squares.write(all);
        count.write(line.len());
        Ok(())
    })
}

/// Stops a search in another thread with this handle. The search returns its best result so far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search_stop(search: *const OthelloSearch) {
    // SAFETY: the caller promises valid pointers.
    if let Some(search) = unsafe { search.as_ref() } {
        search.stop.store(true, Ordering::Relaxed);
    }
}

/// Clears the transposition table and the last result, as in a new handle. The settings remain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_search_forget(search: *const OthelloSearch) {
    // SAFETY: the caller promises valid pointers.
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
        // SAFETY: `othello_search_new` made this handle; the caller promises that nobody uses it.
        drop(unsafe { Box::from_raw(search) });
    }
}
