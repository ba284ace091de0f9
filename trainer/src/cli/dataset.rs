//! `othello-trainer dataset`: positions laid out by phase.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use othello_engine::cli::{Outcome, Session};
use othello_engine::file::Existing;
use othello_engine::text;
use serde::Serialize;

use crate::dataset::{DataChoice, Dataset, MemoryLimit, Part, allowed_bytes};
use crate::fit::FitSettings;
use crate::source::LabelRules;

/// Arguments of `dataset`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Records of games, positions or openings; with `FILE*WEIGHT` the positions of a file count
    /// WEIGHT times
    #[arg(required = true, value_name = "DATA")]
    data: Vec<DataChoice>,
    /// Records to test on, of games of their own. No game of DATA is held out for the test then
    #[arg(long, value_name = "DATA")]
    test: Vec<DataChoice>,
    /// Folder to write; what is complete in it is not written again
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Seed that decides which games train, validate and test [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Rules that give the positions of games their labels, as `fit` takes them
    #[arg(long, value_name = "RULES")]
    labels: Option<LabelRules>,
    /// TOML file of settings of a fit; flags override it
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Memory to use, in MB of 2^20 bytes: what does not fit goes through temporary files in the folder,
    /// of twice the size of all positions at the most [default: all there is]
    #[arg(long, value_name = "MB")]
    memory_mb: Option<u64>,
    /// Replace a dataset that was made from something else
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Report {
    positions: u64,
    validation_positions: u64,
    test_positions: u64,
    games: u64,
    dropped: u64,
    folder: PathBuf,
    seconds: f64,
    sha256: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, validation_positions, test_positions, games, seconds, .. } = self;
        writeln!(
            f,
            "{positions} training positions of {games} games, {validation_positions} to validate, \
             {test_positions} to test, {seconds:.2} s"
        )?;
        write!(f, "{}  sha256 {}", self.folder.display(), self.sha256)
    }
}

/// Lays out and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let Arguments { data, test, out, .. } = arguments;
    let settings = arguments.settings()?;
    let (layout, progress) = (settings.layout(), session.progress());
    let memory = arguments.memory_mb.map_or_else(allowed_bytes, |mb| mb.saturating_mul(1 << 20));
    std::fs::create_dir_all(out)?;
    let limit = Some(MemoryLimit { bytes: memory, folder: out.clone() });
    let (labels, split) = (&layout.labels, layout.split);
    let dataset = Dataset::read_within(limit, data, test, labels, split, progress)?;
    let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
    dataset.write(out, &layout, existing, progress)?;
    let positions = |part| dataset.len(part) as u64;
    session.print(&Report {
        positions: positions(Part::Training),
        validation_positions: positions(Part::Validation),
        test_positions: positions(Part::Test),
        games: dataset.games(),
        dropped: dataset.dropped(),
        folder: out.clone(),
        seconds: begun.elapsed().as_secs_f64(),
        sha256: dataset.sha256(),
    })?;
    Ok(Outcome::Done)
}

impl Arguments {
    /// The settings file, with the flags over it.
    fn settings(&self) -> anyhow::Result<FitSettings> {
        let mut settings = match &self.settings {
            Some(path) => text::read_by(path, FitSettings::from_toml)?,
            None => FitSettings::default(),
        };
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings.labels = self.labels.clone().unwrap_or(settings.labels);
        if !self.test.is_empty() {
            settings.test_percent = 0;
        }
        settings.check()?;
        Ok(settings)
    }
}
