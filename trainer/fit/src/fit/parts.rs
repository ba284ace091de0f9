//! The parts of a fit that several machines share: each a complete file of its fitted phases, with
//! the sections of a checkpoint. Merges them into the files that one process would have written.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use othello_engine::board::Phase;
use othello_engine::eval::{Factors, Weights, WeightsError, WeightsFile};
use othello_engine::file::{
    Begin, Existing, FileError, Kind, Provenance, Reader, Section, Summary, Writer, check_output,
};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::{Interrupted, Progress};
use othello_engine::record::Shard;
use othello_engine::text::excerpt;
use serde::de::DeserializeOwned;

use super::assembly::Assembly;
use super::checkpoint::{FinishedPhases, sections_of};
use super::report::FitReport;
use super::side_files::{MetricsFile, ReportError, ReportFile, side_files};
use super::units::{Units, UnitsError};
use crate::model::Model;
use crate::shards::{Shards, ShardsError};

/// Writes all fitted phases, with their factors before them. Compares them with the sections that a
/// killed run left.
pub(super) fn write_part(
    mut writer: Writer,
    fitted: &Assembly,
    progress: &dyn Progress,
) -> Result<Summary, FileError> {
    writer.compare_from_start();
    let mut group = None;
    for phase in fitted.phases() {
        if let Some((number, factors)) = fitted.factors(phase.report.phase)
            && group.replace(number) != Some(number)
        {
            let Section { name, content } = Factors::section_of(number, factors);
            writer.section(&name, &content)?;
        }
        for Section { name, content } in sections_of(&phase) {
            writer.section(&name, &content)?;
        }
    }
    progress.warn(writer.end_comparison()?);
    writer.finish()
}

/// The largest section of text, in bytes: a report, or the metrics of a hundred thousand epochs.
const LONGEST_TEXT: usize = 16 << 20;
/// The largest number of sections: four for each phase, and one for the factors of each group.
const MOST_SECTIONS: usize = 300;

/// Reads the phases of a part.
fn read_part(path: &Path, model: &Model) -> Result<FinishedPhases, FileError> {
    let mut reader = Reader::open(path, Kind::Checkpoint)?;
    let factors = model.set().factors().map_or(0, |shape| shape.dimensions());
    let longest = (model.parameters() * factors.max(size_of::<u32>())).max(LONGEST_TEXT);
    let mut sections = vec![];
    while let Some(section) = reader.next().transpose()? {
        if section.content.len() > longest || sections.len() == MOST_SECTIONS {
            return Err(reader.meaningless("is none of a part of a fit".to_owned()));
        }
        sections.push(section);
    }
    FinishedPhases::among(&sections, model).map_err(|section| {
        reader.meaningless(format!("ends a file whose `{}` is no part of a fit", excerpt(section)))
    })
}

/// The result of merging the parts of a fit.
#[derive(Clone, PartialEq, Debug)]
pub struct MergedParts {
    /// The number of parts.
    pub shards: usize,
    /// The summary of the weights file.
    pub summary: Summary,
    /// The report on each phase.
    pub report: FitReport,
}

/// Errors of merging the parts of a fit.
#[derive(Debug, thiserror::Error)]
pub enum MergePartsError {
    /// Files that are not all parts of one fit.
    #[error(transparent)]
    Shards(#[from] ShardsError),
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The provenance of a file is not that of a part of a fit.
    #[error("{}: its provenance has no `{key}` of a fit; fit this part again", path.display())]
    Provenance {
        /// The file.
        path: PathBuf,
        /// The missing key.
        key: &'static str,
    },
    /// There are more parts than units of work.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// A file has a phase that belongs to another part.
    #[error("{}: it has phase {phase}, which is none of shard {shard}; fit this part again", path.display())]
    Phase {
        /// The file.
        path: PathBuf,
        /// The phase.
        phase: Phase,
        /// The part that the file claims to be.
        shard: Shard,
    },
    /// The fit began from other weights, or from none.
    #[error("the parts were fitted {from}; {remedy}")]
    Initial {
        /// The starting weights of the parts.
        from: String,
        /// The remedy: the weights to name, or not to name.
        remedy: &'static str,
    },
    /// No part has a phase.
    #[error("none of the phases of the fit has training positions: check its data")]
    NoPositions,
    /// The work was stopped.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// The weights cannot be written.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The weights are complete, but their report cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// The name of the work in progress messages.
const PARTS: &str = "merge (parts)";

/// Merges all parts of a fit, given in any order, into the weights, metrics and report that one
/// process fitting all phases would write. `initial` are the weights that the fit started from.
pub fn merge_parts(
    paths: &[PathBuf],
    initial: Option<&WeightsFile>,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<MergedParts, MergePartsError> {
    check_output(out, paths)?;
    side_files(out).iter().try_for_each(|path| check_output(path, paths))?;
    let parts = Shards::open(paths, &["fit"])?;
    let (files, whole) = (parts.files(), parts.whole());
    let shards = files.len();
    let fit = WholeFit::of(whole).map_err(|key| {
        let path = files.first().map(|(_, path)| path.clone()).unwrap_or_default();
        MergePartsError::Provenance { path, key }
    })?;
    fit.check_initial(initial)?;
    let report_file = ReportFile::new(out, whole);
    let writer = match Writer::begin(out, Kind::Weights, whole, existing)? {
        Begin::Done(summary) => {
            progress.begin(PARTS, shards as u64, shards as u64);
            return Ok(MergedParts { shards, summary, report: report_file.read()? });
        }
        Begin::Writer(writer) => writer,
    };
    let mut metrics_file = MetricsFile::new(out, whole);
    if existing == Existing::Keep {
        report_file.check_is_own()?;
        metrics_file.check_is_own()?;
    }
    progress.begin_stoppable(PARTS, 0, shards as u64);
    let mut fitted = Assembly::new(fit.weights_to_begin_with(initial));
    for &(shard, ref path) in files {
        progress.check()?;
        let found = read_part(path, &fit.model)?;
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

/// The parts of a fit's provenance that describe the whole fit.
struct WholeFit {
    model: Model,
    phases: RangeInclusive<Phase>,
    /// The checksum of the weights that the fit started from.
    initial: Option<String>,
}

impl WholeFit {
    /// Reads the fit from a provenance.
    ///
    /// # Errors
    ///
    /// Returns the key that is missing or invalid.
    fn of(provenance: &Provenance) -> Result<Self, &'static str> {
        const PATTERN_SET: &str = "pattern_set";
        let set: String = field(provenance, PATTERN_SET)?;
        let set = PatternSet::from_toml(&set).map_err(|_| PATTERN_SET)?;
        let [first, last]: [Phase; 2] = field(provenance, "phases")?;
        let initial = field(provenance, "initial")?;
        Ok(Self { model: Model::new(set), phases: first..=last, initial })
    }

    /// Returns `initial` with as many factors as were fitted; without them, weights of 0.
    fn weights_to_begin_with(&self, initial: Option<&WeightsFile>) -> Weights {
        let set = self.model.set();
        let begin = initial.and_then(|file| match set.factors() {
            Some(shape) => file.weights.clone().with_factors(shape),
            None => Some(file.weights.clone()),
        });
        begin.unwrap_or_else(|| Weights::zero(set.clone()))
    }

    /// Checks that `initial` are the weights that the fit started from.
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
