//! The two text files that a fit writes next to its weights: metrics by epoch, report by phase.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use othello_engine::board::Phase;
use othello_engine::file::{FileError, Provenance, plain, read_ordinary};
use serde::Deserialize;
use serde_json::json;

use super::report::{FitReport, Metrics};
use super::{FitError, Result};

/// Returns the paths of the metrics and of the report that a fit writes next to its weights.
pub fn side_files(weights: &Path) -> [PathBuf; 2] {
    ["metrics.jsonl", "report.json"].map(|extension| weights.with_added_extension(extension))
}

/// The greatest accepted size of a metrics or report file, in bytes. Both contain the provenance of
/// the fit; this size is enough for the provenance of a fit to 100,000 input files.
const LONGEST: u64 = 64 << 20;

/// The files `WEIGHTS.metrics.jsonl` (a line for each epoch) and `WEIGHTS.report.json` (a line for
/// each phase). Both begin with the provenance of the fit; their lines are in the order of phases.
/// A finished fit writes the same bytes with any number of threads, even if it was killed and
/// resumed.
pub(super) struct SideFiles {
    metrics: PathBuf,
    report: PathBuf,
    /// The beginning of the metrics file and of the report: a JSON object with the provenance,
    /// without its closing brace.
    head: String,
    begun: Mutex<Option<Begun>>,
}

#[derive(Deserialize)]
struct Stored {
    phases: FitReport,
}

/// The open file of metrics, and the phase and epoch of each line in it.
type Begun = (File, HashSet<(Phase, u32)>);

impl SideFiles {
    pub(super) fn new(weights: &Path, provenance: &Provenance) -> Self {
        let [metrics, report] = side_files(weights);
        let head = format!("{{\"provenance\":{}", provenance.canonical());
        Self { metrics, report, head, begun: Mutex::default() }
    }

    /// Appends an epoch's line to the metrics file. Skips an epoch that is already in the file,
    /// because a resumed fit repeats some epochs.
    pub(super) fn add(&self, line: &Metrics) -> Result<(), FileError> {
        let failed = FileError::io(&self.metrics, "write it");
        let begun = &mut *self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, known) = match begun {
            Some(begun) => begun,
            None => begun.insert(self.begin()?),
        };
        if known.insert((line.phase, line.epoch)) {
            file.write_all(format!("{}\n", json!(line)).as_bytes()).map_err(failed)?;
        }
        Ok(())
    }

    /// Opens the metrics file for appending. Keeps the complete lines that killed processes of the
    /// same fit wrote.
    fn begin(&self) -> Result<Begun, FileError> {
        let head = format!("{}}}\n", self.head);
        let there = match read_ordinary(&self.metrics, LONGEST) {
            Err(error) if error.is_missing() => vec![],
            there => there?,
        };
        let there = String::from_utf8_lossy(&there);
        let lines = there.strip_prefix(&head).and_then(|lines| lines.rsplit_once('\n'));
        let lines: Vec<&str> = lines.map_or(vec![], |(lines, _)| lines.lines().collect());
        let key = |line: &&str| {
            let line: Metrics = serde_json::from_str(line).ok()?;
            Some((line.phase, line.epoch))
        };
        let known = lines.iter().filter_map(key).collect();
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        plain::replace(&self.metrics, format!("{head}{lines}").as_bytes())?;
        let file = File::options().append(true).open(&self.metrics);
        Ok((file.map_err(FileError::io(&self.metrics, "open it"))?, known))
    }

    pub(super) fn check_are_own(&self) -> Result<(), FileError> {
        plain::check_head(&self.report, self.head.as_bytes())?;
        plain::check_head(&self.metrics, self.head.as_bytes())
    }

    pub(super) fn write(&self, metrics: &[Metrics], report: &FitReport) -> Result<(), FileError> {
        let lines: String = metrics.iter().map(|line| format!("{}\n", json!(line))).collect();
        plain::replace(&self.metrics, format!("{}}}\n{lines}", self.head).as_bytes())?;
        let rows: Vec<String> = report.0.iter().map(|row| json!(row).to_string()).collect();
        let text = format!("{},\n\"phases\":[\n{}\n]}}\n", self.head, rows.join(",\n"));
        plain::replace(&self.report, text.as_bytes())
    }

    pub(super) fn read_report(&self) -> Result<FitReport> {
        let error = |source| FitError::Report { path: self.report.clone(), source };
        let text = read_ordinary(&self.report, LONGEST).map_err(|problem| match problem {
            FileError::Io { source, .. } => error(source),
            other => error(io::Error::other(other)),
        })?;
        if !text.starts_with(self.head.as_bytes()) {
            return Err(error(io::Error::other("made from other settings, or by another program")));
        }
        let stored: Stored = serde_json::from_slice(&text).map_err(|e| error(e.into()))?;
        Ok(stored.phases)
    }
}
