use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Plan, Shard, Stage};
use crate::file::{
    FileError, Kind, Result, folder_of, is_at, lock, names_in, patiently, read_ordinary,
    refuse_shown_within, remove_if_there, sync_folder,
};

const MANIFEST: &str = "run.json";
const FORMAT: &str = "othello-run 1";
const MAX_MANIFEST_BYTES: u64 = 1 << 22;

#[derive(Serialize, Deserialize)]
struct Manifest {
    format: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    growing: Option<String>,
    provenance: Map<String, Value>,
    stages: Vec<StageEntry>,
}

#[derive(Serialize, Deserialize)]
struct StageEntry {
    #[serde(flatten)]
    stage: Stage,
    parts: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
}

impl Folder {
    pub(super) fn of(output: &Path) -> Self {
        Self { path: output.with_added_extension("parts") }
    }

    /// Creates the folder of the parts. Refuses an existing folder that has foreign files but no
    /// `run.json`.
    pub(super) fn create(&self) -> Result<()> {
        refuse_shown_within(&self.path)?;
        match fs::create_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let foreign = self.names()?.into_iter().find(|name| !is_of_run(name));
                let foreign = foreign.filter(|_| !self.path.join(MANIFEST).exists());
                let reason = |name| format!("it is not the folder of a run: it has `{name}`");
                foreign.map_or(Ok(()), |name| Err(FileError::exists(&self.path, reason(name))))
            }
            created => created.map_err(FileError::io(&self.path, "make the folder")),
        }
    }

    /// Returns the path of part `number`, counted from 0 over the parts of all stages.
    pub(super) fn part(&self, number: u64) -> PathBuf {
        self.path.join(format!("part-{number:06}"))
    }

    pub(super) fn snapshot(&self, number: u64) -> PathBuf {
        self.path.join(format!("part-{number:06}.snapshot"))
    }

    pub(super) fn numbers(&self) -> Result<impl Iterator<Item = u64>> {
        Ok(self.names()?.into_iter().filter_map(|name| number_of(&name)))
    }

    pub(super) fn has_work(&self) -> bool {
        self.names().is_ok_and(|names| names.iter().any(|name| name.starts_with("part-")))
    }

    pub(super) fn read(&self) -> Result<Option<Plan>> {
        let path = self.path.join(MANIFEST);
        let text = match read_ordinary(&path, MAX_MANIFEST_BYTES) {
            Err(error) if error.is_missing() => return Ok(None),
            text => text?,
        };
        let wrong = |reason| FileError::exists(&path, format!("it describes no run: {reason}"));
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        if manifest.format != FORMAT {
            return Err(wrong(format!("its format is not `{FORMAT}`")));
        }
        let stages: Vec<Stage> = manifest.stages.into_iter().map(|entry| entry.stage).collect();
        if stages.is_empty() {
            return Err(wrong("it has no stages".to_owned()));
        }
        Ok(Some(Plan {
            kind: Kind::find(|kind| manifest.output.as_deref() == Some(kind.name())),
            growing: manifest.growing.map(Into::into),
            provenance: manifest.provenance.into(),
            stages,
        }))
    }

    pub(super) fn partial_manifest(&self, shard: Shard) -> PathBuf {
        self.path.join(format!("{MANIFEST}.{}-of-{}.partial", shard.number(), shard.count()))
    }

    /// Writes `run.json`. Several processes may do so at once, because all write the same bytes.
    pub(super) fn write(&self, plan: &Plan, shard: Shard) -> Result<()> {
        let path = self.path.join(MANIFEST);
        let entry = |stage: &Stage| StageEntry { parts: stage.parts(), stage: stage.clone() };
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            output: plan.kind.map(|kind| kind.name().to_owned()),
            growing: plan.growing.as_ref().map(ToString::to_string),
            provenance: plan.provenance.as_map().clone(),
            stages: plan.stages.iter().map(entry).collect(),
        };
        let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
        let partial = self.partial_manifest(shard);
        remove_if_there(&partial)?;
        let written = File::create_new(&partial).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&partial, &path)?;
            sync_folder(&path)
        });
        written.map_err(|error| {
            let _ = fs::remove_file(&partial);
            FileError::io(&path, "write it")(error)
        })
    }

    pub(super) fn empty(&self) -> Result<()> {
        for name in self.names()?.iter().filter(|name| is_of_run(name) && !is_lock(name)) {
            remove_if_there(&self.path.join(name))?;
        }
        Ok(())
    }

    /// Removes the files of the run, then the folder. The lock file `own` is removed last, because
    /// other processes cannot add files to the folder while this process holds the lock.
    pub(super) fn remove(&self, own: &Lock) -> Result<()> {
        // If killed before `run.json` is removed, a later start can still remove the rest.
        let turn = |name: &String| match own.path.ends_with(name) {
            true => 3,
            false if is_lock(name) => 2,
            false => i32::from(name == MANIFEST),
        };
        let mut names = self.names()?;
        names.retain(|name| is_of_run(name));
        names.sort_by_key(turn);
        names.iter().try_for_each(|name| remove_if_there(&self.path.join(name)))?;
        // A folder with other files is not empty, so the system does not remove it.
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }

    pub(super) fn names(&self) -> Result<Vec<String>> {
        names_in(&self.path)
    }
}

fn number_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("part-")?;
    (digits.len() >= 6 && digits.bytes().all(|digit| digit.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

fn is_of_run(name: &str) -> bool {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    is_lock(name) || name.starts_with(MANIFEST) || number_of(stem).is_some()
}

const PACKING: &str = "lock-pack";

/// A lock that one process at a time holds: to make the parts of a shard, or to pack all parts.
#[derive(Debug)]
pub(super) struct Lock {
    pub(super) path: PathBuf,
    /// The lock is held as long as this file is open.
    file: File,
}

impl Lock {
    pub(super) fn of_shard(folder: &Path, shard: Shard) -> Result<Self> {
        let name = format!("lock-{}-of-{}", shard.number(), shard.count());
        let lock = Self::take(folder.join(name))?;
        Self::refuse_overlapping(folder, shard, Some(&lock.path))?;
        let packing = folder.join(PACKING);
        patiently(|| if is_held(&packing) { Err(refused(&packing)) } else { Ok(()) })?;
        // A run that ended in the meantime may have removed the lock file. From now on, the lock
        // prevents that.
        match lock.is_current() {
            true => Ok(lock),
            false => Err(FileError::io(&lock.path, "find it")(io::ErrorKind::NotFound.into())),
        }
    }

    pub(super) fn is_current(&self) -> bool {
        is_at(&self.file, &self.path).is_ok_and(|is_at| is_at)
    }

    /// Takes the lock for packing, which keeps other processes from starting work while this
    /// process removes the folder. Returns an error if another process holds this lock or the lock
    /// of a shard.
    pub(super) fn for_removal(&self) -> Result<Self> {
        let folder = folder_of(&self.path);
        let packing = Self::for_packing(folder)?;
        Self::refuse_overlapping(folder, Shard::WHOLE, Some(&self.path)).map(|()| packing)
    }

    /// Returns an error if another process holds the lock of a shard that overlaps `shard`, as 1/2
    /// (parts 0, 2, 4, …) and 3/4 (parts 2, 6, …) do. Ignores the lock `own` of this process.
    pub(super) fn refuse_overlapping(
        folder: &Path,
        shard: Shard,
        own: Option<&Path>,
    ) -> Result<()> {
        let held = shards_with_lock(folder)?
            .into_iter()
            .find(|(path, other)| Some(&**path) != own && other.overlaps(shard) && is_held(path));
        held.map_or(Ok(()), |(path, _)| Err(refused(&path)))
    }

    pub(super) fn for_packing(folder: &Path) -> Result<Self> {
        Self::take(folder.join(PACKING))
    }

    fn take(path: PathBuf) -> Result<Self> {
        let mut file = patiently(|| lock(&path)).map_err(|error| match error {
            FileError::Busy { .. } => refused(&path),
            error => error,
        })?;
        // The text in the lock file serves only messages, so a failed write is ignored.
        let holder = format!("process {}\n", std::process::id());
        let written = file.set_len(0).and_then(|()| file.rewind());
        let _ = written.and_then(|()| file.write_all(holder.as_bytes()));
        Ok(Self { path, file })
    }

    pub(super) fn check_is_alone(&self) -> Result<()> {
        let (folder, packing) = (folder_of(&self.path), self.path.with_file_name(PACKING));
        Self::refuse_overlapping(folder, Shard::WHOLE, Some(&self.path))?;
        if is_held(&packing) { Err(refused(&packing)) } else { Ok(()) }
    }
}

fn shard_of(name: &str) -> Option<Shard> {
    name.strip_prefix("lock-")?.replacen("-of-", "/", 1).parse().ok()
}

pub(super) fn is_lock(name: &str) -> bool {
    name == PACKING || shard_of(name).is_some()
}

fn shards_with_lock(folder: &Path) -> Result<Vec<(PathBuf, Shard)>> {
    let lock = |name: String| Some((folder.join(&name), shard_of(&name)?));
    let names = match names_in(folder) {
        // Also if a part of the path is a file: whoever makes the folder reports that.
        Err(_) if !folder.is_dir() => vec![],
        names => names?,
    };
    Ok(names.into_iter().filter_map(lock).collect())
}

fn is_held(path: &Path) -> bool {
    let would_block =
        |file: File| matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock));
    // Opening a pipe would wait for its other end.
    path.is_file() && File::open(path).is_ok_and(would_block)
}

/// Returns the error that another process has locked the file `path`. The message names the run's
/// output and, if known, that process.
fn refused(path: &Path) -> FileError {
    let work = match path.file_name().and_then(|name| shard_of(name.to_str()?)) {
        Some(shard) if !shard.is_whole() => format!("makes shard {shard} of it"),
        Some(_) => "makes it".to_owned(),
        None => "packs its parts".to_owned(),
    };
    let holder = File::open(path).and_then(|file| io::read_to_string(file.take(200)));
    let holder = match holder.unwrap_or_default().trim() {
        "" => String::new(),
        holder => format!(" ({holder})"),
    };
    let output = folder_of(path).with_extension("");
    FileError::busy(&output, format!("another process{holder} {work}"))
}
