//! `othello-trainer calibrate`: fits search models, as a new section of
//! the weights file.

pub(super) mod ends;
pub(super) mod ordering;
pub(super) mod probcut;
pub(super) mod realization;

use std::path::{Path, PathBuf};

use othello_cli::{Outcome, Session};
use othello_engine::eval::ByClass;
use othello_engine::eval::{Weights, WeightsChoice};
use othello_engine::file::{
    Begin, Existing, FileError, Kind, Provenance, Reader, Summary, Writer, check_name,
    check_output, check_replaceable,
};
use serde::Serialize;

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
    /// Learn what shallow searches predict of deeper ones, so that `--selectivity` can leave these
    /// out
    Probcut(probcut::Arguments),
    /// Learn what shallow searches predict of scores near the end, so that `--ends` can leave
    /// searches to the end out
    Ends(ends::Arguments),
    /// Learn how likely moves are to be played, so that `--search realization` can go by it
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

/// The weights that get a new section, and the file for them.
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
    /// provenance of the new weights so far.
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
        let ByClass { weights, sha256, provenance, .. } = ByClass::load(&self.weights)?;
        let provenance = Provenance::new(work)
            .with("weights", sha256)
            .with("weights_provenance", provenance.as_map().clone());
        Ok((weights, provenance))
    }

    /// Refuses, before the work, an output that was made from something else, as far as the
    /// provenance of the new weights is known.
    fn check_is_own(&self, known: &Provenance) -> Result<(), FileError> {
        if self.force || !self.out.exists() {
            return Ok(());
        }
        let there = Reader::open(&self.out, Kind::Weights)?;
        let there = there.provenance();
        match known.as_map().iter().find(|(key, value)| there.get(key) != Some(value)) {
            None => Ok(()),
            Some((key, _)) => {
                Err(FileError::exists(&self.out, format!("made from other settings ({key})")))
            }
        }
    }

    /// Begins the new weights, so that an obstacle is reported before the work, not after it.
    fn begin(&self, provenance: &Provenance) -> Result<Begin, FileError> {
        Writer::begin(&self.out, Kind::Weights, provenance, Existing::by_force(self.force))
    }
}

impl Written {
    /// Writes the new weights.
    fn new(weights: &Weights, file: Begin, session: &Session) -> anyhow::Result<Self> {
        let summary = match file {
            Begin::Done(summary) => summary,
            Begin::Writer(writer) => weights.write_to(writer)?,
        };
        Ok(Self { summary, seconds: session.seconds() })
    }
}
