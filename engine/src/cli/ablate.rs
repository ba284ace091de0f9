//! `othello-engine ablate`: the effect of each feature of the search, measured by switching it off.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use cpu_time::ThreadTime;
use othello_cli::arguments::number_in;
use serde::Serialize;

use super::arguments::POSITION;
use super::solve::Line;
use super::{Outcome, Session};
use crate::board::{Square, StatedPosition};
use crate::eval::{Evaluate as _, Evaluator, Value, WeightsChoice};
use crate::player::{SearchBy, SearchSpec};
use crate::progress::Progress as _;
use crate::search::{Features, Plan, Pruning, Search, Selectivity};
use crate::text::Lines;
use crate::text_table::table;

/// Arguments of `ablate`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// File of positions to solve, one a line: boards with the side to move, or OBF
    file: PathBuf,
    #[arg(long, value_name = "D", value_parser = number_in(1..=60_u32))]
    depth: Option<u32>,
    #[arg(long, value_name = "WAY", value_enum, default_value_t, requires = "depth")]
    search: SearchBy,
    #[arg(long, value_name = "PERCENT", default_value_t, requires = "depth")]
    selectivity: Selectivity,
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = number_in(1..=1_u32 << 20))]
    hash_mb: u32,
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
}

#[derive(Clone, Serialize, schemars::JsonSchema)]
struct Cost {
    /// The number of nodes that the searches of all positions visited.
    nodes: u64,
    /// For searches by realization probability: element i is the number of nodes that are i moves
    /// below the root, summed over the searches of all positions. Empty for other searches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes_by_depth: Vec<u64>,
    /// The wall time of all searches, in seconds.
    seconds: f64,
    /// The CPU time of the thread, which other programs hardly change, unlike `seconds`.
    cpu_seconds: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Row {
    /// The feature that was switched off; null for the search with all features.
    without: Option<&'static str>,
    #[serde(flatten)]
    cost: Cost,
    /// The number of nodes, divided by the number with all features.
    nodes_ratio: f64,
    /// The CPU time, divided by the CPU time with all features.
    cpu_ratio: f64,
    /// The number of positions whose score or value is not the same as with all features.
    different_scores: usize,
    /// The number of positions whose best move is not the same as with all features. Several moves
    /// may be equally good.
    different_moves: usize,
    /// The number of positions in which the search found a move that the file states as best;
    /// absent if the file states no moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    stated_moves: Option<usize>,
}

struct Variant {
    without: Option<&'static str>,
    features: Features,
    pruning: Pruning,
}

type SearchResults = Vec<(Value, Option<Square>)>;

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Ablate {
    /// The number of positions.
    positions: usize,
    /// The searches with all features, and with one feature omitted at a time.
    rows: Vec<Row>,
}

impl fmt::Display for Ablate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["<without", "nodes", "ratio", "CPU s", "ratio", "other moves", "<"];
        let rows = self.rows.iter().map(|row| {
            let stated = row.stated_moves.map(|moves| format!("{moves} stated moves"));
            let scores = Some(row.different_scores).filter(|&scores| scores > 0);
            let scores = scores.map(|scores| format!("{scores} different values"));
            [
                row.without.unwrap_or("(nothing)").to_owned(),
                row.cost.nodes.to_string(),
                format!("{:.2}", row.nodes_ratio),
                format!("{:.3}", row.cost.cpu_seconds),
                format!("{:.2}", row.cpu_ratio),
                row.different_moves.to_string(),
                stated.into_iter().chain(scores).collect::<Vec<_>>().join(" "),
            ]
        });
        f.write_str(&table(columns, rows))
    }
}

impl Arguments {
    fn variants(&self, evaluator: &Evaluator) -> anyhow::Result<Vec<Variant>> {
        let (search, selectivity) = (Some(self.search), Some(self.selectivity));
        let search = SearchSpec { search, selectivity, ..SearchSpec::default() };
        let (_, pruning) = search.search(Plan::to_depth(0), evaluator)?;
        let variant = |without, features| Variant { without, features, pruning: pruning.clone() };
        // A feature that needs move-ordering weights or ProbCut has no effect if they are missing.
        let models = evaluator.models();
        let has_ladder = models.ends.is_some() || models.probcut.is_some();
        let is_there = |features: &Features| {
            (features.move_ordering_evaluation || evaluator.move_ordering().is_some())
                && (features.selectivity_ladder || has_ladder)
        };
        let is_asked = |features: &Features| match self.depth {
            None => is_there(features),
            Some(_) if self.search == SearchBy::Realization => !features.transposition_table,
            Some(_) => features.differs_in_midgame(),
        };
        let one_off = Features::one_off().filter(|(_, features)| is_asked(features));
        let mut variants = vec![variant(None, Features::ALL)];
        variants.extend(one_off.map(|(name, features)| variant(Some(name), features)));
        let mut without = |name, pruning| {
            variants.push(Variant { without: Some(name), features: Features::ALL, pruning });
        };
        if self.selectivity != Selectivity::Full {
            without("ProbCut", Pruning::default());
        }
        if self.search == SearchBy::Realization {
            without("probabilities", Pruning::by_even_probability());
        }
        Ok(variants)
    }

    fn search(
        &self,
        variant: &Variant,
        (evaluator, lines): (&Evaluator, &[Line]),
        session: &Session,
    ) -> anyhow::Result<(SearchResults, Cost)> {
        let search = Search::new(evaluator).hash_mb(self.hash_mb as usize);
        let search = search.pruning(variant.pruning.clone()).features(variant.features);
        let mut searcher = search.searcher().context("--hash-mb")?;
        let (begun, cpu_begun) = (Instant::now(), ThreadTime::now());
        let mut nodes = 0;
        let mut nodes_by_depth: Vec<u64> = vec![];
        let found = lines.iter().map(|Line(StatedPosition { position, .. })| {
            searcher.new_game();
            let found = searcher.search(position, self.depth.unwrap_or(position.empties()));
            session.progress().advance(1);
            nodes += found.nodes;
            let counts = &searcher.nodes_by_ply[position.ply() as usize..];
            nodes_by_depth.resize(nodes_by_depth.len().max(counts.len()), 0);
            nodes_by_depth.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            (found.value, found.best)
        });
        let found = found.collect();
        let seconds = begun.elapsed().as_secs_f64();
        let cpu_seconds = cpu_begun.elapsed().as_secs_f64();
        let last = nodes_by_depth.iter().rposition(|&nodes| nodes > 0);
        nodes_by_depth.truncate(last.map_or(0, |last| last + 1));
        Ok((found, Cost { nodes, nodes_by_depth, seconds, cpu_seconds }))
    }
}

/// Searches all positions on one thread, with all features and then without each feature in turn.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::prepared(&arguments.weights)?;
    let lines: Vec<Line> = Lines::open(&arguments.file)?.all(POSITION)?;
    let variants = arguments.variants(&evaluator)?;
    session.progress().begin("ablate (positions)", 0, (variants.len() * lines.len()) as u64);
    let search = |variant| arguments.search(variant, (&evaluator, &lines), session);
    let solved = variants.iter().map(search).collect::<anyhow::Result<Vec<_>>>()?;
    let (all, all_cost) = &solved[0];
    let stated = lines.iter().any(|line| !line.0.moves.is_empty());
    let row = |(variant, (found, cost)): (&Variant, &(SearchResults, Cost))| {
        let both = || found.iter().zip(all);
        Row {
            without: variant.without,
            cost: cost.clone(),
            nodes_ratio: cost.nodes as f64 / all_cost.nodes.max(1) as f64,
            cpu_ratio: cost.cpu_seconds / all_cost.cpu_seconds.max(1e-9),
            different_scores: both().filter(|(one, all)| one.0 != all.0).count(),
            different_moves: both().filter(|(one, all)| one.1 != all.1).count(),
            stated_moves: stated.then(|| {
                let pairs = lines.iter().zip(found);
                pairs.filter(|(line, found)| line.states_as_best(found.1)).count()
            }),
        }
    };
    let rows: Vec<Row> = variants.iter().zip(&solved).map(row).collect();
    // The cuts of a pruned search depend on the order of its moves, so that scores may differ.
    let is_proof =
        arguments.selectivity == Selectivity::Full && arguments.search == SearchBy::Depth;
    let wrong = is_proof && rows.iter().any(|row| row.different_scores > 0);
    session.print(&Ablate { positions: lines.len(), rows })?;
    Ok(Outcome::wrong_if(wrong))
}
