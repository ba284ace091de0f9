//! A dataset in a folder, for fits on many machines: a file of positions for each phase and subset
//! (training, validation or test), and a manifest with the origin and the checksums of the files.

mod make;

use std::fs;
use std::path::{Path, PathBuf};

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{
    Existing, FileError, Kind, Provenance, Reader, check_output, kind_of, plain, read_ordinary,
    sha256_of_file,
};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::{PositionReader, PositionWriter, ROW_BYTES};
use othello_engine::text::{excerpt, quoted_reason};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::sorted_run::RowSink;
use super::{Counts, Dataset, Input, LayoutSettings, PhaseRows, Subset};
use crate::memory::MemoryLimit;
use crate::source::Result;

/// A folder that contains a dataset, and its manifest.
#[derive(Clone)]
pub struct DatasetFolder {
    path: PathBuf,
    manifest: Manifest,
    made: DatasetProvenance,
}

/// The content of `dataset.json`. This file is written last, so that it marks a complete dataset.
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
/// The greatest permitted size of a manifest in bytes. A manifest that lists thousands of input
/// files is smaller.
const LONGEST_MANIFEST: u64 = 64 << 20;

impl DatasetFolder {
    /// Returns true if the folder has a dataset's manifest, valid or not.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(MANIFEST).exists()
    }

    /// Returns the SHA-256 of the manifest, which lists the checksums of all files of the dataset.
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

    /// Checks the text of a manifest. Returns the reason as the error if the text is not valid.
    pub fn check(text: &[u8]) -> Result<(), String> {
        Manifest::parse(text).map(drop)
    }

    /// Returns the number of training games, as [`Dataset::games`] counts them.
    pub fn games(&self) -> u64 {
        self.manifest.games
    }

    /// Returns the settings with which the dataset was made.
    pub fn settings(&self) -> &LayoutSettings {
        &self.made.settings
    }

    /// Reads the positions of the given phases. If they need more memory than `limit`, they go to
    /// temporary files.
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
        let bytes = all.fold(0, u64::saturating_add).saturating_mul(ROW_BYTES as u64);
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
            let (mut file, mut rows) = (PositionReader::open(&path)?, RowSink::new(limit, 0));
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
            let found = file.sha256().unwrap_or_default();
            if found != sha256 {
                wrong(format!("the sha256 {found}"), format!("the sha256 {sha256}"))?;
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
        let Manifest { games, dropped, phases: entries, .. } = &self.manifest;
        let counts = Counts {
            games: *games,
            dropped: *dropped,
            labels: entries.iter().map(|phase| phase.labels.clone()).collect(),
            ..Counts::default()
        };
        Ok(Dataset { phases, counts, inputs: data, test_inputs: test, ..Dataset::default() })
    }

    fn entry(&self, subset: Subset, phase: Phase) -> &FileEntry {
        let PhaseEntry { training, validation, test, .. } = &self.manifest.phases[phase.index()];
        match subset {
            Subset::Training => training,
            Subset::Validation => validation,
            Subset::Test => test,
        }
    }

    fn has_all_files(&self) -> bool {
        files().par_bridge().all(|(subset, phase)| {
            let there = sha256_of_file(&self.path.join(file_name(subset, phase)), &Silent);
            there.is_ok_and(|sha256| sha256 == self.entry(subset, phase).sha256)
        })
    }

    /// Returns an error if the folder cannot be written, or if a file of the dataset would replace
    /// one of the `inputs`. Without `Existing::Replace`, also returns an error if the folder has
    /// other files of games or positions, which a reader could take for a part of the dataset.
    pub fn check_place<P: AsRef<Path>>(
        folder: &Path,
        inputs: &[P],
        existing: Existing,
    ) -> Result<()> {
        check_output(&folder.join(MANIFEST), inputs)?;
        for (subset, phase) in files() {
            check_output(&folder.join(file_name(subset, phase)), inputs)?;
        }
        if existing == Existing::Replace {
            return Ok(());
        }
        let unreadable = FileError::io(folder, "read it");
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_own = files().any(|(subset, phase)| name.starts_with(&file_name(subset, phase)));
            let is_record = kind_of(&path).is_ok_and(Kind::is_of_records);
            if name == "records.json" || (is_record && !is_own) {
                let reason = "this is a file of records; expected a folder for the dataset alone";
                return Err(FileError::exists(&path, reason).into());
            }
        }
        Ok(())
    }
}

impl Manifest {
    fn parse(text: &[u8]) -> Result<(Self, DatasetProvenance), String> {
        let manifest: Self = serde_json::from_slice(text).map_err(|error| {
            format!("it is not the manifest of a dataset: {}", quoted_reason(&error))
        })?;
        let Self { format, version, phases, .. } = &manifest;
        if format != FORMAT || *version != VERSION {
            let found = format!("found `{}` of {version}", excerpt(format));
            return Err(format!("expected `{FORMAT}` of version {VERSION}, {found}"));
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

impl Dataset {
    fn write(
        &self,
        folder: &Path,
        provenance: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<()> {
        fs::create_dir_all(folder).map_err(FileError::io(folder, "create it"))?;
        progress.begin_stoppable(FILES, 0, FILE_COUNT);
        let phases: Vec<Phase> = Phase::all().collect();
        let file = |subset, phase| -> Result<FileEntry> {
            progress.check()?;
            let rows = self.subset(subset, phase);
            let provenance = provenance_of_file(provenance, subset, phase);
            let path = folder.join(file_name(subset, phase));
            let mut file = PositionWriter::begin(&path, &provenance, existing)?;
            rows.iter().try_for_each(|&row| file.push(row))?;
            let summary = file.finish()?;
            progress.advance(1);
            Ok(FileEntry { positions: rows.len() as u64, sha256: summary.sha256 })
        };
        let entry = |&phase: &Phase| -> Result<PhaseEntry> {
            Ok(PhaseEntry {
                labels: self.labels(phase),
                training: file(Subset::Training, phase)?,
                validation: file(Subset::Validation, phase)?,
                test: file(Subset::Test, phase)?,
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
        Ok(plain::write(&folder.join(MANIFEST), text.as_bytes(), existing).map(drop)?)
    }
}

fn provenance(data: &[Input], test: &[Input], settings: &LayoutSettings) -> Provenance {
    Provenance::new("dataset")
        .with("data", json!(data))
        .with("test", json!(test))
        .with("settings", json!(settings))
}

fn provenance_of_file(dataset: &Provenance, subset: Subset, phase: Phase) -> Provenance {
    dataset.clone().with("phase", phase.index()).with("part", subset.to_string())
}

const FILES: &str = "dataset (files)";
const FILE_COUNT: u64 = (PHASES * Subset::ALL.len()) as u64;

fn files() -> impl Iterator<Item = (Subset, Phase)> + Send {
    Phase::all().flat_map(|phase| Subset::ALL.map(|subset| (subset, phase)))
}

/// Returns an error if the folder contains a dataset, complete or not, that was made from other
/// inputs or settings.
fn check_are_own(folder: &Path, provenance: &Provenance) -> Result<()> {
    if DatasetFolder::is_at(folder)
        && DatasetFolder::open(folder)?.manifest.provenance != json!(provenance.as_map())
    {
        let reason = "it was made from other data or settings";
        return Err(FileError::exists(&folder.join(MANIFEST), reason).into());
    }
    for (subset, phase) in files() {
        let path = folder.join(file_name(subset, phase));
        let wanted = provenance_of_file(provenance, subset, phase);
        let error = match Reader::open(&path, Kind::Positions) {
            Ok(reader) if *reader.provenance() == wanted => continue,
            Err(_) if !path.exists() => continue,
            Ok(reader) => FileError::other_settings(&path, reader.provenance(), &wanted),
            Err(_) => FileError::exists(&path, "it is not a file of positions"),
        };
        return Err(error.into());
    }
    Ok(())
}
