//! `export` to another program. Weights with its patterns are converted; for other weights, a fit
//! to games makes linear weights for its patterns.

use std::fmt;
use std::path::PathBuf;

use anyhow::Context as _;
use othello_cli::Session;
use othello_engine::board::Phase;
use othello_engine::eval::ByClass;
use othello_engine::eval::{Evaluate, Evaluator, Tables, Weights};
use othello_engine::file::{check_output, plain};
use othello_engine::progress::Progress as _;
use othello_engine::record::ScoredPosition;
use othello_engine::run::Shard;
use othello_engine::search::Pruning;
use serde::Serialize;

use super::{Arguments, sha256_of};
use crate::dataset::{DataChoice, Dataset, Subset};
use crate::export::program::Program;
use crate::fit::{self, Device, Fit, FitSettings, Limits, Optimizer};
use crate::memory::{MemoryLimit, bytes_of};
use crate::metrics::{GroupErrors, Measuring};
use crate::model::{Model, Phases};

/// The report on a file for another program.
#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Exported {
    /// The size of the file in bytes.
    bytes: usize,
    /// The checksum of the file, as `sha256sum` prints it.
    sha256: String,
    /// The checksum of the content of the weights file.
    weights_sha256: String,
    /// The fit of weights for the program's patterns, if one was needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    fitted: Option<Fitted>,
    /// The errors of both evaluations, with `--data`.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<Loss>,
    #[serde(skip)]
    program: String,
}

/// Weights fitted to a program's patterns.
#[derive(Serialize, schemars::JsonSchema)]
struct Fitted {
    /// The weights file, in the same folder.
    weights: PathBuf,
    /// The checksum of its content.
    sha256: String,
    /// The number of training positions.
    positions: usize,
}

/// The static errors on held-out games, of the given weights and of the written file as the program
/// reads it.
#[derive(Serialize, schemars::JsonSchema)]
struct Loss {
    /// The errors of the given weights on held-out games.
    given: GroupErrors,
    /// The errors of the written file on held-out games.
    written: GroupErrors,
}

impl fmt::Display for Exported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, sha256, weights_sha256, fitted, loss, program } = self;
        if let Some(Fitted { weights, sha256, positions }) = fitted {
            writeln!(f, "tables for {program}'s patterns, fitted to {positions} positions:")?;
            writeln!(f, "{}  sha256 {sha256}", weights.display())?;
        }
        if let Some(Loss { given, written }) = loss {
            let discs =
                |errors: &GroupErrors| errors.mae.map_or("-".into(), |mae| format!("{mae:.3}"));
            let (given_mae, written_mae) = (discs(given), discs(written));
            writeln!(
                f,
                "mean absolute error on {} held-out positions: {given_mae} discs with the given \
                 weights, {written_mae} with {program}'s file",
                given.positions
            )?;
        }
        write!(f, "{bytes} bytes, sha256 {sha256}, of the weights {weights_sha256}")
    }
}

/// Writes the program's file and reports.
pub(super) fn export(
    arguments: &Arguments,
    program: Program,
    session: &Session,
) -> anyhow::Result<Exported> {
    let export = Export { arguments, program, session };
    let ByClass { weights, sha256: weights_sha256, .. } = ByClass::load(&arguments.weights)?;
    let written = program.write(&weights);
    drop(weights);
    let unfit = || arguments.weights.to_string();
    let (bytes, fitted, dataset) = match written {
        Err(error) if error.is_of_the_set() && !arguments.data.is_empty() => {
            session.progress().message(&format!(
                "{}: has other patterns than {program}; tables for {program}'s patterns are fitted \
                 to the games",
                arguments.weights
            ));
            let dataset = export.dataset()?;
            let (weights, fitted) = export.fit(&dataset)?;
            (program.write(&weights).with_context(unfit)?, Some(fitted), Some(dataset))
        }
        written if arguments.data.is_empty() => (written.with_context(unfit)?, None, None),
        written => (written.with_context(unfit)?, None, Some(export.dataset()?)),
    };
    let loss = dataset.map(|dataset| export.loss(&dataset, &bytes)).transpose()?;
    plain::write(&arguments.out, &bytes, arguments.existing())?;
    let sha256 = sha256_of(&bytes);
    let (bytes, program) = (bytes.len(), program.to_string());
    Ok(Exported { bytes, sha256, weights_sha256, fitted, loss, program })
}

struct Export<'a> {
    arguments: &'a Arguments,
    program: Program,
    session: &'a Session,
}

impl Export<'_> {
    /// Returns the name of the weights file in the folder of the program's file.
    fn weights_path(&self) -> PathBuf {
        self.arguments.out.with_added_extension("weights")
    }

    fn settings(&self) -> FitSettings {
        let labels = self.arguments.labels.clone().unwrap_or_default();
        FitSettings { labels, seed: self.arguments.seed, ..FitSettings::default() }
    }

    /// Reads the games, and splits them in the same way as a fit.
    fn dataset(&self) -> anyhow::Result<Dataset> {
        let data = DataChoice::files(&self.arguments.data)?;
        let path = self.weights_path();
        let inputs = || {
            let data = data.iter().map(|choice| choice.path.as_path());
            data.chain(self.arguments.weights.path())
        };
        let [metrics, report] = fit::side_files(&path);
        for output in [&self.arguments.out, &path, &metrics, &report] {
            check_output(output, inputs())?;
        }
        let limit = MemoryLimit::beside(&path, bytes_of(None) / 2);
        let (settings, progress) = (self.settings(), self.session.progress());
        let (labels, split) = (&settings.labels, settings.split());
        let phases = Phase::all().collect();
        Ok(Dataset::read_within(Some(limit), phases, &data, &[], labels, split, progress)?)
    }

    /// Fits linear weights for the program's patterns, and stores them as a weights file.
    fn fit(&self, dataset: &Dataset) -> anyhow::Result<(Weights, Fitted)> {
        let (model, settings) = (Model::new(self.program.set()), self.settings());
        let fit = Fit {
            model: &model,
            dataset,
            settings: &settings,
            optimizer: Optimizer::LeastSquares,
            initial: None,
            phases: Phases::default().0,
            shard: Shard::WHOLE,
            limits: Limits { time: None, memory: Some(bytes_of(None)) },
        };
        let (path, progress) = (self.weights_path(), self.session.progress());
        let existing = self.arguments.existing();
        let summary = Device::Auto.pick()?.run(&fit, &path, existing, progress)?.summary;
        let summary = summary.context("the fit is not packed")?;
        let weights = Weights::read(&path)?.weights;
        let positions = dataset.len(Subset::Training);
        Ok((weights, Fitted { weights: path, sha256: summary.sha256, positions }))
    }

    /// Measures the given weights and the written file.
    fn loss(&self, dataset: &Dataset, bytes: &[u8]) -> anyhow::Result<Loss> {
        let given = Evaluator::load(&self.arguments.weights)?;
        let given = self.errors(&given, dataset)?;
        let written = Tables::new(&self.program.read(bytes)?.weights);
        Ok(Loss { given, written: self.errors(&written, dataset)? })
    }

    /// Returns the static errors on the test positions of a fit.
    fn errors(&self, evaluator: &impl Evaluate, dataset: &Dataset) -> anyhow::Result<GroupErrors> {
        let measuring = Measuring {
            evaluator,
            depth: 0,
            pruning: Pruning::default(),
            phases: Phases::default().0,
            worst: 0,
        };
        let rows = Phase::all().flat_map(|phase| dataset.test(phase).to_vec());
        let rows: Vec<ScoredPosition> = rows.collect();
        Ok(measuring.positions(rows, self.session.progress())?.all)
    }
}
