//! A dataset in a folder, for fits on many machines: a file of positions for each phase and subset,
//! and a manifest of their origin and content.

mod make;
mod read;
mod write;

use std::path::{Path, PathBuf};

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{FileError, Provenance, read_ordinary, sha256_of_file};
use othello_engine::progress::Silent;
use othello_engine::text::{as_text, excerpt, quoted_reason};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Counts, Excluded, Filter, Input, Split, Subset};
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
    /// Returns settings without a filter.
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

    /// Returns the number of training games, as [`super::Dataset::games`] counts them.
    pub fn games(&self) -> u64 {
        self.manifest.games
    }

    /// Returns the settings with which the dataset was made.
    pub fn settings(&self) -> &LayoutSettings {
        &self.made.settings
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
