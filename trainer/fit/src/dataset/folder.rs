//! A dataset in a folder, for fits on many machines: a file of positions for each phase and subset,
//! and a manifest of their origin and content.

mod make;
mod write;

use std::path::{Path, PathBuf};

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{FileError, Provenance, read_ordinary, sha256_of_file};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::{PositionReader, ScoredPosition};
use othello_engine::text::{as_text, excerpt, quoted_reason};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::stored::RowSink;
use super::{Counts, Dataset, Excluded, Filter, Input, PhaseRows, Split, Subset};
use crate::memory::MemoryLimit;
use crate::source::{LabelRules, Result};

/// The settings that, together with the inputs, determine a dataset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LayoutSettings {
    /// The rules for the labels of a game's positions.
    pub labels: LabelRules,
    /// The filter that selects the positions of the dataset.
    #[serde(default, with = "as_text", skip_serializing_if = "Filter::is_all")]
    pub filter: Filter,
    /// The split of the games into training, validation and test.
    #[serde(flatten)]
    pub split: Split,
}

impl LayoutSettings {
    /// Returns settings with a filter that excludes no positions.
    pub fn new(labels: LabelRules, split: Split) -> Self {
        Self { labels, filter: Filter::default(), split }
    }

    /// Returns a text of the differences from `there`, the settings with which a dataset was made.
    pub fn differences(&self, there: &Self) -> String {
        let provenance =
            |settings: &Self| Provenance::new("dataset").with("settings", json!(settings));
        Provenance::differences(&provenance(there), &provenance(self))
    }
}

/// A folder that contains a dataset, and its manifest.
#[derive(Clone)]
pub struct DatasetFolder {
    path: PathBuf,
    manifest: Manifest,
    made: DatasetProvenance,
}

/// The content of the file `dataset.json`, which is written last.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Manifest {
    format: String,
    version: u32,
    provenance: serde_json::Value,
    games: u64,
    dropped: u64,
    phases: Vec<PhaseEntry>,
}

/// The part of a dataset's provenance that a fit needs.
#[derive(Clone, PartialEq, Debug, Deserialize)]
struct DatasetProvenance {
    data: Vec<Input>,
    test: Vec<Input>,
    settings: LayoutSettings,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct PhaseEntry {
    labels: Vec<(String, u64)>,
    training: FileEntry,
    validation: FileEntry,
    test: FileEntry,
}

impl PhaseEntry {
    fn of(&self, subset: Subset) -> &FileEntry {
        match subset {
            Subset::Training => &self.training,
            Subset::Validation => &self.validation,
            Subset::Test => &self.test,
        }
    }
}

fn file_name(subset: Subset, phase: Phase) -> String {
    format!("{subset}-{:02}.positions", phase.index())
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct FileEntry {
    positions: u64,
    sha256: String,
}

const MANIFEST: &str = "dataset.json";
const FORMAT: &str = "othello dataset";
const VERSION: u32 = 2;
/// The size in bytes above which a manifest is refused; thousands of inputs need less.
const LONGEST_MANIFEST: u64 = 64 << 20;

impl DatasetFolder {
    /// Returns true if the folder has a dataset's manifest, valid or not.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(MANIFEST).exists()
    }

    /// Returns the SHA-256 of the manifest, which lists the checksums of all files.
    pub fn sha256(folder: &Path) -> Result<String, FileError> {
        sha256_of_file(&folder.join(MANIFEST), &Silent)
    }

    /// Reads the manifest of a dataset folder.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let wrong = |reason: String| {
            FileError::refused(&path, format!("{reason}; make the dataset again with `dataset`"))
        };
        let text = match read_ordinary(&path, LONGEST_MANIFEST) {
            Err(FileError::Long { most, .. }) => {
                let reason = format!("it has more than {most} bytes, the maximum for a manifest");
                return Err(wrong(reason).into());
            }
            text => text?,
        };
        let (manifest, made) = Manifest::parse(&text).map_err(wrong)?;
        Ok(Self { path: folder.to_owned(), manifest, made })
    }

    /// Checks the text of a manifest; the error is the reason why it is not valid.
    pub fn check(text: &[u8]) -> Result<(), String> {
        Manifest::parse(text).map(drop)
    }

    /// Returns the number of training games. A position outside games counts as one game, or as
    /// none if its file is a complete enumeration, such as of openings.
    pub fn games(&self) -> u64 {
        self.manifest.games
    }

    /// Returns the settings with which the dataset was made.
    pub fn settings(&self) -> &LayoutSettings {
        &self.made.settings
    }

    /// Reads the positions of the given phases. If they need more memory than `limit`, all are
    /// mapped from temporary files.
    pub fn read(
        &self,
        phases: &[Phase],
        limit: Option<&MemoryLimit>,
        progress: &dyn Progress,
    ) -> Result<Dataset> {
        let wanted: Vec<(Subset, Phase)> =
            phases.iter().flat_map(|&phase| Subset::ALL.map(|subset| (subset, phase))).collect();
        progress.begin_stoppable("dataset (files read)", 0, wanted.len() as u64);
        let all = wanted.iter().map(|&(subset, phase)| self.entry(subset, phase).positions);
        let bytes = all
            .fold(0u64, |sum, rows| sum.saturating_add(rows))
            .saturating_mul(size_of::<ScoredPosition>() as u64);
        let limit = limit.filter(|limit| bytes > limit.bytes);
        let read = |&(subset, phase): &(Subset, Phase)| -> Result<_> {
            let path = self.path.join(file_name(subset, phase));
            let FileEntry { positions: expected, sha256 } = self.entry(subset, phase);
            let wrong = |found: String, expected: String| -> Result<()> {
                let reason = format!(
                    "it has {found}; expected {expected} by dataset.json; make the dataset again \
                     with `dataset`"
                );
                Err(FileError::refused(&path, reason).into())
            };
            let count = |positions: u64| format!("{positions} positions");
            let (mut file, mut rows) = (PositionReader::open(&path)?, RowSink::new(limit));
            let mut positions = 0;
            while let Some(frame) = file.next_frame()? {
                progress.check()?;
                positions += frame.len() as u64;
                if positions > *expected {
                    wrong(count(positions), count(*expected))?;
                }
                if frame.iter().any(|row| Phase::of(&row.position()) != Some(phase)) {
                    let found = "a position of another phase".to_owned();
                    wrong(found, format!("positions of phase {phase}"))?;
                }
                frame.into_iter().try_for_each(|row| rows.push(row))?;
            }
            if positions != *expected {
                wrong(count(positions), count(*expected))?;
            }
            let sum = |sha256: &str| format!("the sha256 {sha256}");
            match file.sha256().unwrap_or_default() {
                found if found == sha256 => {}
                found => wrong(sum(found), sum(sha256))?,
            }
            progress.advance(1);
            Ok((subset, phase, rows.finish()?))
        };
        let read = wanted.par_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut phases = vec![PhaseRows::default(); PHASES];
        for (subset, phase, rows) in read {
            phases[phase.index()][subset as usize] = rows;
        }
        let DatasetProvenance { data, test, .. } = self.made.clone();
        let (counts, inputs, test_inputs) = (self.counts(), data, test);
        Ok(Dataset { phases, counts, inputs, test_inputs, ..Dataset::default() })
    }

    fn counts(&self) -> Counts {
        let Manifest { games, dropped, phases, .. } = &self.manifest;
        Counts {
            games: *games,
            dropped: *dropped,
            is_labelled: false,
            excluded: Excluded::default(),
            labels: phases.iter().map(|phase| phase.labels.clone()).collect(),
        }
    }

    fn entry(&self, subset: Subset, phase: Phase) -> &FileEntry {
        self.manifest.phases[phase.index()].of(subset)
    }
}

impl Manifest {
    fn parse(text: &[u8]) -> Result<(Self, DatasetProvenance), String> {
        let manifest: Self = serde_json::from_slice(text).map_err(|error| {
            format!("it is not the manifest of a dataset: {}", quoted_reason(&error))
        })?;
        let Self { format, version, phases, .. } = &manifest;
        if format != FORMAT || *version != VERSION {
            let format = excerpt(format);
            return Err(format!(
                "expected `{FORMAT}` of version {VERSION}, found `{format}` of {version}"
            ));
        }
        if phases.len() != PHASES {
            return Err(format!("it has {} phases, not {PHASES}", phases.len()));
        }
        let made = DatasetProvenance::deserialize(&manifest.provenance).map_err(|error| {
            format!("its provenance is not that of a dataset: {}", quoted_reason(&error))
        })?;
        Ok((manifest, made))
    }
}
