//! The parts of a fit that several machines shared, put together into the files that one process would
//! have written.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsError, WeightsFile};
use othello_engine::file::{
    Begin, Existing, FileError, Kind, Provenance, Summary, Writer, check_output,
};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::{Interrupted, Progress};
use othello_engine::record::Shard;
use serde::de::DeserializeOwned;

use super::assembly::Assembly;
use super::metrics_file::MetricsFile;
use super::outputs::side_files;
use super::part;
use super::report::FitReport;
use super::report_file::{ReportError, ReportFile};
use super::units::{Units, UnitsError};
use crate::model::Model;
use crate::records::merge::{MergeError, Shards};

/// What the parts of a fit came to.
#[derive(Clone, PartialEq, Debug)]
pub struct MergedParts {
    /// How many parts there were.
    pub shards: usize,
    /// The weights file.
    pub summary: Summary,
    /// How each phase came out.
    pub report: FitReport,
}

/// Why parts of a fit are not put together.
#[derive(Debug, thiserror::Error)]
pub enum MergePartsError {
    /// Files that are not all parts of one fit.
    #[error(transparent)]
    Shards(#[from] MergeError),
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file that is no part of a fit, as far as its provenance goes.
    #[error("{}: its provenance has no `{key}` of a fit; fit this part again", path.display())]
    Provenance {
        /// The file.
        path: PathBuf,
        /// What is missing.
        key: &'static str,
    },
    /// More parts than there can be.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// A phase where another part has it.
    #[error("{}: it has phase {phase}, which is none of shard {shard}; fit this part again", path.display())]
    Phase {
        /// The file.
        path: PathBuf,
        /// The phase.
        phase: Phase,
        /// Which part the file is.
        shard: Shard,
    },
    /// The fit began from other weights, or from none.
    #[error("the parts were fitted {from}; {remedy}")]
    Initial {
        /// From what they were fitted.
        from: String,
        /// What to name.
        remedy: &'static str,
    },
    /// No phase in any part.
    #[error("none of the phases of the fit has training positions: check its data")]
    NoPositions,
    /// The work was stopped.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// The weights cannot be written.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The report of weights that are complete is not there.
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// How progress calls the work.
const PARTS: &str = "merge (parts)";

/// Puts together all parts of a fit, named in any order: the weights, metrics and report that one process
/// writes that fits all phases. `initial` are the weights that the fit began from.
pub fn merge_parts(
    paths: &[PathBuf],
    initial: Option<&WeightsFile>,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<MergedParts, MergePartsError> {
    check_output(out, paths)?;
    side_files(out).iter().try_for_each(|path| check_output(path, paths))?;
    let parts = Shards::open(paths)?;
    let (files, whole) = (parts.files(), parts.whole());
    let shards = files.len();
    let fit = WholeFit::of(&whole).map_err(|key| {
        let path = files.first().map(|(_, path)| path.clone()).unwrap_or_default();
        MergePartsError::Provenance { path, key }
    })?;
    fit.check_initial(initial)?;
    let report_file = ReportFile::new(out, &whole);
    let writer = match Writer::begin(out, Kind::Weights, &whole, existing)? {
        Begin::Done(summary) => {
            progress.begin(PARTS, shards as u64, shards as u64);
            return Ok(MergedParts { shards, summary, report: report_file.read()? });
        }
        Begin::Writer(writer) => writer,
    };
    let mut metrics_file = MetricsFile::new(out, &whole);
    if existing == Existing::Keep {
        report_file.check_is_own()?;
        metrics_file.check_is_own()?;
    }
    progress.begin_stoppable(PARTS, 0, shards as u64);
    let begin = initial.map(|file| file.weights.clone());
    let mut fitted = Assembly::new(begin.unwrap_or_else(|| Weights::zero(fit.model.set().clone())));
    for &(shard, ref path) in files {
        progress.check()?;
        let found = part::read(path, &fit.model)?;
        let own = Units::of(&fit.model, &fit.phases, Some(shard))?.phases();
        let mut phases = found.phases.iter().map(|phase| phase.report.phase);
        if let Some(phase) = phases.find(|phase| !own.contains(phase)) {
            return Err(MergePartsError::Phase { path: path.clone(), phase, shard });
        }
        fitted.insert_found(found);
        progress.advance(1);
    }
    metrics_file.write(fitted.metrics())?;
    let assembled = fitted.finish(&fit.phases, initial.is_some(), &[]);
    let (weights, report) = assembled.ok_or(MergePartsError::NoPositions)?;
    report_file.write(&report)?;
    Ok(MergedParts { shards, summary: weights.write_to(writer)?, report })
}

/// What the provenance of a fit says that its parts do not.
struct WholeFit {
    model: Model,
    phases: RangeInclusive<Phase>,
    /// The checksum of the weights that it began from.
    initial: Option<String>,
}

impl WholeFit {
    /// The fit of a provenance; or the key of what is missing there.
    fn of(provenance: &Provenance) -> Result<Self, &'static str> {
        const PATTERN_SET: &str = "pattern_set";
        let set: String = field(provenance, PATTERN_SET)?;
        let set = PatternSet::from_toml(&set).map_err(|_| PATTERN_SET)?;
        let [first, last]: [Phase; 2] = field(provenance, "phases")?;
        let initial = field(provenance, "initial")?;
        Ok(Self { model: Model::new(set), phases: first..=last, initial })
    }

    /// Checks that these are the weights that the fit began from.
    fn check_initial(&self, initial: Option<&WeightsFile>) -> Result<(), MergePartsError> {
        if initial.map(|file| &file.sha256) == self.initial.as_ref() {
            return Ok(());
        }
        let (from, remedy) = match &self.initial {
            Some(sha256) => (format!("from weights of sha256 {sha256}"), "name these with --init"),
            None => ("from nothing".to_owned(), "leave out --init"),
        };
        Err(MergePartsError::Initial { from, remedy })
    }
}

fn field<T: DeserializeOwned>(
    provenance: &Provenance,
    key: &'static str,
) -> Result<T, &'static str> {
    let value = provenance.get(key).cloned().ok_or(key)?;
    serde_json::from_value(value).map_err(|_| key)
}
