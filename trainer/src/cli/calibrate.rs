//! `othello-trainer calibrate`: fits models that guide searches (move ordering, ProbCut, move
//! probabilities), and adds them to a weights file.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use othello_cli::arguments::{Output, number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::eval::{Weights, WeightsChoice, WeightsFile};
use othello_engine::file::{
    Kind, Provenance, Summary, check_name, check_output, check_replaceable,
};
use othello_engine::pattern::PatternSet;
use othello_engine::record::record_files;
use othello_engine::run::{Opened, Plan, Run, Shard, Stage};
use serde::Serialize;

use super::pattern_sets;
use crate::calibrate::realization::Counted;
use crate::calibrate::samples::Settings;
use crate::calibrate::{Work, ends, ordering, probcut, realization};
use crate::source::DataError;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Learn the move-ordering evaluation, which orders moves in searches near the end of the game
    Ordering(Ordering),
    /// Learn the ProbCut model for searches with `--selectivity`: shallow searches predict deeper
    /// ones
    Probcut(Probcut),
    /// Learn the endgame ProbCut model for searches with `--ends` (as in `match`): shallow searches
    /// predict exact scores
    Ends(Ends),
    /// Learn the probabilities of moves for searches with `--search realization`
    Realization(Realization),
}

#[derive(clap::Args, Debug)]
struct Changing {
    /// Weights file, or `embedded` (the output then lacks counts of occurrences in training)
    weights: WeightsChoice,
    #[command(flatten)]
    output: Output,
}

#[derive(clap::Args, Debug)]
struct Ordering {
    #[command(flatten)]
    changing: Changing,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = number_in(100..=1_u64 << 32))]
    positions: u64,
    /// Number of positions, besides those of --positions, that are solved to choose the factor by
    /// which the learned weights are multiplied in move ordering
    #[arg(long, value_name = "N", default_value_t = 96, value_parser = number_in(1..=1_u64 << 32))]
    searches: u64,
    #[arg(long, value_name = "T", default_value = "ordering")]
    #[arg(help = pattern_sets(|set| set.scalars().is_empty()))]
    patterns: String,
}

#[derive(clap::Args, Debug)]
struct Probcut {
    #[command(flatten)]
    changing: Changing,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = number_in(100..=1_u64 << 32))]
    positions: u64,
    /// Search the positions to all depths up to this one; the model extrapolates to greater depths
    #[arg(long, value_name = "D", default_value_t = 10, value_parser = number_in(4..=20_u32))]
    depth: u32,
}

#[derive(clap::Args, Debug)]
struct Ends {
    #[command(flatten)]
    changing: Changing,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = number_in(100..=1_u64 << 32))]
    positions: u64,
    /// Solve positions with up to this many empty squares; the model extrapolates to more empty
    /// squares
    #[arg(long, value_name = "E", default_value_t = 20, value_parser = number_in(14..=26_u32))]
    empties: u32,
}

#[derive(clap::Args, Debug)]
struct Realization {
    #[command(flatten)]
    changing: Changing,
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    data: Vec<PathBuf>,
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = number_in(1..=1_u64 << 32))]
    games: u64,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{found}\n{summary}, {seconds:.2} s")]
pub(in crate::cli) struct Report<C> {
    #[serde(flatten)]
    found: C,
    #[serde(flatten)]
    summary: Summary,
    /// The wall time of the command.
    seconds: f64,
}

pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    match &arguments.what {
        What::Ordering(Ordering { changing, seed, positions, searches, patterns }) => {
            let set = Path::new(patterns);
            let (mut weights, provenance) = changing.load("calibrate ordering", [set])?;
            let set = PatternSet::named(patterns, Path::new(""))?;
            let provenance = provenance
                .with("patterns", set.to_toml())
                .with("seed", *seed)
                .with("positions", *positions)
                .with("searches", *searches);
            let (families, searches, seed) = (*positions, *searches, *seed);
            let settings = ordering::Settings { set, seed, families, searches };
            changing.calibrate(provenance, ordering::stages(&settings), session, |work| {
                let found = ordering::calibrate(&settings, &weights, work)?;
                weights.ordering = Some(found.weights.clone());
                Ok((found, weights))
            })
        }
        &What::Probcut(Probcut { ref changing, seed, positions, depth }) => {
            let (mut weights, provenance) = changing.load("calibrate probcut", [])?;
            let provenance =
                provenance.with("seed", seed).with("positions", positions).with("depth", depth);
            let settings = Settings { seed, positions, most: depth };
            changing.calibrate(provenance, probcut::stages(&settings), session, |work| {
                let found = probcut::calibrate(&settings, &weights, work)?;
                weights.models.probcut = Some(found.probcut.clone());
                Ok((found, weights))
            })
        }
        &What::Ends(Ends { ref changing, seed, positions, empties }) => {
            let (mut weights, provenance) = changing.load("calibrate ends", [])?;
            let provenance =
                provenance.with("seed", seed).with("positions", positions).with("empties", empties);
            let settings = Settings { seed, positions, most: empties };
            changing.calibrate(provenance, ends::stages(&settings), session, |work| {
                let found = ends::calibrate(&settings, &weights, work)?;
                weights.models.ends = Some(found.ends.clone());
                Ok((found, weights))
            })
        }
        What::Realization(Realization { changing, data, games }) => {
            let data = record_files(data)?;
            let inputs = data.iter().map(PathBuf::as_path);
            let (mut weights, provenance) = changing.load("calibrate realization", inputs)?;
            let counted = Counted::read(&data, *games, session.progress())?;
            let provenance = provenance
                .with("data", counted.sha256())
                .with("games", counted.games)
                .with("positions", counted.positions);
            changing.calibrate(provenance, counted.stages(), session, |work| {
                let found = realization::calibrate(&weights, &counted, work)?;
                weights.models.realization = Some(found.realization.clone());
                Ok((found, weights))
            })
        }
    }
}

impl Changing {
    /// Checks that the output can be written, and loads the weights. Also returns the output's
    /// provenance, to which the caller must add the command's settings.
    fn load<'a>(
        &'a self,
        work: &str,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<(Weights, Provenance)> {
        let out = &self.output.out;
        check_output(out, self.weights.path().into_iter().chain(inputs))?;
        check_name(out, Kind::Weights)?;
        if self.output.force {
            check_replaceable(out)?;
        }
        Run::check_is_free(out, Shard::WHOLE)?;
        let WeightsFile { weights, sha256, provenance } = self.weights.by_class()?;
        let provenance = Provenance::new(work)
            .with("weights", sha256)
            .with("weights_provenance", provenance.as_map().clone());
        Ok((weights, provenance))
    }

    /// Calls the argument `calibrate`, writes the weights that it returns, and prints its results.
    /// If the output is already complete, computes the results again and only prints them.
    fn calibrate<C: Serialize + schemars::JsonSchema + Display>(
        &self,
        provenance: Provenance,
        stages: Vec<Stage>,
        session: &Session,
        calibrate: impl FnOnce(&Work<'_>) -> Result<(C, Weights), DataError>,
    ) -> anyhow::Result<Outcome> {
        let (out, existing, progress) =
            (&self.output.out, self.output.existing(), session.progress());
        let kind = Some(Kind::Weights);
        let plan = Plan { kind, provenance, stages: stages.clone(), growing: None };
        let (run, done) = match Run::open(out, plan, Shard::WHOLE, existing, progress)? {
            Opened::Run(run) => (Some(run), None),
            Opened::Done(summary) => (None, Some(summary)),
        };
        let (found, weights) = calibrate(&Work { run: run.as_ref(), stages, progress })?;
        let write = |run: Run| run.pack(|run| anyhow::Ok(weights.write_to(run.writer()?)?));
        let summary = run.map(write).transpose()?.or(done).context("the run is not packed")?;
        session.print(&Report { found, summary, seconds: session.seconds() })
    }
}
