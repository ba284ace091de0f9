//! `othello-trainer split`, `sample` and `shuffle`: write some or all records of files to other
//! files, in the same order or a random one.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use othello_cli::arguments::{Output, number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::file::{Existing, Kind, Summary, kind_of};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, PlacedPosition, Record, ScoredPosition, record_files};
use serde::Serialize;

use crate::dataset::{Filter, Split, Subset};
use crate::memory::{MemoryLimit, allowed_bytes};
use crate::records::select::{self, Selectable, Selected};
use crate::records::sequence::Inputs;

#[derive(clap::Args, Debug)]
pub(super) struct Files {
    /// Files of games, or of positions, or folders of them, read in this order like one file
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
}

/// Arguments of `sample`.
#[derive(clap::Args, Debug)]
pub struct Sample {
    #[command(flatten)]
    pub(super) files: Files,
    #[arg(long, value_name = "N", value_parser = number_from(0_u64))]
    count: u64,
    #[arg(long, value_name = "FILTER")]
    filter: Option<Filter>,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `shuffle`.
#[derive(clap::Args, Debug)]
pub struct Shuffle {
    #[command(flatten)]
    pub(super) files: Files,
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    memory_mb: Option<u64>,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `split`.
#[derive(clap::Args, Debug)]
pub struct SplitFiles {
    #[command(flatten)]
    pub(super) files: Files,

    /// Prefix of the names of the output files: NAME.training.games, NAME.validation.games and
    /// NAME.test.games, or the same with .positions
    #[arg(long, value_name = "NAME")]
    out: PathBuf,

    /// Share of the validation set
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = number_in(0..=100_u8))]
    validation_percent: u8,

    /// Share of the test set
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = number_in(0..=100_u8))]
    test_percent: u8,
    #[arg(long)]
    force: bool,
}

pub(super) enum Work<'a> {
    Sample(&'a Sample),
    Shuffle(&'a Shuffle),
    Split(&'a SplitFiles),
}

impl Work<'_> {
    fn select<R: Selectable>(
        &self,
        inputs: &Inputs<R>,
        progress: &dyn Progress,
    ) -> anyhow::Result<Vec<(PathBuf, Selected)>> {
        let (output, selected) = match self {
            Self::Sample(Sample { files, count, filter, output }) => {
                ensure!(
                    filter.is_none() || R::NAME != Game::NAME,
                    "--filter chooses positions, and these are files of games; `fit`, `dataset` \
                     and `export --format npz` filter the positions of games"
                );
                let (out, existing) = (&output.out, output.existing());
                let wanted = (*count, &filter.clone().unwrap_or_default());
                (out, select::sample(inputs, wanted, files.seed, out, existing, progress)?)
            }
            Self::Shuffle(Shuffle { files, memory_mb, output }) => {
                let (out, existing) = (&output.out, output.existing());
                let memory = memory_mb.map_or(allowed_bytes() / 2, |mb| mb.saturating_mul(1 << 20));
                let limit = MemoryLimit::beside(out, memory);
                (out, select::shuffle(&limit, inputs, files.seed, out, existing, progress)?)
            }
            Self::Split(split) => return split.select(inputs, progress),
        };
        Ok(vec![(output.clone(), selected)])
    }
}

impl SplitFiles {
    fn select<R: Selectable>(
        &self,
        inputs: &Inputs<R>,
        progress: &dyn Progress,
    ) -> anyhow::Result<Vec<(PathBuf, Selected)>> {
        let &Self { validation_percent, test_percent, .. } = self;
        let by = Split { validation_percent, test_percent, ..Split::new(self.files.seed) };
        let outs = Subset::ALL.map(|part| {
            let mut name = self.out.clone().into_os_string();
            name.push(format!(".{part}.{}", R::PLURAL));
            (part, PathBuf::from(name))
        });
        let written = select::split(inputs, by, &outs, Existing::by_force(self.force), progress)?;
        Ok(outs.into_iter().map(|(_, path)| path).zip(written).collect())
    }
}

/// Selects records and prints the report. All files must have the kind of the first file.
pub(super) fn run(files: &Files, work: &Work<'_>, session: &Session) -> anyhow::Result<Outcome> {
    if let Work::Split(SplitFiles { validation_percent, test_percent, .. }) = work {
        ensure!(
            validation_percent + test_percent <= 100,
            "--validation-percent and --test-percent are more than 100 together"
        );
    }
    let files = record_files(&files.files)?;
    match kind_of(files.first().context("no file is named")?)? {
        Kind::Games => select_of::<Game>(work, &files, session),
        Kind::Placed => select_of::<PlacedPosition>(work, &files, session),
        _ => select_of::<ScoredPosition>(work, &files, session),
    }
}

/// The number of records, in the field `games` or `positions`.
#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[serde(rename_all = "lowercase")]
pub(super) enum Count {
    #[display("{_0} games")]
    Games(u64),
    #[display("{_0} positions")]
    Positions(u64),
}

impl Count {
    pub(super) fn of<R: Record>(records: u64) -> Self {
        if R::NAME == Game::NAME { Self::Games(records) } else { Self::Positions(records) }
    }
}

#[derive(Serialize, schemars::JsonSchema)]
struct Written {
    /// The file.
    path: String,
    #[serde(flatten)]
    count: Count,
    #[serde(flatten)]
    summary: Summary,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report {
    /// The number of records in the inputs.
    #[serde(flatten)]
    count: Count,
    /// The written files.
    files: Vec<Written>,
    /// The wall time.
    seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Written { path, count, summary } in &self.files {
            writeln!(f, "{path}: {count}, {summary}")?;
        }
        write!(f, "of {}, {:.2} s", self.count, self.seconds)
    }
}

fn select_of<R: Selectable>(
    work: &Work<'_>,
    files: &[PathBuf],
    session: &Session,
) -> anyhow::Result<Outcome> {
    let inputs = Inputs::<R>::count(files, session.progress())?;
    let files = work.select(&inputs, session.progress())?;
    let written = |(path, selected): (PathBuf, Selected)| Written {
        path: path.display().to_string(),
        count: Count::of::<R>(selected.records),
        summary: selected.summary,
    };
    session.print(&Report {
        count: Count::of::<R>(inputs.len()),
        files: files.into_iter().map(written).collect(),
        seconds: session.seconds(),
    })
}
