//! The evaluation of an instance, and searches by it.

use std::cell::RefCell;
use std::path::Path;

use othello_engine::analysis::rated_move;
use othello_engine::board::notation::BoardLine;
use othello_engine::board::{Phase, Square};
use othello_engine::eval::{
    Evaluator, Identified as _, Mobility, Weights, WeightsError, WeightsFile, Zero, weight_in_discs,
};
use othello_engine::search::{Searcher, Strength};
use serde::Serialize;
use serde_json::{Value as Json, json};

/// The size of the transposition table in MiB, which a telephone can spare.
const HASH_MEGABYTES: usize = 16;

/// An evaluation with its searcher.
pub(crate) struct Loaded {
    searcher: Searcher<'static, Evaluator>,
    /// The weights by class, if they come from a file.
    weights: Option<Weights>,
    /// True if the counts of training are known.
    counted: bool,
    /// The checksum of the weights file, or the name of the evaluation by hand.
    identity: String,
}

thread_local! {
    static LOADED: RefCell<Option<Loaded>> = const { RefCell::new(None) };
}

impl Loaded {
    /// Takes a weights file, or the part of one without the counts; returns its description.
    pub(crate) fn load(
        name: &Path,
        file: Result<WeightsFile, WeightsError>,
        counted: bool,
    ) -> Result<Json, String> {
        let file = file.map_err(|error| error.to_string())?;
        let evaluator = Evaluator::from(&file);
        let WeightsFile { weights, provenance, .. } = file;
        let patterns = weights.set().patterns().iter().map(|pattern| {
            let squares: Vec<String> = pattern.squares().iter().map(Square::to_string).collect();
            json!({ "name": pattern.name(), "squares": squares })
        });
        let described = json!({
            "name": name.display().to_string(),
            "identity": evaluator.identity(),
            "set": weights.set().name(),
            "patterns": patterns.collect::<Vec<_>>(),
            "parameters": weights.geometry().parameters(),
            "positions": counted.then(|| positions(&weights)),
            "provenance": provenance.as_map(),
        });
        Self::take(evaluator, Some(weights), counted)?;
        Ok(described)
    }

    /// Takes an evaluation by hand; returns its description.
    pub(crate) fn builtin(name: &str) -> Result<Json, String> {
        let evaluator: Evaluator = match name {
            "none" => Zero.into(),
            "mobility" => Mobility.into(),
            other => return Err(format!("`{other}` is no evaluation; expected none or mobility")),
        };
        Self::take(evaluator, None, false)?;
        Ok(json!({ "name": name, "identity": name }))
    }

    /// Keeps the evaluation for the life of the instance, which has only one.
    fn take(evaluator: Evaluator, weights: Option<Weights>, counted: bool) -> Result<(), String> {
        let evaluator = Box::leak(Box::new(evaluator));
        let identity = evaluator.identity().to_owned();
        let searcher =
            Searcher::try_new(evaluator, HASH_MEGABYTES).map_err(|error| error.to_string())?;
        LOADED.set(Some(Self { searcher, weights, counted, identity }));
        Ok(())
    }
}

/// Takes the counts of the weights for play; returns the number of positions they were trained on.
pub(crate) fn load_counts(name: &Path, bytes: Vec<u8>) -> Result<Json, String> {
    with(|Loaded { weights, counted, identity, .. }| {
        let weights = weights.as_mut().ok_or("an evaluation by hand has no counts")?;
        let of = weights.take_counts(name, bytes).map_err(|error| error.to_string())?;
        if of != *identity {
            return Err(format!("{}: holds the counts of other weights", name.display()));
        }
        *counted = true;
        Ok(json!({ "positions": positions(weights) }))
    })
}

/// Returns the number of positions that the weights were trained on: each meets one class of an
/// instance.
fn positions(weights: &Weights) -> u64 {
    let Some(classes) = weights.geometry().patterns.first().map(|pattern| pattern.classes) else {
        return 0;
    };
    let instances = weights.geometry().instances.iter().filter(|it| it.pattern == 0).count() as u64;
    let counts = Phase::all().flat_map(|phase| &weights.counts(phase)[..classes]);
    counts.map(|&count| u64::from(count)).sum::<u64>() / instances
}

/// The result of a search.
#[derive(Serialize)]
pub(crate) struct Found {
    /// The value for the player in steps of 1/32 disc.
    steps: i32,
    best: Option<String>,
    depth: u32,
    exact: bool,
    nodes: u64,
    line: Option<Vec<String>>,
}

fn with<T>(work: impl FnOnce(&mut Loaded) -> Result<T, String>) -> Result<T, String> {
    LOADED.with_borrow_mut(|loaded| {
        work(loaded.as_mut().ok_or("no weights yet: wait for them, or drop a file on the page")?)
    })
}

/// Searches a position; with `forget`, from an empty table. At depth 0 the value is static unless
/// it is exact.
pub(crate) fn search(
    line: &BoardLine,
    depth: u32,
    exact: u32,
    forget: bool,
) -> Result<Found, String> {
    with(|Loaded { searcher, .. }| {
        if forget {
            searcher.new_game();
        }
        let empties = line.position.empties();
        let depth = if empties <= exact { empties } else { depth };
        let found = searcher.search(&line.position, depth);
        let (steps, best, nodes) = (found.value.steps(), found.best, found.nodes);
        let (best, exact) = (best.map(|square| square.to_string()), found.depth == empties);
        Ok(Found { steps, best, depth: found.depth, exact, nodes, line: None })
    })
}

/// Rates one move of a position; with `forget`, from an empty table.
pub(crate) fn rate(
    line: &BoardLine,
    square: &str,
    depth: u32,
    exact: u32,
    forget: bool,
) -> Result<Found, String> {
    let illegal = || format!("{square} is no legal move here");
    let move_square: Square = square.parse().map_err(|_| illegal())?;
    with(|Loaded { searcher, .. }| {
        if forget {
            searcher.new_game();
        }
        let strength = Strength { depth, exact };
        let rated = rated_move(searcher, &line.position, move_square, strength);
        let rated = rated.ok_or_else(illegal)?;
        Ok(Found {
            steps: rated.value.steps(),
            best: Some(square.to_owned()),
            depth: rated.depth,
            exact: rated.exact,
            nodes: rated.nodes,
            line: Some(rated.line.iter().map(Square::to_string).collect()),
        })
    })
}

/// Takes the value of a position apart.
pub(crate) fn parts(line: &BoardLine) -> Result<Json, String> {
    with(|Loaded { weights, counted, .. }| {
        let known = |count: u32| counted.then_some(count);
        let weights = weights.as_ref().ok_or("an evaluation by hand has no parts")?;
        let parts = weights.parts(&line.position);
        let parts = parts.ok_or("the side to move has no move, so that its value has no parts")?;
        let instances = parts.instances.iter().map(|part| {
            let squares: Vec<String> = part.squares.iter().map(Square::to_string).collect();
            let discs = weight_in_discs(part.weight.steps);
            let pattern = part.pattern.name();
            json!({ "pattern": pattern, "squares": squares, "discs": discs, "count": known(part.weight.count) })
        });
        let scalars = parts.scalars.iter().map(|part| {
            let (discs, count) = (weight_in_discs(part.weight.steps), known(part.weight.count));
            json!({ "scalar": part.scalar.name(), "number": part.number, "discs": discs, "count": count })
        });
        Ok(json!({
            "phase": parts.phase.index(),
            "steps": parts.steps().clamp(-2048, 2048),
            "instances": instances.collect::<Vec<_>>(),
            "scalars": scalars.collect::<Vec<_>>(),
        }))
    })
}
