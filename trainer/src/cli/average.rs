//! `othello-trainer average`: the mean of several weights files.

use std::path::PathBuf;

use anyhow::Context as _;
use othello_cli::arguments::Output;
use othello_cli::{Outcome, Session};
use othello_engine::eval::{Weights, WeightsFile};
use othello_engine::file::{Provenance, Summary, check_output};
use serde::Serialize;

use crate::model::averaged::averaged;

/// Arguments of `average`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Weights files of one pattern set, each counted as often as it is named; narrower factors are
    /// widened to the greatest width
    #[arg(required = true)]
    weights: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("the mean of {files} files, {summary}")]
pub(in crate::cli) struct Report {
    /// The number of averaged weights files.
    files: usize,
    #[serde(flatten)]
    summary: Summary,
}

/// Runs the command `average`: writes the averaged weights file and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { weights: paths, output } = arguments;
    check_output(&output.out, paths.iter().map(PathBuf::as_path))?;
    let files = paths
        .iter()
        .map(|path| Ok(Weights::read(path)?))
        .collect::<anyhow::Result<Vec<WeightsFile>>>()?;
    let checksums: Vec<String> = files.iter().map(|file| file.sha256.clone()).collect();
    let weights: Vec<Weights> = files.into_iter().map(|file| file.weights).collect();
    let count = weights.len();
    let mean = averaged(weights).context(
        "the files have different pattern sets, so they cannot be averaged: see `othello-engine \
         weights FILE`",
    )?;
    let provenance = Provenance::new("average").with("weights", checksums);
    let summary = mean.write(&output.out, &provenance, output.existing())?;
    session.print(&Report { files: count, summary })
}
