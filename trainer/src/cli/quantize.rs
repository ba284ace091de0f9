//! `othello-trainer quantize`: rounds weights to coarser steps, for a smaller file.

use std::path::PathBuf;

use anyhow::ensure;
use othello_cli::arguments::{Output, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::eval::{Weights, WeightsFile};
use othello_engine::file::{Provenance, Summary, check_output};
use serde::Serialize;

use crate::model::quantized::{Change, Coarseness, quantized};

/// Arguments of `quantize`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Weights file
    weights: PathBuf,

    /// Error of one label, in discs: a weight learned from n occurrences is rounded to steps of at
    /// most DISCS/√n; 0 rounds nothing
    #[arg(long, value_name = "DISCS", default_value_t = 5.0, value_parser = label_error)]
    label_error: f64,

    /// Keep N binary digits of each count, from the first that is 1; 0 removes all counts
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = number_in(0..=u32::BITS))]
    count_digits: u32,

    /// Give N consecutive phases the same weights: their mean, weighted by occurrences
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number_in(1..=60_usize))]
    share_phases: usize,

    #[command(flatten)]
    output: Output,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "values change by {:.3} discs (root mean square of {} positions of random games), by {:.2} at most\n\
     {summary}, {seconds:.2} s",
    change.root_mean_square, change.positions, change.greatest
)]
pub(in crate::cli) struct Report {
    change: Change,
    #[serde(flatten)]
    summary: Summary,
    /// The wall time.
    seconds: f64,
}

fn label_error(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|discs| (0.0..=1024.0).contains(discs));
    discs.ok_or_else(|| "expected a number of discs from 0 to 1024".to_owned())
}

/// Runs the command `quantize`: writes the rounded weights and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let &Arguments { label_error, count_digits, share_phases: shared_phases, .. } = arguments;
    check_output(&arguments.output.out, [arguments.weights.as_path()])?;
    let WeightsFile { weights, provenance, sha256 } = Weights::read(&arguments.weights)?;
    ensure!(
        label_error == 0.0 || weights.all_counts().iter().any(|&count| count > 0),
        "{}: all counts are 0, so the errors of its weights are unknown; use the file that `fit` \
         wrote, or `--label-error 0`",
        arguments.weights.display()
    );
    let provenance = Provenance::new("quantize")
        .with("weights", sha256)
        .with("weights_provenance", provenance.as_map().clone())
        .with("label_error", label_error)
        .with("count_digits", count_digits)
        .with_unusual(shared_phases != 1, "share_phases", shared_phases);
    let coarser = quantized(&weights, Coarseness { label_error, count_digits, shared_phases });
    let change = Change::between(&weights, &coarser);
    let output = &arguments.output;
    let summary = coarser.write(&output.out, &provenance, output.existing())?;
    let seconds = session.seconds();
    session.print(&Report { change, summary, seconds })
}
