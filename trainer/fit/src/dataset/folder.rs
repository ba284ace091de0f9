//! A dataset that is laid out in a folder once, for fits on many machines that share it. The folder
//! holds a file of positions for each phase and part, and a manifest of their origin and content.

mod place;
mod read;
mod write;

pub(super) use read::{ExactRows, FolderRows};

use std::io;
use std::path::{Path, PathBuf};

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{FileError, Provenance, read_ordinary};
use othello_engine::progress::Interrupted;
use othello_engine::record::RecordError;
use othello_engine::text::{excerpt, quoted_reason};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::held_out::Input;
use super::{Part, Split};
use crate::memory::NoRoom;
use crate::source::LabelRules;

/// The settings that decide a dataset besides its inputs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LayoutSettings {
    /// The rules for the labels of a game's positions.
    pub labels: LabelRules,
    /// The split of the games.
    #[serde(flatten)]
    pub split: Split,
}

impl LayoutSettings {
    /// Returns the differences of a dataset laid out with the settings `there`, for a message.
    pub fn differences(&self, there: &Self) -> String {
        let provenance =
            |settings: &Self| Provenance::new("dataset").with("settings", json!(settings));
        Provenance::differences(&provenance(there), &provenance(self))
    }
}

/// A folder with a dataset, and its manifest.
#[derive(Clone)]
pub struct DatasetFolder {
    path: PathBuf,
    manifest: Manifest,
    made: Made,
}

/// The file `dataset.json`, which is written last.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Manifest {
    format: String,
    version: u32,
    provenance: serde_json::Value,
    games: u64,
    dropped: u64,
    phases: Vec<PhaseEntry>,
}

/// The part of the provenance that a fit needs.
#[derive(Clone, PartialEq, Debug, Deserialize)]
struct Made {
    data: Vec<Input>,
    test: Vec<Input>,
    settings: LayoutSettings,
}

/// The entry of a phase in the manifest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct PhaseEntry {
    labels: Vec<(String, u64)>,
    training: FileEntry,
    validation: FileEntry,
    test: FileEntry,
    sums: FileEntry,
}

/// The content of a file of a phase.
#[derive(Clone, Copy, derive_more::Display)]
#[display(rename_all = "lowercase")]
enum Content {
    /// The positions of a part.
    Part(Part),
    /// The exact sums of merged training positions whose merged row had to be rounded. They allow
    /// merging more positions later.
    Sums,
}

impl Content {
    /// Returns the contents that every phase has a file for.
    fn all() -> impl Iterator<Item = Self> {
        Part::ALL.into_iter().map(Self::Part).chain([Self::Sums])
    }

    fn file_name(self, phase: Phase) -> String {
        format!("{self}-{:02}.positions", phase.index())
    }
}

/// The manifest's entry of a file: the number of its positions, and the checksum of its content.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct FileEntry {
    positions: u64,
    sha256: String,
}

/// Errors of reading or writing a folder with a dataset.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file of positions cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The folder or its manifest cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The manifest is not valid.
    #[error("{}: {reason}; lay the dataset out again with `dataset`", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A dataset was laid out with other settings than the current ones.
    #[error("{}: was laid out by other settings ({differences}): name the same, or lay its data out again",
        path.display())]
    Settings {
        /// The folder.
        path: PathBuf,
        /// The settings that differ.
        differences: String,
    },
    /// A file is not the one that the manifest lists.
    #[error("{}: it has {found}, where {MANIFEST} says {expected}; lay the dataset out again with \
        `dataset`", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The content found.
        found: String,
        /// The content expected.
        expected: String,
    },
    /// A dataset stands where records are wanted.
    #[error("{}: a dataset that was laid out has no games any more; name the records that it was \
        laid out from", path.display())]
    LaidOut {
        /// The folder.
        path: PathBuf,
    },
    /// There is no room for the temporary file.
    #[error(transparent)]
    Temporary(#[from] NoRoom),
    /// The work was stopped; complete files are kept.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
}

/// Errors of work on rows in files, some of them temporary.
#[derive(derive_more::From)]
pub(super) enum Failure {
    /// A folder with a dataset fails.
    Folder(FolderError),
    /// A temporary file fails.
    Temporary(io::Error),
}

/// The name of the manifest.
const MANIFEST: &str = "dataset.json";
/// The format that the manifest of a dataset names.
const FORMAT: &str = "othello dataset";
/// The version of folders that this program writes, and the only one that it reads.
const VERSION: u32 = 2;
/// The largest manifest that is read, in bytes: enough for thousands of inputs.
const LONGEST_MANIFEST: u64 = 64 << 20;

impl DatasetFolder {
    /// Returns true if the folder has a manifest, valid or not.
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

    /// Checks the text of a manifest.
    ///
    /// # Errors
    ///
    /// Returns the reason why it is not valid.
    pub fn check(text: &[u8]) -> Result<(), String> {
        Manifest::parse(text).map(drop)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the settings of labels and split.
    pub fn settings(&self) -> &LayoutSettings {
        &self.made.settings
    }

    /// Returns the number of games in training.
    pub fn games(&self) -> u64 {
        self.manifest.games
    }

    /// Returns the number of rows in all files together.
    pub(super) fn rows_in_all(&self) -> u64 {
        let files = self.manifest.phases.iter().flat_map(|phase| {
            [&phase.training, &phase.validation, &phase.test, &phase.sums]
                .map(|file| file.positions)
        });
        files.fold(0, u64::saturating_add)
    }

    /// Returns the inputs: first the data that was split, then the test data.
    pub(super) fn inputs(&self) -> (&[Input], &[Input]) {
        (&self.made.data, &self.made.test)
    }

    /// Returns the number of positions left out because their player has no legal move.
    pub(super) fn dropped(&self) -> u64 {
        self.manifest.dropped
    }

    /// Returns the number of training positions of a phase by kind of label.
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
