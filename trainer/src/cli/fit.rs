//! `othello-trainer fit`: trains 60 phases.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use clap::ValueEnum;
use othello_engine::cli::common::{Outcome, Session};
use othello_engine::eval::Weights;
use othello_engine::file::Existing;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress;
use serde::Serialize;

use super::device::Device;
use super::phases::Phases;
use crate::dataset::{DataChoice, Dataset, Part};
use crate::fit::{Fit, FitReport, FitSettings, Window};
use crate::model::Model;
use crate::source::LabelRules;

/// Arguments of `fit`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Records of games, positions or openings; `FILE*WEIGHT` makes a file's positions count more
    /// or less
    #[arg(required = true, value_name = "DATA")]
    data: Vec<DataChoice>,
    /// Records to test on, of games of their own: another seed and schedule, stronger play. No
    /// game of DATA is held out for the test then
    #[arg(long, value_name = "DATA")]
    test: Vec<DataChoice>,
    /// The weights file to write; metrics, report and checkpoint stand beside it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Where to compute
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    device: Device,
    /// How to fit
    #[arg(long, value_enum, default_value_t = Optimizer::Auto)]
    optimizer: Optimizer,
    /// Decides which games train, validate and test [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// A pattern set: a TOML file, or `standard`, `small`, `discs`
    #[arg(long, value_name = "SET")]
    patterns: Option<String>,
    /// Weights to start from and to be pulled towards; its pattern set is used
    #[arg(long, value_name = "FILE", conflicts_with = "patterns")]
    init: Option<PathBuf>,
    /// Weights of the phases at distance 1, 2, … that also train a phase, such as `1,0.5`; `0` for
    /// none
    #[arg(long, value_name = "WEIGHTS")]
    window: Option<Window>,
    /// Pull of every weight towards its start, in occurrences
    #[arg(long, value_name = "R")]
    ridge: Option<f64>,
    /// Which phases to fit, the last one taken in
    #[arg(long, value_name = "A..B", default_value = "0..59")]
    phases: Phases,
    /// Which label the positions of games get, such as `34..=38:solved, 0..=60:result*0.5`
    #[arg(long, value_name = "RULES")]
    labels: Option<LabelRules>,
    /// The most passes over the data of a phase
    #[arg(long, value_name = "N")]
    iterations: Option<u32>,
    /// A TOML file of settings; flags override it
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Exit with status 1 where the mean absolute validation error is larger, in discs
    #[arg(long, value_name = "X")]
    max_mae: Option<f64>,
    /// Write over an output that stands in the way
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Optimizer {
    /// Adam on a GPU, least squares on the CPU
    Auto,
    /// Adam
    Adam,
    /// Ridge-regularised least squares by conjugate gradients
    Lsq,
}

#[derive(Serialize)]
struct Fitted {
    device: &'static str,
    optimizer: &'static str,
    phases: FitReport,
    positions: usize,
    validation_mae: Option<f64>,
    test_mae: Option<f64>,
    weights: PathBuf,
    seconds: f64,
    sha256: String,
}

impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.phases)?;
        let discs = |mae: Option<f64>| mae.map_or("-".into(), |mae| format!("{mae:.3} discs"));
        let (validation, test) = (discs(self.validation_mae), discs(self.test_mae));
        writeln!(f, "MAE over all phases: validation {validation}, test {test}")?;
        writeln!(f, "{} training positions, {:.1} s", self.positions, self.seconds)?;
        write!(f, "{}  sha256 {}", self.weights.display(), self.sha256)
    }
}

/// Fits and reports; exit status 1 where the error is above `--max-mae`.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let (device, optimizer) = (arguments.device.pick()?, arguments.optimizer()?);
    let (name, reason) = (device.name(), &device.reason);
    session.progress().message(&format!("device {name} ({reason}), optimizer {optimizer}"));
    let settings = arguments.settings()?;
    let initial = arguments.init.as_deref().map(Weights::read).transpose()?;
    let set = match &initial {
        Some(file) => file.weights.set().clone(),
        None => read_set(arguments.patterns.as_deref().unwrap_or("standard"))?,
    };
    let model = Model::new(set);
    let (labels, split) = (&settings.labels, settings.split());
    let dataset =
        Dataset::read(&arguments.data, &arguments.test, labels, split, session.progress())?;
    let fit = Fit {
        model: &model,
        dataset: &dataset,
        settings: &settings,
        initial: initial.as_ref(),
        phases: arguments.phases.0.clone(),
    };
    let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
    let (summary, phases) = device.run(&fit, &arguments.out, existing, session.progress())?;
    let (validation_mae, test_mae) = (phases.validation_mae(), phases.test_mae());
    session.print(&Fitted {
        device: device.name(),
        optimizer,
        phases,
        test_mae,
        positions: dataset.len(Part::Training),
        validation_mae,
        weights: arguments.out.clone(),
        seconds: begun.elapsed().as_secs_f64(),
        sha256: summary.sha256,
    })?;
    let too_large =
        arguments.max_mae.is_some_and(|limit| validation_mae.is_none_or(|mae| mae > limit));
    Ok(Outcome::wrong_if(too_large))
}

impl Arguments {
    fn optimizer(&self) -> anyhow::Result<&'static str> {
        ensure!(self.optimizer != Optimizer::Adam, "--optimizer adam: not in this build; use lsq");
        Ok("lsq")
    }

    /// The settings file, with the flags over it.
    fn settings(&self) -> anyhow::Result<FitSettings> {
        let mut settings = match &self.settings {
            Some(path) => {
                let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
                FitSettings::from_toml(&text).with_context(|| path.display().to_string())?
            }
            None => FitSettings::default(),
        };
        settings.window = self.window.clone().unwrap_or(settings.window);
        settings.ridge = self.ridge.unwrap_or(settings.ridge);
        settings.labels = self.labels.clone().unwrap_or(settings.labels);
        settings.iterations = self.iterations.unwrap_or(settings.iterations);
        settings.seed = self.seed.unwrap_or(settings.seed);
        if !self.test.is_empty() {
            settings.test_percent = 0;
        }
        settings.check()?;
        Ok(settings)
    }
}

/// A pattern set by name or from a file.
fn read_set(name: &str) -> anyhow::Result<PatternSet> {
    if let Some(set) = PatternSet::shipped(name) {
        return Ok(set);
    }
    let path = Path::new(name);
    if !path.exists() {
        bail!("--patterns {name}: neither a file nor `standard`, `small` or `discs`");
    }
    let text = fs::read_to_string(path).with_context(|| name.to_owned())?;
    PatternSet::from_toml(&text).with_context(|| name.to_owned())
}
