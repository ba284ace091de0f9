//! `othello-trainer merge`, `split`, `sample` and `shuffle`: copy games or positions from files to
//! other files.

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use othello_cli::arguments::{Output, number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::file::{Existing, Kind, Summary, kind_of};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, PlacedPosition, Record, ScoredPosition, record_files};
use serde::Serialize;

use super::lines;
use crate::dataset::{Filter, Split, Subset};
use crate::memory::{MemoryLimit, bytes_of};
use crate::records::select::{self, Selectable, Selected};
use crate::records::sequence::Inputs;

#[derive(clap::Args, Debug)]
pub(super) struct Files {
    /// Files of games, or of positions, or folders of such files, read in the given order
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
}

#[derive(clap::Args, Clone, Debug)]
pub struct MergeArguments {
    /// Files of games, or of positions, or folders of such files, joined in the given order. For
    /// the parts that the shards of a run made, use `pack`
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    memory_mb: Option<u64>,
    #[command(flatten)]
    output: Output,
}

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

#[derive(clap::Args, Debug)]
pub struct Shuffle {
    #[command(flatten)]
    pub(super) files: Files,
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    memory_mb: Option<u64>,
    #[command(flatten)]
    output: Output,
}

#[derive(clap::Args, Debug)]
pub struct SplitFiles {
    #[command(flatten)]
    pub(super) files: Files,
    /// Prefix of the names of the output files: NAME.training.games, NAME.validation.games and
    /// NAME.test.games, or the same with .positions
    #[arg(long, value_name = "NAME")]
    out: PathBuf,
    /// Share of the games or positions for the validation set
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = number_in(0..=100_u8))]
    validation_percent: u8,
    /// Share of the games or positions for the test set
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = number_in(0..=100_u8))]
    test_percent: u8,
    #[arg(long)]
    force: bool,
}

pub(super) enum Work<'a> {
    Merge(&'a MergeArguments),
    Sample(&'a Sample),
    Shuffle(&'a Shuffle),
    Split(&'a SplitFiles),
}

impl Work<'_> {
    fn select<R: Selectable>(
        &self,
        inputs: &Inputs<R>,
        progress: &dyn Progress,
    ) -> Result<Vec<(PathBuf, Selected)>> {
        let (out, selected) = match self {
            Self::Merge(MergeArguments { memory_mb, output, .. }) => {
                let (out, existing) = (&output.out, output.existing());
                let limit = MemoryLimit::beside(out, bytes_of(*memory_mb));
                (out, select::merge(&limit, inputs, out, existing, progress)?)
            }
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
                let memory = memory_mb.map_or(bytes_of(None) / 2, |mb| mb.saturating_mul(1 << 20));
                let limit = MemoryLimit::beside(out, memory);
                (out, select::shuffle(&limit, inputs, files.seed, out, existing, progress)?)
            }
            Self::Split(split) => {
                let &SplitFiles { validation_percent, test_percent, .. } = *split;
                let by = Split { validation_percent, test_percent, ..Split::new(split.files.seed) };
                let outs = Subset::ALL.map(|part| {
                    let mut name = split.out.clone().into_os_string();
                    name.push(format!(".{part}.{}", R::PLURAL));
                    (part, PathBuf::from(name))
                });
                let existing = Existing::by_force(split.force);
                let written = select::split(inputs, by, &outs, existing, progress)?;
                return Ok(outs.into_iter().map(|(_, path)| path).zip(written).collect());
            }
        };
        Ok(vec![(out.clone(), selected)])
    }
}

/// Merges, samples, shuffles or splits the records of `files`. All files must have records of the
/// same kind, such as games.
pub(super) fn run(files: &[PathBuf], work: &Work<'_>, session: &Session) -> Result<Outcome> {
    if let Work::Split(SplitFiles { validation_percent, test_percent, .. }) = work {
        ensure!(
            validation_percent + test_percent <= 100,
            "--validation-percent and --test-percent are more than 100 together"
        );
    }
    let files = record_files(files)?;
    match kind_of(files.first().context("no file is named")?)? {
        Kind::Games => select_of::<Game>(work, &files, session),
        Kind::Placed => select_of::<PlacedPosition>(work, &files, session),
        _ => select_of::<ScoredPosition>(work, &files, session),
    }
}

/// A number of records. The JSON field is `games` or `positions`.
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

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{path}: {count}, {summary}")]
struct Written {
    /// The path of the written file.
    path: String,
    #[serde(flatten)]
    count: Count,
    #[serde(flatten)]
    summary: Summary,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{}of {count}, {seconds:.2} s", lines(files))]
pub(in crate::cli) struct Report {
    /// The number of records in the inputs.
    #[serde(flatten)]
    count: Count,
    /// The written files.
    files: Vec<Written>,
    /// The wall time of the command.
    seconds: f64,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "{records} records of {files} files ({dropped} repeated games dropped)\n{summary}, {seconds:.2} s"
)]
pub(in crate::cli) struct Merged {
    /// The number of joined files.
    files: usize,
    /// The number of records in the output.
    records: u64,
    /// The number of repeated games that were dropped.
    dropped: u64,
    #[serde(flatten)]
    summary: Summary,
    /// The wall time of the command.
    seconds: f64,
}

fn select_of<R: Selectable>(
    work: &Work<'_>,
    files: &[PathBuf],
    session: &Session,
) -> Result<Outcome> {
    let inputs = Inputs::<R>::count(files, session.progress())?;
    let selected = work.select(&inputs, session.progress())?;
    let seconds = session.seconds();
    if let (Work::Merge(_), [(_, Selected { records, summary })]) = (work, &selected[..]) {
        let (records, summary) = (*records, summary.clone());
        let (files, dropped) = (files.len(), inputs.len() - records);
        return session.print(&Merged { files, records, dropped, summary, seconds });
    }
    let written = |(path, selected): (PathBuf, Selected)| Written {
        path: path.display().to_string(),
        count: Count::of::<R>(selected.records),
        summary: selected.summary,
    };
    session.print(&Report {
        count: Count::of::<R>(inputs.len()),
        files: selected.into_iter().map(written).collect(),
        seconds,
    })
}
