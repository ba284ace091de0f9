use std::path::{Path, PathBuf};

use anyhow::Result;
use othello_cli::arguments::number_from;
use othello_cli::{Outcome, Session};
use othello_engine::file::{Existing, FileError, make_folder};
use othello_engine::run::Shard;
use othello_engine::text;
use serde::Serialize;

use crate::dataset::{DataChoice, Dataset, DatasetFolder, Filter, LayoutSettings, Subset};
use crate::fit::FitSettings;
use crate::memory::{MemoryLimit, bytes_of};
use crate::source::{DataError, LabelRules};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Records of games, positions or openings. With `FILE*WEIGHT`, the weight of each position in
    /// the file is multiplied by WEIGHT
    #[arg(required = true, value_name = "DATA")]
    data: Vec<DataChoice>,
    #[command(flatten)]
    layout: LayoutArguments,
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    #[arg(long)]
    force: bool,
}

#[derive(clap::Args, Clone, Debug)]
pub(super) struct LayoutArguments {
    #[arg(long, value_name = "DATA")]
    pub(super) test: Vec<DataChoice>,
    #[arg(long, value_name = "S", value_parser = number_from(0_u64))]
    seed: Option<u64>,
    #[arg(long, value_name = "RULES")]
    pub(super) labels: Option<LabelRules>,
    #[arg(long, value_name = "FILTER")]
    filter: Option<Filter>,
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    pub(super) memory_mb: Option<u64>,
}

impl LayoutArguments {
    /// Returns the settings of a fit, without checking them. The flags override the settings file.
    /// The settings file overrides the settings of an existing dataset.
    pub(super) fn settings(&self, of_dataset: Option<&LayoutSettings>) -> Result<FitSettings> {
        let read = |text: &str| FitSettings::from_toml_over(text, of_dataset);
        let mut settings = match &self.settings {
            Some(path) => text::read_by(path, read)?,
            None => read("")?,
        };
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings.labels = self.labels.clone().unwrap_or(settings.labels);
        settings.filter = self.filter.clone().unwrap_or(settings.filter);
        if !self.test.is_empty() {
            settings.test_percent = 0;
        }
        Ok(settings)
    }

    /// Adds the path of the settings file to a `NoPosition` error if neither `--labels` nor
    /// `--filter` overrides the file.
    pub(super) fn named(&self, error: DataError) -> anyhow::Error {
        let settings = self.settings.as_ref();
        match (settings.filter(|_| self.labels.is_none() && self.filter.is_none()), error) {
            (Some(path), DataError::NoPosition(reason)) => FileError::refused(path, reason).into(),
            (_, error) => error.into(),
        }
    }

    pub(super) fn inputs<'a>(&'a self, data: &'a [DataChoice]) -> impl Iterator<Item = &'a Path> {
        let data = data.iter().chain(&self.test).map(|choice| choice.path.as_path());
        data.chain(self.settings.as_deref())
    }
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "{positions} training positions of {games} games, {validation_positions} to validate, \
     {test_positions} to test, {seconds:.2} s\n{}  sha256 {sha256}",
    folder.display()
)]
pub(in crate::cli) struct Report {
    /// The number of training positions.
    positions: usize,
    /// The number of validation positions.
    validation_positions: usize,
    /// The number of test positions.
    test_positions: usize,
    /// The number of training games.
    games: u64,
    /// The number of positions omitted because the side to move has no legal move.
    dropped: u64,
    /// The folder of the dataset.
    folder: PathBuf,
    /// The wall time of the command.
    seconds: f64,
    /// The SHA-256 of the manifest `dataset.json`, which lists the checksums of the other files.
    sha256: String,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("the parts of shard {shard} of {} are complete, {seconds:.2} s", folder.display())]
pub(in crate::cli) struct ShardReport {
    /// The shard as `I/N`: number I, counted from 1, of N shards.
    shard: String,
    /// The folder of the dataset.
    folder: PathBuf,
    /// The wall time of the command.
    seconds: f64,
}

pub fn run(arguments: &Arguments, session: &Session) -> Result<Outcome> {
    let folder = arguments.out.clone();
    let is_new = !folder.exists();
    make_folder(&folder)?;
    let made = arguments.make(session);
    if made.is_err() && is_new {
        let _ = std::fs::remove_dir(&folder);
    }
    let seconds = session.seconds();
    let Some(dataset) = made? else {
        let shard = arguments.shard.unwrap_or(Shard::WHOLE).to_string();
        return session.print(&ShardReport { shard, folder, seconds });
    };
    session.print(&Report {
        positions: dataset.len(Subset::Training),
        validation_positions: dataset.len(Subset::Validation),
        test_positions: dataset.len(Subset::Test),
        games: dataset.games(),
        dropped: dataset.dropped(),
        sha256: DatasetFolder::sha256(&folder)?,
        folder,
        seconds,
    })
}

impl Arguments {
    fn make(&self, session: &Session) -> Result<Option<Dataset>> {
        let (out, existing) = (&self.out, Existing::by_force(self.force));
        let (data, test) = (DataChoice::files(&self.data)?, DataChoice::files(&self.layout.test)?);
        let settings = self.layout.settings(None)?;
        settings.check()?;
        let layout = settings.layout();
        let inputs: Vec<&Path> = self.layout.inputs(&self.data).collect();
        DatasetFolder::check_place(out, &inputs, existing)?;
        let limit = MemoryLimit::beside(out, bytes_of(self.layout.memory_mb));
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let (progress, of_run) = (session.progress(), (shard, existing));
        DatasetFolder::make(out, &data, &test, &layout, of_run, &limit, progress)
            .map_err(|error| self.layout.named(error))
    }
}
