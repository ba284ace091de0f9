//! `othello-trainer dataset`: lays out positions by phase.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use othello_cli::arguments::number_from;
use othello_cli::{Outcome, Session};
use othello_engine::file::Existing;
use othello_engine::text;
use serde::Serialize;

use crate::dataset::{DataChoice, Dataset, DatasetError, DatasetFolder, LayoutInput, Part};
use crate::fit::FitSettings;
use crate::memory::{MemoryLimit, bytes_of};
use crate::source::LabelRules;

/// Arguments of `dataset`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Records of games, positions or openings; with `FILE*WEIGHT` the positions of a file count
    /// WEIGHT times. A folder with a dataset joins as it is: what it was made of is not read again
    #[arg(required = true, value_name = "DATA")]
    data: Vec<DataChoice>,
    /// Records to test on, of games of their own. No game of DATA is held out for the test then
    #[arg(long, value_name = "DATA")]
    test: Vec<DataChoice>,
    /// Folder to write; what is complete in it is not written again
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Seed that decides which games train, validate and test [default: 1]
    #[arg(long, value_name = "S", value_parser = number_from(0_u64))]
    seed: Option<u64>,
    /// Rules that give the positions of games their labels, as `fit` takes them
    #[arg(long, value_name = "RULES")]
    labels: Option<LabelRules>,
    /// TOML file of settings of a fit; flags override it
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Memory to use, in MB of 2^20 bytes: what does not fit goes through temporary files in the
    /// folder, of twice the size of all positions at the most [default: all there is]
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    memory_mb: Option<u64>,
    /// Replace a dataset that was made from something else
    #[arg(long)]
    force: bool,
}

#[derive(Serialize, derive_more::Display)]
#[display(
    "{positions} training positions of {games} games, {validation_positions} to validate, \
     {test_positions} to test, {seconds:.2} s\n{}  sha256 {sha256}",
    folder.display()
)]
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

/// Lays out and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { out, .. } = arguments;
    let (data, test) = (arguments.data(out)?, DataChoice::files(&arguments.test)?);
    let settings = arguments.settings(&data)?;
    let (layout, progress) = (settings.layout(), session.progress());
    let memory = bytes_of(arguments.memory_mb);
    std::fs::create_dir_all(out)
        .with_context(|| format!("cannot make the folder {}", out.display()))?;
    let existing = Existing::by_force(arguments.force);
    let inputs: Vec<&Path> = arguments.inputs().collect();
    let limit = MemoryLimit { bytes: memory, folder: out.clone() };
    let place = DatasetFolder::check_place(out, &inputs, existing);
    let own = place.and_then(|()| match existing {
        Existing::Keep => DatasetFolder::check_is_own(out, &data, &test, &layout),
        Existing::Replace => Ok(()),
    });
    let laid_out = own
        .map_err(DatasetError::from)
        .and_then(|()| Dataset::lay_out(limit, &data, &test, &layout, progress));
    if laid_out.is_err() {
        // A folder created for nothing is removed; one that holds something stays.
        let _ = std::fs::remove_dir(out);
    }
    let dataset = laid_out?;
    dataset.write(out, &layout, existing, progress)?;
    let positions = |part| dataset.len(part) as u64;
    session.print(&Report {
        positions: positions(Part::Training),
        validation_positions: positions(Part::Validation),
        test_positions: positions(Part::Test),
        games: dataset.games(),
        dropped: dataset.dropped(),
        folder: out.clone(),
        seconds: session.seconds(),
        sha256: dataset.sha256(),
    })
}

impl Arguments {
    /// Returns the input files and folders.
    fn inputs(&self) -> impl Iterator<Item = &Path> {
        let data = self.data.iter().chain(&self.test).map(|choice| choice.path.as_path());
        data.chain(self.settings.as_deref())
    }

    /// Returns the files of records and the datasets.
    fn data(&self, out: &Path) -> anyhow::Result<Vec<LayoutInput>> {
        let mut data = vec![];
        for choice in DataChoice::files(&self.data)? {
            data.push(match choice.path.is_dir() {
                false => LayoutInput::Records(choice),
                true => {
                    let folder = choice.path.display();
                    ensure!(
                        choice.weight == 1.0,
                        "{folder}: a dataset has its weights; lay its data out again to change them"
                    );
                    ensure!(
                        choice.path.canonicalize().ok() != out.canonicalize().ok(),
                        "{folder}: a dataset does not grow in its place, where fits may be reading it; name \
                         another --out"
                    );
                    LayoutInput::Dataset(Box::new(DatasetFolder::open(&choice.path)?))
                }
            });
        }
        Ok(data)
    }

    /// Returns the settings of the first dataset, overridden by the settings file and the flags.
    fn settings(&self, data: &[LayoutInput]) -> anyhow::Result<FitSettings> {
        let laid_out = data.iter().find_map(|input| match input {
            LayoutInput::Dataset(folder) => Some(folder.settings()),
            LayoutInput::Records(_) => None,
        });
        let read = |text: &str| FitSettings::from_toml_over(text, laid_out);
        let mut settings = match &self.settings {
            Some(path) => text::read_by(path, read)?,
            None => read("")?,
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
