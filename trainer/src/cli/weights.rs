//! `othello-trainer average`, `quantize` and `diff`: average, round and compare weights files.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use othello_cli::arguments::{Output, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::board::Phase;
use othello_engine::eval::{STEPS_PER_DISC, Weights, WeightsChoice, WeightsFile};
use othello_engine::file::{Provenance, Summary, check_output};
use othello_engine::text_table::table;
use serde::Serialize;

use crate::model::averaged::averaged;
use crate::model::quantized::{Change, Coarseness, quantized};

#[derive(clap::Args, Debug)]
pub struct AverageArguments {
    /// Weights files to average, all with the same pattern set. A file named twice counts twice.
    /// Shorter factor vectors are padded with zeros
    #[arg(required = true)]
    weights: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("the mean of {files} files, {summary}")]
pub(in crate::cli) struct Averaged {
    /// The number of averaged weights files.
    files: usize,
    #[serde(flatten)]
    summary: Summary,
}

pub fn average(arguments: &AverageArguments, session: &Session) -> anyhow::Result<Outcome> {
    let AverageArguments { weights: paths, output } = arguments;
    check_output(&output.out, paths.iter().map(PathBuf::as_path))?;
    let files = paths.iter().map(|path| Weights::read(path));
    let files = files.map(|file| file.map(|file| (file.sha256, file.weights)));
    let (checksums, weights): (Vec<_>, _) =
        files.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let mean = averaged(weights).context(
        "the files have different pattern sets, so they cannot be averaged: see `othello-engine \
         weights FILE`",
    )?;
    let provenance = Provenance::new("average").with("weights", checksums);
    let summary = mean.write(&output.out, &provenance, output.existing())?;
    session.print(&Averaged { files: paths.len(), summary })
}

#[derive(clap::Args, Debug)]
pub struct QuantizeArguments {
    /// Weights file
    weights: PathBuf,
    /// Error of a single label, in discs. A weight that occurred n times in training is rounded to
    /// steps of at most DISCS/√n. 0 turns rounding off
    #[arg(long, value_name = "DISCS", default_value_t = 5.0, value_parser = label_error)]
    label_error: f64,
    /// Number of leading binary digits to keep of each parameter's number of occurrences in
    /// training. The other digits become 0. With N = 0, the numbers of occurrences are removed
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
pub(in crate::cli) struct Quantized {
    change: Change,
    #[serde(flatten)]
    summary: Summary,
    /// The wall time of the command.
    seconds: f64,
}

fn label_error(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|discs| (0.0..=1024.0).contains(discs));
    discs.ok_or_else(|| "expected a number of discs from 0 to 1024".to_owned())
}

pub fn quantize(arguments: &QuantizeArguments, session: &Session) -> anyhow::Result<Outcome> {
    let &QuantizeArguments { label_error, count_digits, share_phases: shared_phases, .. } =
        arguments;
    let output = &arguments.output;
    check_output(&output.out, [arguments.weights.as_path()])?;
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
    let summary = coarser.write(&output.out, &provenance, output.existing())?;
    let seconds = session.seconds();
    session.print(&Quantized { change, summary, seconds })
}

#[derive(clap::Args, Debug)]
pub struct DiffArguments {
    /// Weights file, or `embedded`
    first: WeightsChoice,
    /// Weights file to compare with the first, or `embedded`
    second: WeightsChoice,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Difference {
    /// True if all weights and factors are equal. Counts of occurrences and provenance may differ.
    equal: bool,
    /// True if both files have the same factors, or neither has factors.
    factors_equal: bool,
    /// True if both files have the same move-ordering evaluation, or neither has one.
    ordering_equal: bool,
    /// The largest difference of a weight between the two files, in steps of 1/32 disc.
    max_steps: u32,
    /// The differences between the weights of the two files in each phase.
    phases: Vec<PhaseDifference>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct PhaseDifference {
    /// The phase.
    phase: Phase,
    /// The number of weights that differ between the two files.
    different: usize,
    /// The largest difference of a weight between the two files, in steps of 1/32 disc.
    max_steps: u32,
    /// Mean absolute difference between the two files' weights of the phase, in discs.
    mean_discs: f64,
    /// Root of the mean squared difference between the two files' weights of the phase, in discs.
    rms_discs: f64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.ordering_equal {
            writeln!(f, "The move-ordering evaluations differ.")?;
        }
        if self.equal {
            return write!(f, "All weights are equal.");
        }
        if !self.factors_equal {
            writeln!(f, "The factors differ.")?;
        }
        let columns =
            ["phase", "different weights", "largest (steps)", "mean (discs)", "RMS (discs)"];
        let rows = self.phases.iter().filter(|row| row.different > 0).map(|row| {
            let [mean, rms] = [row.mean_discs, row.rms_discs].map(|discs| format!("{discs:.4}"));
            [row.phase.to_string(), row.different.to_string(), row.max_steps.to_string(), mean, rms]
        });
        writeln!(f, "{}", table(columns, rows))
    }
}

pub fn diff(arguments: &DiffArguments, session: &Session) -> anyhow::Result<Outcome> {
    let first = arguments.first.by_class()?.weights;
    let second = arguments.second.by_class()?.weights;
    let sets = (first.set(), second.set());
    ensure!(
        sets.0.patterns() == sets.1.patterns() && sets.0.scalars() == sets.1.scalars(),
        "{} has the pattern set `{}` and {} has `{}`, with other patterns or scalar features: \
         their weights cannot be compared; `othello-trainer match` compares their playing strength",
        arguments.first,
        sets.0.name(),
        arguments.second,
        sets.1.name(),
    );
    let phases: Vec<PhaseDifference> =
        Phase::all().map(|phase| compare(&first, &second, phase)).collect();
    let max_steps = phases.iter().map(|row| row.max_steps).max().unwrap_or(0);
    let factors_equal = first.factors() == second.factors();
    let equal = max_steps == 0 && factors_equal;
    let ordering_equal = first.ordering == second.ordering;
    session.print(&Difference { equal, factors_equal, ordering_equal, max_steps, phases })?;
    Ok(Outcome::wrong_if(!equal))
}

fn compare(first: &Weights, second: &Weights, phase: Phase) -> PhaseDifference {
    let steps = |weights: &Weights| weights.all_steps().row(phase.index()).mapv(i32::from);
    let differences = (steps(first) - steps(second)).mapv(i32::abs);
    let discs = differences.mapv(f64::from) / f64::from(STEPS_PER_DISC);
    PhaseDifference {
        phase,
        different: differences.iter().filter(|&&steps| steps > 0).count(),
        max_steps: differences.iter().max().map_or(0, |steps| steps.unsigned_abs()),
        mean_discs: discs.mean().unwrap_or(0.0),
        rms_discs: discs.pow2().mean().unwrap_or(0.0).sqrt(),
    }
}
