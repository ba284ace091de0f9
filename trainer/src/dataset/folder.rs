//! A dataset laid out in a folder once, for fits on many machines that share it: a file of positions for
//! each phase and part, and a manifest that says what they were made from and what is in them.

mod read;
mod write;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{FileError, Provenance};
use othello_engine::progress::Interrupted;
use othello_engine::record::RecordError;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Input, Part, Split};
use crate::source::LabelRules;

/// What decides a dataset besides its inputs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LayoutSettings {
    /// Which label a game's positions get.
    pub labels: LabelRules,
    /// How games are split.
    #[serde(flatten)]
    pub split: Split,
}

impl LayoutSettings {
    /// What differs where a dataset was laid out by `there`, for a message.
    pub fn differences(&self, there: &Self) -> String {
        let provenance =
            |settings: &Self| Provenance::new("dataset").with("settings", json!(settings));
        Provenance::differences(&provenance(there), &provenance(self))
    }
}

/// A folder with a dataset, of which the manifest is read.
pub struct DatasetFolder {
    path: PathBuf,
    manifest: Manifest,
    made: Made,
}

/// The file `dataset.json`: it is written last.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Manifest {
    format: String,
    version: u32,
    provenance: serde_json::Value,
    games: u64,
    dropped: u64,
    phases: Vec<PhaseEntry>,
}

/// What of the provenance a fit needs.
#[derive(Clone, PartialEq, Debug, Deserialize)]
struct Made {
    data: Vec<Input>,
    test: Vec<Input>,
    settings: LayoutSettings,
}

/// A phase of the dataset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct PhaseEntry {
    labels: Vec<(String, u64)>,
    training: FileEntry,
    validation: FileEntry,
    test: FileEntry,
}

/// A file of the dataset: how many positions it has, and the checksum of its content.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct FileEntry {
    positions: u64,
    sha256: String,
}

/// Why a folder with a dataset was not read or not written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file of positions.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The folder or its manifest.
    #[error(transparent)]
    File(#[from] FileError),
    /// A manifest that says something else.
    #[error("{}: {reason}; lay the dataset out again with `dataset`", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// How it shows.
        reason: String,
    },
    /// A file that is another one than the manifest says.
    #[error("{}: it has {found}, where {MANIFEST} says {expected}; lay the dataset out again with \
        `dataset`", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
        /// What is to be in it.
        expected: String,
    },
    /// No room for what does not fit into memory.
    #[error("{}: {source}: the positions take more than the {megabytes} MB of memory allowed, and no \
        temporary file can take them: free space there, or raise --memory-mb", folder.display())]
    Temporary {
        /// Where the file was to be.
        folder: PathBuf,
        /// The memory allowed, in 2^20 bytes.
        megabytes: u64,
        /// Why not.
        source: io::Error,
    },
    /// The work was stopped; the files that are complete are kept.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
}

/// The name of the manifest.
const MANIFEST: &str = "dataset.json";
/// What it begins with.
const FORMAT: &str = "othello dataset";
/// The version of the folder that is written, and the only one that is read.
const VERSION: u32 = 1;
/// The largest manifest that is read: thousands of inputs.
const LONGEST_MANIFEST: u64 = 64 << 20;

fn file_name(part: Part, phase: Phase) -> String {
    format!("{part}-{:02}.positions", phase.index())
}

impl DatasetFolder {
    /// Reads the manifest of a folder.
    pub fn open(folder: &Path) -> Result<Self, FolderError> {
        let path = folder.join(MANIFEST);
        let io = |source| FileError::Io { path: path.clone(), action: "read it", source };
        let wrong = |reason: String| FolderError::Manifest { path: path.clone(), reason };
        let bytes = fs::metadata(&path).map_err(io)?.len();
        if bytes > LONGEST_MANIFEST {
            return Err(wrong(format!("{bytes} bytes are too many for a manifest")));
        }
        let text = fs::read(&path).map_err(io)?;
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|error| wrong(format!("it is no manifest of a dataset: {error}")))?;
        if manifest.format != FORMAT || manifest.version != VERSION {
            let Manifest { format, version, .. } = &manifest;
            return Err(wrong(format!(
                "expected `{FORMAT}` of version {VERSION}, found `{format}` of {version}"
            )));
        }
        if manifest.phases.len() != PHASES {
            return Err(wrong(format!("it has {} phases, not {PHASES}", manifest.phases.len())));
        }
        let made = Made::deserialize(&manifest.provenance)
            .map_err(|error| wrong(format!("its provenance is none of a dataset: {error}")))?;
        Ok(Self { path: folder.to_owned(), manifest, made })
    }

    /// How the positions were labelled and split.
    pub fn settings(&self) -> &LayoutSettings {
        &self.made.settings
    }

    /// How many positions a part has in all phases.
    pub fn len(&self, part: Part) -> u64 {
        let files = self.manifest.phases.iter().map(|phase| phase.of(part));
        files.fold(0, |sum, file| sum.saturating_add(file.positions))
    }

    /// The number of games in training.
    pub fn games(&self) -> u64 {
        self.manifest.games
    }

    fn entry(&self, part: Part, phase: Phase) -> &FileEntry {
        self.manifest.phases[phase.index()].of(part)
    }
}

impl PhaseEntry {
    fn of(&self, part: Part) -> &FileEntry {
        match part {
            Part::Training => &self.training,
            Part::Validation => &self.validation,
            Part::Test => &self.test,
        }
    }
}
