//! The evaluation of an instance of the WebAssembly module, and searches with this evaluation.

use std::cell::{Cell, RefCell};
use std::path::Path;

use othello_engine::analysis::{how_found, rated_move};
use othello_engine::board::{Phase, Square, StatedPosition};
use othello_engine::eval::{
    Counts, Evaluator, Identified as _, Mobility, STEPS_PER_DISC, WeightsError, WeightsFile, Zero,
    weight_in_discs,
};
use othello_engine::file::Provenance;
use othello_engine::pattern::{Geometry, Pattern, PatternSet};
use othello_engine::search::{Level, Limits, Search, Searcher, Selectivity, Strength};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::milliseconds;

/// The size of the transposition table in MiB, which fits into the memory of a phone.
const HASH_MEGABYTES: usize = 16;

/// The settings of a search. `depth` and `exact` (empty squares for exact solving) override the
/// numbers of the level. Without a level, they default to 0, and ProbCut is off.
#[derive(Deserialize)]
pub(crate) struct How {
    level: Option<u32>,
    depth: Option<u32>,
    exact: Option<u32>,
    nodes: Option<u64>,
    ms: Option<u64>,
    /// True to clear the transposition table before the search.
    #[serde(default)]
    forget: bool,
}

pub(crate) struct Loaded {
    searcher: Searcher<'static, Evaluator>,
    /// The level that last set the pruning of `searcher`; `None` if `searcher` does not prune.
    level: Option<u32>,
    counts: Option<Counts>,
    provenance: Option<Provenance>,
}

thread_local! {
    static LOADED: RefCell<Option<Loaded>> = const { RefCell::new(None) };
    /// The time at which the search ends, in milliseconds of the page's clock (`performance.now`).
    static DEADLINE: Cell<f64> = const { Cell::new(f64::INFINITY) };
}

impl Loaded {
    pub(crate) fn load(
        name: &Path,
        read: Result<WeightsFile, WeightsError>,
        has_counts: bool,
    ) -> Result<Json, String> {
        let file = read.map_err(|error| error.to_string())?;
        let evaluator = Evaluator::from(&file);
        let WeightsFile { weights, provenance, .. } = file;
        let counts = has_counts.then(|| Counts::from(weights));
        let (set, geometry) = patterns(&evaluator)?;
        let pattern = |it: &Pattern| json!({ "name": it.name(), "squares": texts(it.squares()) });
        let described = json!({
            "name": name.display().to_string(),
            "identity": evaluator.identity(),
            "set": set.name(),
            "patterns": set.patterns().iter().map(pattern).collect::<Vec<_>>(),
            "parameters": geometry.parameters(),
            "positions": counts.as_ref().map(|counts| positions(geometry, counts)),
            "provenance": provenance.as_map(),
        });
        Self::take(evaluator, counts, Some(provenance))?;
        Ok(described)
    }

    pub(crate) fn builtin(name: &str) -> Result<Json, String> {
        let evaluator: Evaluator = match name {
            "none" => Zero.into(),
            "mobility" => Mobility.into(),
            other => {
                return Err(format!("`{other}` is not an evaluation; expected none or mobility"));
            }
        };
        Self::take(evaluator, None, None)?;
        Ok(json!({ "name": name, "identity": name }))
    }

    /// Makes `evaluator` the evaluation of the module instance. The evaluation is never freed.
    fn take(
        evaluator: Evaluator,
        counts: Option<Counts>,
        provenance: Option<Provenance>,
    ) -> Result<(), String> {
        let evaluator = Box::leak(Box::new(evaluator));
        let searcher = Search::new(evaluator).hash_mb(HASH_MEGABYTES).searcher();
        let searcher = searcher.map_err(|error| error.to_string())?;
        LOADED.set(Some(Self { searcher, level: None, counts, provenance }));
        Ok(())
    }
}

pub(crate) fn load_counts(name: &Path, bytes: Vec<u8>) -> Result<Json, String> {
    with(|Loaded { searcher, counts, provenance, .. }| {
        let (set, geometry) = patterns(searcher.evaluator())?;
        let read = Counts::read_part(name, bytes, set);
        let (read, of) = read.map_err(|error| error.to_string())?;
        if Some(&of) != provenance.as_ref() {
            return Err(format!("{}: contains the counts of other weights", name.display()));
        }
        let positions = positions(geometry, &read);
        *counts = Some(read);
        Ok(json!({ "positions": positions }))
    })
}

fn texts(squares: &[Square]) -> Vec<String> {
    squares.iter().map(Square::to_string).collect()
}

fn patterns(evaluator: &Evaluator) -> Result<(&PatternSet, &Geometry), String> {
    let tables = evaluator.tables().ok_or("an evaluation by hand has no patterns")?;
    Ok(tables.patterns())
}

fn positions(geometry: &Geometry, counts: &Counts) -> u64 {
    Phase::all().map(|phase| geometry.positions(counts.of(phase))).sum()
}

fn with<T>(work: impl FnOnce(&mut Loaded) -> Result<T, String>) -> Result<T, String> {
    LOADED.with_borrow_mut(|loaded| {
        work(loaded.as_mut().ok_or("no weights yet: wait for them, or drop a file on the page")?)
    })
}

fn read_level(level: u32) -> Result<Level, String> {
    Level::new(level).ok_or_else(|| format!("level is {level}; expected 1 to 60"))
}

pub(crate) fn level(level: u32) -> Result<Json, String> {
    with(|Loaded { searcher, .. }| {
        let Strength { depth, exact } = read_level(level)?.plan(searcher.evaluator()).strength();
        Ok(json!({ "depth": depth, "exact": exact }))
    })
}

fn prepare(
    Loaded { searcher, level, .. }: &mut Loaded,
    how: &How,
) -> Result<(Strength, Limits), String> {
    for (name, number) in [("depth", how.depth), ("exact", how.exact)] {
        if let Some(number) = number.filter(|&number| number > 60) {
            return Err(format!("{name} is {number}; expected 0 to 60"));
        }
    }
    for (name, number) in [("nodes", how.nodes), ("ms", how.ms)] {
        if number == Some(0) {
            return Err(format!("{name} is 0; expected at least 1"));
        }
    }
    if how.forget {
        searcher.new_game();
    }
    let plan = how.level.map(read_level).transpose()?.map(|level| level.plan(searcher.evaluator()));
    if *level != how.level {
        let pruning = plan.as_ref().map(|plan| plan.pruning(searcher.evaluator()));
        searcher.select(pruning.unwrap_or_default());
        *level = how.level;
    }
    let usual = plan.map_or(0.into(), |plan| plan.strength());
    let (depth, exact) = (how.depth.unwrap_or(usual.depth), how.exact.unwrap_or(usual.exact));
    let is_over = how.ms.map(|ms| {
        DEADLINE.set(milliseconds() + ms as f64);
        (|| milliseconds() >= DEADLINE.get()) as fn() -> bool
    });
    Ok((Strength { depth, exact }, Limits { nodes: how.nodes, is_over, ..Limits::default() }))
}

/// Searches a position. Returns a JSON object; its field `steps` is the value of the position for
/// the side to move, in units of 1/32 disc.
pub(crate) fn search(line: &StatedPosition, how: &How) -> Result<Json, String> {
    with(|loaded| {
        let (strength, limits) = prepare(loaded, how)?;
        let empties = line.position.empties();
        let found = loaded.searcher.search_within(&line.position, strength, &limits);
        Ok(json!({
            "steps": found.value.steps(),
            "best": found.best.map(|square| square.to_string()),
            "depth": found.depth,
            "exact": found.depth == empties && found.selectivity == Selectivity::Full,
            "how": how_found(found.depth, found.selectivity, empties),
            "nodes": found.nodes,
            "line": null,
        }))
    })
}

pub(crate) fn values(boards: &[StatedPosition]) -> Result<Json, String> {
    with(|Loaded { searcher, .. }| {
        let value = |line: &StatedPosition| searcher.search(&line.position, 0).value.steps();
        Ok(boards.iter().map(value).collect())
    })
}

pub(crate) fn rate(line: &StatedPosition, square: &str, how: &How) -> Result<Json, String> {
    let illegal = || format!("{square} is not a legal move here");
    let move_square: Square = square.parse().map_err(|_| illegal())?;
    with(|loaded| {
        let (strength, limits) = prepare(loaded, how)?;
        let searcher = &mut loaded.searcher;
        let rated = rated_move(searcher, &line.position, move_square, strength, &limits);
        let rated = rated.ok_or_else(illegal)?;
        Ok(json!({
            "steps": rated.value.steps(),
            "best": square,
            "depth": rated.depth,
            "exact": rated.exact,
            "how": rated.how(line.position.empties()),
            "nodes": rated.nodes,
            "line": texts(&rated.line),
        }))
    })
}

pub(crate) fn parts(line: &StatedPosition) -> Result<Json, String> {
    with(|Loaded { searcher, counts, .. }| {
        let known = |count: u32| counts.is_some().then_some(count);
        let tables = searcher.evaluator().tables().ok_or("an evaluation by hand has no parts")?;
        let parts = tables.parts(counts.as_ref(), &line.position);
        let parts = parts.ok_or("the side to move has no legal move, so its value has no parts")?;
        let instances = parts.instances.iter().map(|part| {
            let (pattern, squares) = (part.pattern.name(), texts(part.squares));
            let (discs, count) = (weight_in_discs(part.weight.steps), known(part.weight.count));
            json!({ "pattern": pattern, "squares": squares, "discs": discs, "count": count })
        });
        let scalars = parts.scalars.iter().map(|part| {
            let (discs, count) = (weight_in_discs(part.weight.steps), known(part.weight.count));
            json!({ "scalar": part.scalar.to_string(), "number": part.number, "discs": discs, "count": count })
        });
        Ok(json!({
            "phase": parts.phase.index(),
            "steps": parts.steps().clamp(-2048, 2048),
            "instances": instances.collect::<Vec<_>>(),
            "scalars": scalars.collect::<Vec<_>>(),
            "factors": f64::from(parts.together) / f64::from(STEPS_PER_DISC),
        }))
    })
}
