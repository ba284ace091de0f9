//! `othello-trainer calibrate`: fits models for searches, each as a new section of the weights
//! file.

pub(super) mod ends;
pub(super) mod ordering;
pub(super) mod probcut;
pub(super) mod realization;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use othello_cli::{Outcome, Session};
use othello_engine::eval::ByClass;
use othello_engine::eval::{Weights, WeightsChoice};
use othello_engine::file::{
    Existing, Kind, Provenance, Summary, check_name, check_output, check_replaceable,
};
use othello_engine::run::{Opened, Plan, Run, Shard, Stage};
use serde::Serialize;

use crate::calibrate::{CalibrateError, Work};

/// Arguments of `calibrate`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Learn the move-ordering evaluation of the last plies
    Ordering(ordering::Arguments),
    /// Learn the ProbCut model, which `--selectivity` uses: shallow searches predict deeper ones
    Probcut(probcut::Arguments),
    /// Learn the endgame ProbCut model, which `--ends` uses: shallow searches predict exact scores
    Ends(ends::Arguments),
    /// Learn the probabilities of moves, which `--search realization` uses
    Realization(realization::Arguments),
}

/// Calibrates and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    match &arguments.what {
        What::Ordering(arguments) => ordering::run(arguments, session),
        What::Probcut(arguments) => probcut::run(arguments, session),
        What::Ends(arguments) => ends::run(arguments, session),
        What::Realization(arguments) => realization::run(arguments, session),
    }
}

/// The weights that get a new section, and the output file.
#[derive(clap::Args, Debug)]
struct Changing {
    /// Weights file, or `embedded`, whose counts are 0
    weights: WeightsChoice,
    #[arg(long, value_name = "W2")]
    out: PathBuf,
    #[arg(long)]
    force: bool,
}

/// The written file.
#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{summary}, {seconds:.2} s")]
struct Written {
    #[serde(flatten)]
    summary: Summary,
    /// The wall time.
    seconds: f64,
}

impl Changing {
    /// Checks that the output differs from all inputs, and loads the weights. Also returns the
    /// beginning of the new weights' provenance.
    fn load<'a>(
        &'a self,
        work: &str,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<(Weights, Provenance)> {
        check_output(&self.out, self.weights.path().into_iter().chain(inputs))?;
        check_name(&self.out, Kind::Weights)?;
        if self.force {
            check_replaceable(&self.out)?;
        }
        Run::check_is_free(&self.out, Shard::WHOLE)?;
        let ByClass { weights, sha256, provenance, .. } = ByClass::load(&self.weights)?;
        let provenance = Provenance::new(work)
            .with("weights", sha256)
            .with("weights_provenance", provenance.as_map().clone());
        Ok((weights, provenance))
    }

    /// Calibrates as a run: `calibrate` returns its findings and the new weights, which are then
    /// written. If the output is already complete, everything is computed once more for the report.
    fn calibrated<T>(
        &self,
        provenance: Provenance,
        stages: Vec<Stage>,
        session: &Session,
        calibrate: impl FnOnce(&Work<'_>) -> Result<(T, Weights), CalibrateError>,
    ) -> anyhow::Result<(T, Written)> {
        let (existing, progress) = (Existing::by_force(self.force), session.progress());
        let kind = Some(Kind::Weights);
        let plan = Plan { kind, provenance, stages: stages.clone(), growing: None };
        let (run, done) = match Run::open(&self.out, plan, Shard::WHOLE, existing, progress)? {
            Opened::Run(run) => (Some(run), None),
            Opened::Done(summary) => (None, Some(summary)),
        };
        let (found, weights) = calibrate(&Work { run: run.as_ref(), stages, progress })?;
        let write = |run: Run| run.pack(|run| anyhow::Ok(weights.write_to(run.writer()?)?));
        let summary = run.map(write).transpose()?.or(done).context("the run is not packed")?;
        Ok((found, Written { summary, seconds: session.seconds() }))
    }
}
