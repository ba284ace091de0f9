//! The files to import.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use othello_engine::progress::Progress;
use sha2::{Digest as _, Sha256};

use crate::source::{Entries, SourceError};

/// Files in a fixed order: as named, and those of a folder by name.
pub(super) struct Inputs {
    files: Vec<PathBuf>,
    bytes: u64,
}

impl Inputs {
    /// Files, and the files in folders: those with this extension if there is one. Hidden files of
    /// a folder are passed over.
    pub(super) fn find(paths: &[PathBuf], extension: Option<&str>) -> anyhow::Result<Self> {
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
            bytes += metadata.with_context(|| format!("cannot open {}", file.display()))?.len();
        }
        Ok(Self { files, bytes })
    }

    /// The SHA-256 of each file.
    pub(super) fn checksums(&self, progress: &dyn Progress) -> anyhow::Result<Vec<String>> {
        progress.begin("checksums (bytes)", 0, self.bytes);
        self.files.iter().map(|file| checksum(file, progress)).collect()
    }

    /// Hands every record that is taken to `take`; the others are listed and counted.
    pub(super) fn read<T, E: Entries<T>>(
        &self,
        open: fn(&Path) -> Result<E, SourceError>,
        progress: &dyn Progress,
        mut take: impl FnMut(T) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        progress.begin("import (bytes)", 0, self.bytes);
        let mut rejected = 0;
        for file in &self.files {
            let mut entries = open(file)?;
            let mut read = 0;
            while let Some(entry) = entries.next() {
                match entry? {
                    Ok(record) => take(record)?,
                    Err(rejection) => {
                        rejected += 1;
                        progress.message(&format!("rejected: {rejection}"));
                    }
                }
                progress.advance(entries.bytes_read() - read);
                read = entries.bytes_read();
            }
        }
        Ok(rejected)
    }
}

fn in_folder(folder: &Path, extension: Option<&str>) -> anyhow::Result<Vec<PathBuf>> {
    let unreadable = || format!("cannot read the folder {}", folder.display());
    let mut files = vec![];
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let fits =
            |wanted| path.extension().is_some_and(|own: &OsStr| own.eq_ignore_ascii_case(wanted));
        if path.is_file() && !hidden && extension.is_none_or(fits) {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("no {} file in the folder {}", extension.unwrap_or("ordinary"), folder.display());
    }
    files.sort_unstable();
    Ok(files)
}

fn checksum(path: &Path, progress: &dyn Progress) -> anyhow::Result<String> {
    let failed = || format!("cannot read {}", path.display());
    let mut file = File::open(path).with_context(failed)?;
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let bytes = file.read(&mut buffer).with_context(failed)?;
        if bytes == 0 {
            return Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        digest.update(&buffer[..bytes]);
        progress.advance(bytes as u64);
    }
}
