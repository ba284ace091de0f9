//! A dataset laid out in a folder once, for fits on many machines that share it: a file of positions for
//! each phase and part, and a manifest that says what they were made from and what is in them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{Begin, Existing, FileError, Provenance, plain};
use othello_engine::progress::{Interrupted, Progress};
use othello_engine::record::{PositionReader, PositionWriter, RecordError, ScoredPosition};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::runs::{Output, Stretch, map};
use super::stored::StoredRows;
use super::{Dataset, Input, MemoryLimit, Part, Split};
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

impl Dataset {
    /// Writes the dataset to a folder. Files that are complete are not written again, and the manifest comes
    /// last.
    pub fn write(
        &self,
        folder: &Path,
        settings: &LayoutSettings,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<DatasetFolder, FolderError> {
        fs::create_dir_all(folder).map_err(|source| FileError::Io {
            path: folder.to_owned(),
            action: "create it",
            source,
        })?;
        let path = folder.join(MANIFEST);
        let provenance = self.provenance(settings);
        if existing == Existing::Keep && path.exists() {
            let there = DatasetFolder::open(folder)?;
            if there.manifest.provenance == json!(provenance.as_map()) {
                progress.begin(FILES, FILE_COUNT, FILE_COUNT);
                return Ok(there);
            }
            let reason = "it was made from other data or settings".to_owned();
            return Err(FileError::Exists { path, reason }.into());
        }
        progress.begin_stoppable(FILES, 0, FILE_COUNT);
        let phases: Vec<Phase> = Phase::all().collect();
        let entry = |&phase: &Phase| -> Result<PhaseEntry, FolderError> {
            let file = |part| self.write_part(folder, part, phase, &provenance, existing, progress);
            Ok(PhaseEntry {
                labels: self.labels(phase),
                training: file(Part::Training)?,
                validation: file(Part::Validation)?,
                test: file(Part::Test)?,
            })
        };
        let phases = phases.par_iter().map(entry).collect::<Result<_, _>>()?;
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            provenance: json!(provenance.as_map()),
            games: self.games(),
            dropped: self.dropped(),
            phases,
        };
        let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
        plain::write(&path, text.as_bytes(), existing)?;
        DatasetFolder::open(folder)
    }

    fn provenance(&self, settings: &LayoutSettings) -> Provenance {
        Provenance::new("dataset")
            .with("data", json!(self.inputs()))
            .with("test", json!(self.test_inputs()))
            .with("settings", json!(settings))
    }

    fn write_part(
        &self,
        folder: &Path,
        part: Part,
        phase: Phase,
        provenance: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<FileEntry, FolderError> {
        progress.check()?;
        let rows = self.part(part, phase);
        let provenance =
            provenance.clone().with("phase", phase.index()).with("part", part.to_string());
        let path = folder.join(file_name(part, phase));
        let summary = match PositionWriter::begin(&path, &provenance, existing)? {
            Begin::Done(summary) => summary,
            Begin::Writer(mut writer) => {
                progress.warn(writer.warning());
                writer.compare_from_start();
                rows.iter().try_for_each(|&row| writer.push(row))?;
                progress.warn(writer.end_comparison()?);
                writer.finish()?
            }
        };
        progress.advance(1);
        Ok(FileEntry { positions: rows.len() as u64, sha256: summary.sha256 })
    }
}

/// How progress calls the writing.
const FILES: &str = "dataset (files)";
const FILE_COUNT: u64 = (PHASES * Part::ALL.len()) as u64;

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

    /// Reads some of the phases, with no more than so much memory: what does not fit is mapped from a
    /// temporary file. The other phases have no positions then.
    pub fn read(
        &self,
        phases: &[Phase],
        limit: Option<&MemoryLimit>,
        progress: &dyn Progress,
    ) -> Result<Dataset, FolderError> {
        let wanted: Vec<(Part, Phase)> =
            phases.iter().flat_map(|&phase| Part::ALL.map(|part| (part, phase))).collect();
        progress.begin_stoppable(READ, 0, wanted.len() as u64);
        let all = wanted.iter().map(|&(part, phase)| self.entry(part, phase).positions);
        let bytes = all
            .fold(0u64, |sum, rows| sum.saturating_add(rows))
            .saturating_mul(size_of::<ScoredPosition>() as u64);
        let parts = match limit.filter(|limit| bytes > limit.bytes) {
            None => self.read_into_memory(&wanted, progress)?,
            Some(limit) => self.read_into_file(&wanted, limit, progress)?,
        };
        let Manifest { games, dropped, phases, .. } = self.manifest.clone();
        let Made { data, test, .. } = self.made.clone();
        let [training, validation, of_test] = parts;
        Ok(Dataset {
            training,
            validation,
            test: of_test,
            inputs: data,
            test_inputs: test,
            games,
            labels: phases.into_iter().map(|phase| phase.labels).collect(),
            dropped,
        })
    }

    fn read_into_memory(
        &self,
        wanted: &[(Part, Phase)],
        progress: &dyn Progress,
    ) -> Result<[Vec<StoredRows>; 3], FolderError> {
        let read = |&(part, phase): &(Part, Phase)| {
            let mut rows = vec![];
            self.read_part::<FolderError>(part, phase, progress, |frame| {
                rows.extend(frame);
                Ok(())
            })?;
            rows.shrink_to_fit();
            Ok(((part, phase), StoredRows::from(rows)))
        };
        let read = wanted.par_iter().map(read).collect::<Result<Vec<_>, FolderError>>()?;
        let mut parts = [(); 3].map(|()| vec![StoredRows::from(vec![]); PHASES]);
        for ((part, phase), rows) in read {
            parts[part as usize][phase.index()] = rows;
        }
        Ok(parts)
    }

    fn read_into_file(
        &self,
        wanted: &[(Part, Phase)],
        limit: &MemoryLimit,
        progress: &dyn Progress,
    ) -> Result<[Vec<StoredRows>; 3], FolderError> {
        let failed = |failure| match failure {
            Failure::Folder(error) => error,
            Failure::Temporary(source) => {
                let (folder, megabytes) = (limit.folder.clone(), limit.bytes >> 20);
                FolderError::Temporary { folder, megabytes, source }
            }
        };
        let read = || -> Result<_, Failure> {
            let file = tempfile::tempfile_in(&limit.folder)?;
            let mut output = Output::new(&file);
            let mut stretches = [(); 3].map(|()| vec![Stretch::default(); PHASES]);
            for &(part, phase) in wanted {
                stretches[part as usize][phase.index()] = output.append::<Failure>(|write| {
                    self.read_part::<Failure>(part, phase, progress, |frame| {
                        Ok(frame.into_iter().try_for_each(&mut *write)?)
                    })
                })?;
            }
            Ok(map(&file, stretches)?)
        };
        read().map_err(failed)
    }

    /// Hands the frames of a file to `take`, each row in its phase, and checks that they are those of the
    /// manifest.
    fn read_part<E: From<FolderError>>(
        &self,
        part: Part,
        phase: Phase,
        progress: &dyn Progress,
        mut take: impl FnMut(Vec<ScoredPosition>) -> Result<(), E>,
    ) -> Result<(), E> {
        let expected = self.entry(part, phase);
        let path = self.path.join(file_name(part, phase));
        let wrong = |found: String, expected: String| FolderError::Content {
            path: path.clone(),
            found,
            expected,
        };
        let mut reader = PositionReader::open(&path).map_err(FolderError::from)?;
        let mut positions = 0;
        while let Some(frame) = reader.next_frame().map_err(FolderError::from)? {
            progress.check().map_err(FolderError::from)?;
            positions += frame.len() as u64;
            if positions > expected.positions {
                break;
            }
            if frame.iter().any(|row| Phase::of(&row.position()) != Some(phase)) {
                let found = "a position of another phase".to_owned();
                return Err(wrong(found, format!("positions of phase {phase}")).into());
            }
            take(frame)?;
        }
        if positions != expected.positions {
            let count = |positions: u64| format!("{positions} positions");
            return Err(wrong(count(positions), count(expected.positions)).into());
        }
        let sha256 = reader.sha256().unwrap_or_default();
        if sha256 != expected.sha256 {
            let sum = |sha256: &str| format!("the sha256 {sha256}");
            return Err(wrong(sum(sha256), sum(&expected.sha256)).into());
        }
        progress.advance(1);
        Ok(())
    }

    fn entry(&self, part: Part, phase: Phase) -> &FileEntry {
        self.manifest.phases[phase.index()].of(part)
    }
}

/// What ends the reading into a temporary file.
enum Failure {
    Folder(FolderError),
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

/// How progress calls the reading.
const READ: &str = "dataset (files read)";

impl PhaseEntry {
    fn of(&self, part: Part) -> &FileEntry {
        match part {
            Part::Training => &self.training,
            Part::Validation => &self.validation,
            Part::Test => &self.test,
        }
    }
}
