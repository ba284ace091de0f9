//! The common parts of `split`, `sample` and `shuffle`: the input files, and the report on the
//! written files.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use anyhow::Context as _;
use othello_cli::arguments::number_from;
use othello_cli::{Outcome, Session};
use othello_engine::file::{Kind, Summary, kind_of};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, Record, ScoredPosition, record_files};
use serde::Serialize;

use crate::records::select::{Selected, Splittable};
use crate::records::sequence::Inputs;

/// The records to choose from.
#[derive(clap::Args, Debug)]
pub struct Files {
    /// Files of games, or of positions, or folders of them, taken as one in this order
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    pub(super) seed: u64,
}

/// The work of a subcommand, on games or on positions.
pub(super) trait Selection {
    /// Selects records, and returns the written files.
    fn select<R: Splittable>(
        &self,
        inputs: &Inputs<R>,
        progress: &dyn Progress,
    ) -> anyhow::Result<Vec<(PathBuf, Selected)>>;
}

impl Files {
    /// Does the work on the records of the files, and reports. If the first file contains games,
    /// all files must; otherwise all must contain positions.
    pub(super) fn select(
        &self,
        work: &impl Selection,
        session: &Session,
    ) -> anyhow::Result<Outcome> {
        let files = record_files(&self.files)?;
        match kind_of(files.first().context("no file is named")?)? {
            Kind::Games => select_of::<Game>(work, &files, session),
            _ => select_of::<ScoredPosition>(work, &files, session),
        }
    }
}

/// The number of games or of positions, as a field of that name.
#[derive(Serialize, schemars::JsonSchema)]
struct Count(BTreeMap<&'static str, u64>);

impl Count {
    fn of<R: Record>(records: u64) -> Self {
        Self([(R::PLURAL, records)].into())
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(plural, records)| write!(f, "{records} {plural}"))
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

fn select_of<R: Splittable>(
    work: &impl Selection,
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
