use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::ValueEnum;
use othello_cli::arguments::{Output, above_0, number_from};
use othello_cli::{Outcome, Session};
use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsFile};
use othello_engine::file::{Kind, check_name, check_output};
use othello_engine::pattern::{FactorChoice, FactorShape, PatternSet};
use othello_engine::progress::Progress;
use othello_engine::run::{Run, Shard};
use serde::Serialize;

use super::advice::{Choices, GAMES_FOR_FACTORS, usual_set};
use super::dataset::LayoutArguments;
use super::loss::{largest_error, outcome};
use super::pattern_sets;
use crate::dataset::{DataChoice, Dataset, DatasetFolder, Subset, TrainedOn};
use crate::fit::{
    self, Device, Filled, Fit, FitEnd, FitReport, FitSettings, Limits, PickedDevice, Units, Window,
};
use crate::memory::{MemoryLimit, bytes_of};
use crate::metrics::{ErrorLimits, Trained};
use crate::model::{Model, Phases};

#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Records of games, positions or openings, or a folder that `dataset` made. With
    /// `FILE*WEIGHT`, the weight of each position in the file is multiplied by WEIGHT
    #[arg(required = true, value_name = "DATA")]
    data: Vec<DataChoice>,
    #[command(flatten)]
    layout: LayoutArguments,
    #[command(flatten)]
    output: Output,
    #[arg(long, value_name = "DEVICE")]
    device: Option<Device>,
    /// Optimizer to fit by
    #[arg(long, value_enum, default_value_t = Optimizer::Auto)]
    optimizer: Optimizer,
    #[arg(long, value_name = "SET", help = pattern_sets(|_| true) + " [default: scalars; factors from 20,000 training games on]")]
    patterns: Option<String>,
    #[arg(long, value_name = "FILE", conflicts_with = "patterns")]
    init: Option<PathBuf>,
    /// Width N of the factor vectors (8, 16, 32, 64 or 128) and number PHASES of consecutive phases
    /// that share them, such as 64/20. Overrides the pattern set. PHASES defaults to the number in
    /// the set, or 20 if it has no factors. N must be at least the width of the vectors of `--init`
    #[arg(long, value_name = "N[/PHASES]")]
    factors: Option<FactorChoice>,
    /// Weights of positions 1 phase, 2 phases, … away from the phase that is fitted, whose own
    /// positions have the weight 1. `0` uses only the phase's own positions [default: 1,1]
    #[arg(long, value_name = "WEIGHTS")]
    window: Option<Window>,
    /// Ridge (L2) penalty R towards the starting weights: adds R · (weight − starting weight)² for
    /// each weight to the sum of squared errors. A fit with factors begins with a least-squares
    /// fit, which uses `ridge` of --settings instead of R [default: 30, or 1000 with factors]
    #[arg(long, value_name = "R", value_parser = above_0)]
    ridge: Option<f64>,
    #[arg(long, value_name = "A..B", default_value = "0..59")]
    phases: Phases,
    #[arg(long, value_name = "I/N", conflicts_with = "minutes")]
    shard: Option<Shard>,
    /// Largest number of epochs of a phase [default: lsq 40, or 8 if the phase and the neighbours
    /// in its --window have 1,000,000 positions or more; descent 40; adam 10, or 3 with factors]
    #[arg(long, value_name = "N", alias = "iterations", value_parser = number_from(1_u32))]
    epochs: Option<u32>,
    /// Number of positions in each update of Adam, 0 for all [default: 4096, or 8192 with factors]
    #[arg(long, value_name = "N", value_parser = number_from(0_u32))]
    batch: Option<u32>,
    /// Initial learning rate of Adam in discs; falls to 0 [default: 0.2, or 0.005 with factors]
    #[arg(long, value_name = "DISCS", value_parser = above_0)]
    learning_rate: Option<f64>,
    #[arg(long, value_name = "M", value_parser = minutes)]
    minutes: Option<Duration>,
    #[arg(long, value_name = "X", value_parser = largest_error)]
    max_mae: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Optimizer {
    /// Adam on a GPU, least squares on the CPU
    Auto,
    /// Adam, by mini-batches
    Adam,
    /// Ridge-regularised least squares by conjugate gradients
    Lsq,
    /// Steepest descent, for comparison
    Descent,
}

/// An optimizer, and the reason for which it was chosen.
type Chosen = (fit::Optimizer, &'static str);

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Fitted {
    /// The device: `cpu`, `cuda`, or `host` (the kernels of a GPU, run on the CPU).
    device: &'static str,
    /// The optimizer.
    optimizer: String,
    /// The shard `I/N` (share I of N of the phases) that this run fitted; absent without `--shard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    /// The results of the fitted phases.
    phases: FitReport,
    /// The phases outside `--phases`, each with the fitted phase whose weights were copied to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    filled: Vec<Filled>,
    /// The phases whose fit stopped at the time limit.
    unfinished: Vec<Phase>,
    /// The number of training positions that were read.
    positions: u64,
    /// The MAE on the validation set, in discs; null if this set is empty.
    validation_mae: Option<f64>,
    /// The MAE on the test set, in discs; null if this set is empty.
    test_mae: Option<f64>,
    /// The number of positions removed from the test set because they are also training positions.
    omitted_test_positions: u64,
    /// True if the validation error is within `--max-mae`; null without the flag.
    passed: Option<bool>,
    /// The weights file.
    weights: PathBuf,
    /// The wall time of the command.
    seconds: f64,
    /// The SHA-256 of the weights file; absent for a shard, which does not write this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.phases)?;
        let discs = |mae: Option<f64>| mae.map_or("-".into(), |mae| format!("{mae:.3} discs"));
        let (validation, test) = (discs(self.validation_mae), discs(self.test_mae));
        let tested: u64 = self.phases.0.iter().map(|row| row.test_positions).sum();
        let of_all = match self.omitted_test_positions {
            0 => String::new(),
            omitted => format!(" (of {})", tested + omitted),
        };
        writeln!(
            f,
            "MAE over all phases: validation {validation}, test {test} on {tested} positions that \
             training has not{of_all}"
        )?;
        writeln!(f, "{} training positions, {:.1} s", self.positions, self.seconds)?;
        let weights = self.weights.display();
        if let phases @ 1.. = self.unfinished.len() {
            writeln!(f, "{weights}: the time ended before {phases} phases were finished")?;
        }
        let Some(sha256) = &self.sha256 else {
            let parts = "parts has the parts of this shard";
            return write!(f, "{weights}.{parts}; `pack` makes the weights");
        };
        write!(f, "{weights}  sha256 {sha256}")
    }
}

pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let (named, progress) = (arguments, session.progress());
    let mut arguments = named.clone();
    arguments.data = DataChoice::files(&named.data)?;
    arguments.layout.test = DataChoice::files(&named.layout.test)?;
    let arguments = &arguments;
    let out = &arguments.output.out;
    // Checks this before it reads files beside the output, which another fit may be writing.
    Run::check_is_free(out, arguments.shard())?;
    let [metrics, report] = fit::side_files(out);
    for path in [out, &metrics, &report] {
        check_output(path, named.inputs().chain(arguments.inputs()))?;
    }
    check_name(out, Kind::Weights)?;
    let initial = arguments.init.as_deref().map(|path| arguments.initial(path)).transpose()?;
    if let Some(initial) = &initial {
        arguments.check_test(initial, progress)?;
    }
    let folder = arguments.folder()?;
    let given = match &initial {
        Some(file) => Some(file.weights.set().clone()),
        None => arguments.pattern_set(folder.as_ref().map(DatasetFolder::games))?,
    };
    let device = arguments.device.unwrap_or(Device::Auto).pick()?;
    let undecided = given.is_none();
    let mut set = given.map_or_else(|| usual_set(u64::MAX), Ok)?;
    let (mut optimizer, mut why) = arguments.optimizer(&device, &set)?;
    let mut settings = arguments.settings(optimizer, &set, folder.as_ref())?;
    let memory = bytes_of(arguments.layout.memory_mb);
    let limit = MemoryLimit::beside(out, memory / 2);
    let phases = arguments.phases_read(&set, &settings);
    let mut dataset = match &folder {
        Some(folder) => folder.read(&phases, Some(&limit), progress)?,
        None => {
            let (data, test) = (&arguments.data, &arguments.layout.test);
            Dataset::read_within(Some(limit), phases, data, test, &settings.layout(), progress)
                .map_err(|error| arguments.layout.named(error))?
        }
    };
    if undecided {
        set = usual_set(dataset.games())?;
        (optimizer, why) = arguments.optimizer(&device, &set)?;
        settings = arguments.settings(optimizer, &set, None)?;
        dataset.keep(&arguments.phases_read(&set, &settings));
    }
    if initial.is_none() && arguments.patterns.is_none() {
        let (name, games) = (set.name(), dataset.games());
        let why = format!("{games} training games; factors from {GAMES_FOR_FACTORS} on");
        progress.message(&format!("pattern set {name} ({why})"));
    }
    let (name, reason) = (device.name, &device.reason);
    // Without `--device`, the reason for the device is not printed; `doctor` prints it.
    progress.message(&match arguments.device {
        None => format!("device {name}, optimizer {optimizer}"),
        Some(_) => format!("device {name} ({reason}), optimizer {optimizer} ({why})"),
    });
    if let (Some(_), Some(message)) = (&initial, arguments.cut_groups(set.factors())) {
        progress.message(&message);
    }
    let omitted: u64 = arguments.phases.iter().map(|phase| dataset.omitted(phase)).sum();
    let tested: usize = arguments.phases.iter().map(|phase| dataset.test(phase).len()).sum();
    let all = omitted + tested as u64;
    let warning = format!("warning: training has {omitted} of the {all} test positions");
    progress.warn((2 * omitted > all).then_some(warning));
    let model = Model::new(set);
    let fit = Fit {
        model: &model,
        dataset: &dataset,
        settings: &settings,
        optimizer,
        initial: initial.as_ref(),
        phases: arguments.phases.0.clone(),
        shard: arguments.shard(),
        limits: Limits { time: arguments.minutes, memory: Some(memory) },
    };
    for line in Choices::of(&fit, &arguments.data).warnings() {
        progress.message(&format!("warning: {line}"));
    }
    let existing = arguments.output.existing();
    let FitEnd { report: phases, summary } = device.run(&fit, out, existing, progress)?;
    let keeps_others = initial.is_some() || arguments.shard.is_some();
    let filled = if keeps_others { vec![] } else { phases.filled() };
    if let count @ 1.. = filled.len() {
        progress.message(&format!(
            "{count} phases outside --phases got the weights of the nearest fitted phase; with \
             --init W they keep those of W"
        ));
    }
    let (validation_mae, test_mae) = (phases.validation_mae(), phases.test_mae());
    let (most, name) = (arguments.max_mae, "mean absolute validation error");
    let verdict = ErrorLimits::default().with_max_mae(most, name, validation_mae);
    session.print(&Fitted {
        device: device.name,
        optimizer: optimizer.to_string(),
        shard: arguments.shard.map(|shard| shard.to_string()),
        unfinished: phases.unfinished(),
        phases,
        filled,
        test_mae,
        omitted_test_positions: omitted,
        passed: verdict.passed(),
        positions: dataset.len(Subset::Training) as u64,
        validation_mae,
        weights: out.clone(),
        seconds: session.seconds(),
        sha256: summary.map(|summary| summary.sha256),
    })?;
    Ok(outcome(&verdict, session))
}

impl Arguments {
    fn pattern_set(&self, games: Option<u64>) -> anyhow::Result<Option<PatternSet>> {
        let set = match (&self.patterns, self.factors, self.optimizer) {
            (Some(name), ..) => PatternSet::named(name, Path::new(""))?,
            (None, Some(_), _) => usual_set(u64::MAX)?,
            (None, None, Optimizer::Lsq | Optimizer::Descent) => usual_set(0)?,
            (None, None, _) => {
                let Some(games) = games else { return Ok(None) };
                usual_set(games)?
            }
        };
        let shape = self.factors.map(|choice| choice.shape(set.factors())).or(set.factors());
        Ok(Some(set.with_factors(shape)))
    }

    fn initial(&self, path: &Path) -> anyhow::Result<WeightsFile> {
        let file = Weights::read(path)?;
        let Some(choice) = self.factors else { return Ok(file) };
        let before = file.weights.set().factors();
        let wanted = choice.shape(before);
        let weights = file.weights.with_factors(wanted).with_context(|| {
            let shown = |it: FactorShape| format!("{}/{}", it.dimensions(), it.phases());
            let (has, wanted) = (before.map_or("none".into(), shown), shown(wanted));
            format!(
                "{}: has factors {has}; --factors asks for {wanted}. Expected at least the same \
                 width, and K times the width if K times as many phases share factors",
                path.display()
            )
        })?;
        Ok(WeightsFile { weights, ..file })
    }

    /// Refuses initial weights that were fitted to a file of `--test`. Warns if their training
    /// files contain test games. Looks for the training files only in the folders of the files of
    /// `--test` and `--init`.
    fn check_test(&self, initial: &WeightsFile, progress: &dyn Progress) -> anyhow::Result<()> {
        let Some(before) = Trained::by_provenance(initial.provenance.as_map()) else {
            return Ok(());
        };
        let test = self.layout.test.iter().map(|choice| choice.path.clone());
        let test: Vec<PathBuf> = test.collect();
        let mut trained = TrainedOn::default();
        trained.add_initial(&before.data);
        trained.check(test.iter().map(PathBuf::as_path))?;
        let rules = self.layout.labels.clone().unwrap_or_default();
        let named = ("the initial weights", self.init.as_deref());
        let overlap = before.overlap(&test, named, &rules, progress)?;
        progress.warn(overlap.and_then(|overlap| overlap.warning()));
        Ok(())
    }

    fn cut_groups(&self, factors: Option<FactorShape>) -> Option<String> {
        let phases = &self.phases.0;
        let whole = factors?.whole_groups(phases);
        let (first, last) = (whole.start().index(), whole.end().index());
        (whole != *phases).then(|| {
            format!(
                "phases outside --phases share factors with phases inside: their values change \
                 although they are not fitted; --phases {first}..{last} also fits them"
            )
        })
    }

    fn inputs(&self) -> impl Iterator<Item = &Path> {
        let set = self.patterns.as_deref().map(Path::new);
        self.layout.inputs(&self.data).chain(self.init.as_deref()).chain(set)
    }

    fn folder(&self) -> anyhow::Result<Option<DatasetFolder>> {
        let Some(choice) = self.data.iter().find(|choice| choice.path.is_dir()) else {
            return Ok(None);
        };
        let folder = choice.path.display();
        ensure!(
            self.data.len() == 1 && self.layout.test.is_empty() && choice.weight == 1.0,
            "{folder}: a dataset contains all data of a fit, including the test: name it alone, or \
             the records it was made from"
        );
        Ok(Some(DatasetFolder::open(&choice.path)?))
    }

    fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    fn phases_read(&self, set: &PatternSet, settings: &FitSettings) -> Vec<Phase> {
        Units::of(set, &self.phases.0).phases_read(self.shard(), &settings.window)
    }

    fn optimizer(&self, device: &PickedDevice, set: &PatternSet) -> anyhow::Result<Chosen> {
        use fit::Optimizer::{Adam, Descent, LeastSquares};
        const ASKED: &str = "chosen by --optimizer";
        if set.factors().is_some() {
            ensure!(
                matches!(self.optimizer, Optimizer::Auto | Optimizer::Adam),
                "the pattern set has factors, which only Adam fits: omit --optimizer"
            );
            return Ok((Adam, "values are not linear in factors"));
        }
        Ok(match self.optimizer {
            Optimizer::Adam => (Adam, ASKED),
            Optimizer::Lsq => (LeastSquares, ASKED),
            Optimizer::Descent => (Descent, ASKED),
            Optimizer::Auto if device.gpus.is_empty() => {
                (LeastSquares, "lowest error, and the default without a GPU")
            }
            Optimizer::Auto => (Adam, "fewest epochs, and a GPU makes its updates fast"),
        })
    }

    /// Returns the fit's settings. Flags override the settings file, and this file overrides the
    /// settings of the dataset.
    fn settings(
        &self,
        optimizer: fit::Optimizer,
        set: &PatternSet,
        folder: Option<&DatasetFolder>,
    ) -> anyhow::Result<FitSettings> {
        let laid_out = folder.map(DatasetFolder::settings);
        let mut settings = self.layout.settings(laid_out)?;
        settings.window = self.window.clone().unwrap_or(settings.window);
        if set.factors().is_some() {
            ensure!(
                self.window.is_none() || self.init.is_none(),
                "factors are fitted to each phase's own positions, and with --init no \
                 earlier stage exists: omit --window"
            );
            let factors = settings.factors.get_or_insert_default();
            factors.epochs = self.epochs.unwrap_or(factors.epochs);
            factors.batch = self.batch.unwrap_or(factors.batch);
            factors.learning_rate = self.learning_rate.unwrap_or(factors.learning_rate);
            factors.ridge = self.ridge.unwrap_or(factors.ridge);
        } else {
            settings.factors = None;
            settings.ridge = self.ridge.unwrap_or(settings.ridge);
            if optimizer == fit::Optimizer::Adam {
                let adam = &mut settings.adam;
                adam.epochs = self.epochs.unwrap_or(adam.epochs);
                adam.batch = self.batch.unwrap_or(adam.batch);
                adam.learning_rate = self.learning_rate.unwrap_or(adam.learning_rate);
            } else {
                ensure!(
                    self.batch.is_none() && self.learning_rate.is_none(),
                    "--batch and --learning-rate are for Adam, but the optimizer is {optimizer}: \
                     add --optimizer adam"
                );
                let least_squares = &mut settings.least_squares;
                least_squares.epochs = self.epochs.unwrap_or(least_squares.epochs);
                least_squares.sample_epochs = self.epochs.unwrap_or(least_squares.sample_epochs);
            }
        }
        if let Some(laid_out) = laid_out {
            let differences = settings.layout().differences(laid_out);
            ensure!(
                differences.is_empty(),
                "{}: was made with other settings ({differences}): make it again with the settings \
                 of this fit, or omit them here",
                self.data[0].path.display()
            );
        }
        settings.check()?;
        Ok(settings)
    }
}

fn minutes(text: &str) -> Result<Duration, String> {
    let time = above_0(text).ok().and_then(|it| Duration::try_from_secs_f64(it * 60.0).ok());
    time.ok_or_else(|| "expected a number of minutes above 0".to_owned())
}
