//! The locks of a run: one for each shard, and one for packing the parts into the output.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::Shard;
use crate::file::{FileError, Result, lock, names_in, patiently};

const PACKING: &str = "lock-pack";

/// A lock file that this process holds. The system releases it when the process ends.
#[derive(Debug)]
pub(super) struct Lock {
    pub(super) path: PathBuf,
    /// The lock is held as long as this file is open.
    _file: File,
}

impl Lock {
    /// Takes the lock of a shard. Fails if another process makes a shard that shares parts with it.
    pub(super) fn of_shard(folder: &Path, output: &Path, shard: Shard) -> Result<Self> {
        let path = folder.join(name_of(shard));
        let lock = Self::take(path, output)?;
        Self::refuse_overlapping(folder, output, shard, Some(&lock.path))?;
        Ok(lock)
    }

    /// Returns an error if another process holds the lock of a shard that shares a part with
    /// `shard`, even in another division of the run (1/2 and 3/4 do). Ignores the lock `own`.
    /// Creates no file.
    pub(super) fn refuse_overlapping(
        folder: &Path,
        output: &Path,
        shard: Shard,
        own: Option<&Path>,
    ) -> Result<()> {
        let held = shards_with_lock(folder)?
            .into_iter()
            .find(|(path, other)| Some(&**path) != own && other.overlaps(shard) && is_held(path));
        held.map_or(Ok(()), |(path, _)| Err(refused(&path, output)))
    }

    pub(super) fn for_packing(folder: &Path, output: &Path) -> Result<Self> {
        Self::take(folder.join(PACKING), output)
    }

    fn take(path: PathBuf, output: &Path) -> Result<Self> {
        // Another process may hold the lock for an instant, to find out whether it is held.
        let mut file = patiently(|| lock(&path)).map_err(|error| match error {
            FileError::Busy { .. } => refused(&path, output),
            error => error,
        })?;
        // The text in the lock file serves only messages, so a failed write is ignored.
        let holder = format!("process {}\n", std::process::id());
        let written = file.set_len(0).and_then(|()| file.rewind());
        let _ = written.and_then(|()| file.write_all(holder.as_bytes()));
        Ok(Self { path, _file: file })
    }

    pub(super) fn check_is_alone(&self, folder: &Path, output: &Path) -> Result<()> {
        let others = shards_with_lock(folder)?.into_iter().map(|(path, _)| path);
        let mut others = others.chain([folder.join(PACKING)]).filter(|path| *path != self.path);
        others.find(|path| is_held(path)).map_or(Ok(()), |path| Err(refused(&path, output)))
    }
}

fn name_of(shard: Shard) -> String {
    format!("lock-{}-of-{}", shard.number(), shard.count())
}

fn shard_of(name: &str) -> Option<Shard> {
    name.strip_prefix("lock-")?.replacen("-of-", "/", 1).parse().ok()
}

pub(super) fn is_lock(name: &str) -> bool {
    name == PACKING || shard_of(name).is_some()
}

fn shards_with_lock(folder: &Path) -> Result<Vec<(PathBuf, Shard)>> {
    let lock = |name: String| Some((folder.join(&name), shard_of(&name)?));
    Ok(names_in(folder)?.into_iter().filter_map(lock).collect())
}

/// Returns true if another process holds the lock of the file at `path`. Never creates the file.
fn is_held(path: &Path) -> bool {
    let would_block = |file: File| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock));
    File::open(path).is_ok_and(would_block)
}

fn refused(path: &Path, output: &Path) -> FileError {
    let work = match path.file_name().and_then(|name| shard_of(name.to_str()?)) {
        Some(shard) if !shard.is_whole() => format!("makes shard {shard} of it"),
        Some(_) => "makes it".to_owned(),
        None => "packs its parts".to_owned(),
    };
    let mut holder = String::new();
    let read = File::open(path).and_then(|file| file.take(200).read_to_string(&mut holder));
    let holder = match (read, holder.trim()) {
        (Ok(_), holder) if !holder.is_empty() => format!(" ({holder})"),
        _ => String::new(),
    };
    let source =
        io::Error::new(io::ErrorKind::WouldBlock, format!("another process{holder} {work}"));
    FileError::Busy { path: output.to_owned(), source }
}
