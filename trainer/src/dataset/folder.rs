//! A dataset laid out in a folder once, for fits on many machines that share it: a file of positions for
//! each phase and part, and a manifest that says what they were made from and what is in them.

mod read;
mod write;

pub(super) use read::{ExactRows, FolderRows};

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{FileError, Provenance, read_ordinary};
use othello_engine::progress::Interrupted;
use othello_engine::record::RecordError;
use othello_engine::text::{excerpt, quoted_reason};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::input::Input;
use super::{Part, Split};
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
#[derive(Clone)]
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
    sums: FileEntry,
}

/// What a file of a phase has.
#[derive(Clone, Copy)]
enum Content {
    /// The positions of a part.
    Part(Part),
    /// Training positions whose merged row does not say what it was merged from, in rows that do: so more can be
    /// merged with them later.
    Sums,
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(part) => part.fmt(f),
            Self::Sums => f.write_str("sums"),
        }
    }
}

impl Content {
    /// What there is a file of for each phase.
    fn all() -> impl Iterator<Item = Self> {
        Part::ALL.into_iter().map(Self::Part).chain([Self::Sums])
    }

    fn file_name(self, phase: Phase) -> String {
        format!("{self}-{:02}.positions", phase.index())
    }
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
    /// A dataset by other rules than it is to be gone on with.
    #[error("{}: was laid out by other settings ({differences}): name the same, or lay its data out again",
        path.display())]
    Settings {
        /// The folder.
        path: PathBuf,
        /// What differs.
        differences: String,
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
        temporary file can take them: free space there, or raise --memory-mb, and run the same command again; no input and no \
         finished file is lost", folder.display())]
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

/// What ends the work with rows in files, of which some are temporary.
pub(super) enum Failure {
    /// A folder with a dataset.
    Folder(FolderError),
    /// A temporary file.
    Temporary(io::Error),
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        Self::Folder(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Temporary(error)
    }
}

/// The name of the manifest.
const MANIFEST: &str = "dataset.json";
/// The format that a manifest of a dataset names.
const FORMAT: &str = "othello dataset";
/// The version of the folder that is written, and the only one that is read.
const VERSION: u32 = 2;
/// The largest manifest that is read: thousands of inputs.
const LONGEST_MANIFEST: u64 = 64 << 20;

impl DatasetFolder {
    /// Whether a folder has a manifest, whatever stands under its name.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(MANIFEST).exists()
    }

    /// Reads the manifest of a folder.
    pub fn open(folder: &Path) -> Result<Self, FolderError> {
        let path = folder.join(MANIFEST);
        let wrong = |reason: String| FolderError::Manifest { path: path.clone(), reason };
        let text = match read_ordinary(&path, LONGEST_MANIFEST) {
            Err(FileError::Long { most, .. }) => {
                return Err(wrong(format!("more than {most} bytes are too many for a manifest")));
            }
            text => text?,
        };
        let (manifest, made) = Manifest::parse(&text).map_err(wrong)?;
        Ok(Self { path: folder.to_owned(), manifest, made })
    }

    /// What is wrong with the text of a manifest, if anything is.
    pub fn check(text: &[u8]) -> Result<(), String> {
        Manifest::parse(text).map(drop)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the positions were labelled and split.
    pub fn settings(&self) -> &LayoutSettings {
        &self.made.settings
    }

    /// How many positions a part has in all phases.
    pub fn len(&self, part: Part) -> u64 {
        let files = self.manifest.phases.iter().map(|phase| phase.of(Content::Part(part)));
        files.fold(0, |sum, file| sum.saturating_add(file.positions))
    }

    /// The number of games in training.
    pub fn games(&self) -> u64 {
        self.manifest.games
    }

    /// How many rows all files have together.
    pub(super) fn rows_in_all(&self) -> u64 {
        let files = self.manifest.phases.iter().flat_map(|phase| {
            [&phase.training, &phase.validation, &phase.test, &phase.sums]
                .map(|file| file.positions)
        });
        files.fold(0, u64::saturating_add)
    }

    /// What the positions were made from, the data that was split and that for the test.
    pub(super) fn inputs(&self) -> (&[Input], &[Input]) {
        (&self.made.data, &self.made.test)
    }

    /// How many positions were left out because their player has no legal move.
    pub(super) fn dropped(&self) -> u64 {
        self.manifest.dropped
    }

    /// How many training positions of a phase have labels of each kind.
    pub(super) fn labels(&self, phase: Phase) -> &[(String, u64)] {
        &self.manifest.phases[phase.index()].labels
    }

    fn entry(&self, part: Part, phase: Phase) -> &FileEntry {
        self.manifest.phases[phase.index()].of(Content::Part(part))
    }
}

impl Manifest {
    fn parse(text: &[u8]) -> Result<(Self, Made), String> {
        let manifest: Self = serde_json::from_slice(text).map_err(|error| {
            format!("it is no manifest of a dataset: {}", quoted_reason(&error))
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
        let made = Made::deserialize(&manifest.provenance).map_err(|error| {
            format!("its provenance is none of a dataset: {}", quoted_reason(&error))
        })?;
        Ok((manifest, made))
    }
}

impl PhaseEntry {
    fn of(&self, content: Content) -> &FileEntry {
        match content {
            Content::Part(Part::Training) => &self.training,
            Content::Part(Part::Validation) => &self.validation,
            Content::Part(Part::Test) => &self.test,
            Content::Sums => &self.sums,
        }
    }
}
