use std::ops::RangeInclusive;
use std::sync::OnceLock;

use othello_engine::board::Position;
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::search::{Found as Finding, Limits, Search, Selectivity, Strength};
use pyo3::prelude::*;

use crate::board::BoardOrText;
use crate::errors::{exception, refused};
use crate::threads::{interruptible, on_threads};
use crate::weights::Weights;

const HASH_MB: RangeInclusive<usize> = 1..=1 << 20;

/// The result of a search of a board: the value, a best move, the depth and the nodes.
#[pyclass(frozen, get_all, module = "othello_toolkit")]
pub(crate) struct Found {
    /// The value in discs for the side to move.
    value: f64,
    /// A best move, such as `f5`; `None` at depth 0, or if there is no legal move.
    best: Option<String>,
    /// The depth of the search in plies.
    depth: u32,
    /// True if the value is the score under perfect play.
    exact: bool,
    /// The number of nodes that the search visited.
    nodes: u64,
}

impl Found {
    fn new(position: &Position, found: &Finding) -> Self {
        Self {
            value: found.value.discs(),
            best: found.best.map(|square| square.to_string()),
            depth: found.depth,
            exact: found.depth == position.empties() && found.selectivity == Selectivity::Full,
            nodes: found.nodes,
        }
    }
}

#[pymethods]
impl Found {
    fn __repr__(&self) -> String {
        let Self { value, depth, nodes, .. } = self;
        let best = self.best.as_ref().map_or("None".to_owned(), |best| format!("'{best}'"));
        let exact = if self.exact { "True" } else { "False" };
        format!("Found(value={value}, best={best}, depth={depth}, exact={exact}, nodes={nodes})")
    }
}

#[derive(FromPyObject)]
pub(crate) enum WeightsOrName {
    Weights(Py<Weights>),
    Name(String),
}

fn with_evaluator<T>(
    weights: Option<&WeightsOrName>,
    work: impl FnOnce(&Evaluator) -> PyResult<T>,
) -> PyResult<T> {
    static EMBEDDED: OnceLock<Evaluator> = OnceLock::new();
    match weights {
        None => match EMBEDDED.get() {
            Some(evaluator) => work(evaluator),
            None => {
                let evaluator = on_threads(Evaluator::embedded)?;
                work(EMBEDDED.get_or_init(|| evaluator))
            }
        },
        Some(WeightsOrName::Weights(weights)) => work(&weights.get().evaluator),
        Some(WeightsOrName::Name(name)) => {
            let choice: WeightsChoice = name.parse().map_err(exception)?;
            work(&on_threads(|| Evaluator::load(&choice))?.map_err(exception)?)
        }
    }
}

fn check_table(hash_mb: usize) -> PyResult<()> {
    if HASH_MB.contains(&hash_mb) {
        return Ok(());
    }
    let (least, most) = HASH_MB.into_inner();
    Err(refused(format!("a table of {hash_mb} MB; expected {least} to {most}")))
}

/// Searches a board to `depth` plies or, if it has `exact` or fewer empty squares, to the end of
/// the game. `weights` is the evaluation (default: the weights inside this package). A
/// `selectivity` of 73, 87, 95, 98 or 99 prunes nodes at this ProbCut confidence in percent; 100
/// prunes nothing. Uses one thread; the result is the same on all machines. Ctrl-C ends the search.
#[pyfunction]
#[pyo3(signature = (board, depth, *, exact = 0, selectivity = 100, weights = None, hash_mb = 16))]
pub(crate) fn search(
    py: Python<'_>,
    board: BoardOrText,
    depth: u32,
    exact: u32,
    selectivity: u32,
    weights: Option<WeightsOrName>,
    hash_mb: usize,
) -> PyResult<Found> {
    check_table(hash_mb)?;
    let position = board.position()?;
    let selectivity: Selectivity = selectivity.to_string().parse().map_err(exception)?;
    with_evaluator(weights.as_ref(), |evaluator| {
        let search = Search::new(evaluator).strength(Strength { depth, exact }).hash_mb(hash_mb);
        find(py, search.selectivity(selectivity).map_err(exception)?, &position)
    })
}

fn find(py: Python<'_>, search: Search<'_, Evaluator>, position: &Position) -> PyResult<Found> {
    let found = interruptible(py, |stop| {
        let limits = Limits { interrupt: Some(stop.clone()), ..Limits::default() };
        search.limits(limits).find(position)
    })?;
    Ok(Found::new(position, &found.map_err(exception)?))
}

/// Finds the score of a board under perfect play by both sides, on all threads. The evaluation
/// `weights` (default: the weights inside this package) orders moves. Ctrl-C ends the search.
#[pyfunction]
#[pyo3(signature = (board, *, weights = None, hash_mb = 64))]
pub(crate) fn solve(
    py: Python<'_>,
    board: BoardOrText,
    weights: Option<WeightsOrName>,
    hash_mb: usize,
) -> PyResult<Found> {
    check_table(hash_mb)?;
    let position = board.position()?;
    let threads = on_threads(rayon::current_num_threads)?;
    with_evaluator(weights.as_ref(), |evaluator| {
        let search = Search::new(evaluator).strength(Strength::PERFECT);
        find(py, search.threads(threads).hash_mb(hash_mb), &position)
    })
}
