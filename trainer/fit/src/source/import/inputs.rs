//! The files to import.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use othello_engine::progress::Progress;

use crate::source::{Entries, SourceError, checksum};

/// Files in a fixed order: in the order named; those of a folder, sorted by name.
pub(super) struct Inputs {
    files: Vec<PathBuf>,
    bytes: u64,
}

impl Inputs {
    /// Collects files, and the visible files in folders. If an extension is given, only such files
    /// are taken from folders.
    pub(super) fn find(paths: &[PathBuf], extension: Option<&str>) -> Result<Self, SourceError> {
        let mut files = vec![];
        for path in paths {
            if path.is_dir() {
                files.extend(in_folder(path, extension)?);
            } else {
                files.push(path.clone());
            }
        }
        let mut bytes = 0;
        for file in &files {
            let metadata = fs::metadata(file);
            bytes += metadata.map_err(SourceError::io(file, "read it"))?.len();
        }
        Ok(Self { files, bytes })
    }

    pub(super) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    pub(super) fn checksums(&self, progress: &dyn Progress) -> Result<Vec<String>, SourceError> {
        progress.begin("checksums (bytes)", 0, self.bytes);
        self.files.iter().map(|file| checksum(file, progress)).collect()
    }

    /// Passes every entry to `take`; passes `None` for a refused one, which is reported.
    pub(super) fn read<T, E: Entries<T>>(
        &self,
        open: fn(&Path) -> Result<E, SourceError>,
        is_done: bool,
        progress: &dyn Progress,
        mut take: impl FnMut(Option<T>) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let done = if is_done { self.bytes } else { 0 };
        progress.begin_stoppable("import (bytes)", done, self.bytes);
        let mut rejected = 0_u64;
        for file in &self.files {
            let (mut entries, mut shown) = (open(file)?, 0);
            while let Some(entry) = entries.next() {
                progress.check()?;
                let entry = entry?.map_err(|rejection| {
                    rejected += 1;
                    if rejected <= MOST_TOLD {
                        progress.message(&format!("rejected: {rejection}"));
                    }
                });
                take(entry.ok())?;
                if !is_done {
                    progress.advance(entries.bytes_read().saturating_sub(shown));
                }
                shown = entries.bytes_read();
            }
        }
        if rejected > MOST_TOLD {
            progress.message(&format!("rejected: {} more", rejected - MOST_TOLD));
        }
        Ok(())
    }
}

/// The greatest number of rejections that are reported one by one.
const MOST_TOLD: u64 = 100;

fn in_folder(folder: &Path, extension: Option<&str>) -> Result<Vec<PathBuf>, SourceError> {
    let unreadable = |source| SourceError::Folder { folder: folder.to_owned(), source };
    let mut files = vec![];
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let fits =
            |wanted| path.extension().is_some_and(|own: &OsStr| own.eq_ignore_ascii_case(wanted));
        if path.is_file() && !hidden && extension.is_none_or(fits) {
            files.push(path);
        }
    }
    if files.is_empty() {
        let kind = extension.unwrap_or("ordinary").to_owned();
        return Err(SourceError::NoFile { kind, folder: folder.to_owned() });
    }
    files.sort_unstable();
    Ok(files)
}
