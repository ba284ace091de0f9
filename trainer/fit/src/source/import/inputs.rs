//! Finds the files to import, and reads their records.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use othello_engine::board::transcript::Form;
use othello_engine::file::sha256_of_file;
use othello_engine::progress::Progress;

use super::{Imported, RandomPlies, Summary};
use crate::source::{DataError, Entries, Result};

/// The input files in the order of the arguments. Those of a folder are ordered by name.
pub(super) struct Inputs {
    pub(super) files: Vec<PathBuf>,
    /// For each file, the number of random moves that its games begin with.
    pub(super) random_plies: Vec<u8>,
    bytes: u64,
}

impl Inputs {
    /// Collects the named files, and the visible files of the named folders. If `extension` is
    /// given, takes only files with this extension from a folder.
    pub(super) fn find(
        paths: &[PathBuf],
        extension: Option<&str>,
        random_plies: &[RandomPlies],
    ) -> Result<Self> {
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
            bytes += metadata.map_err(DataError::io(file, "read it"))?.len();
        }
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_in =
            |file: &Path, path: &Path| file.starts_with(path) || real(file).starts_with(real(path));
        let applies = |rule: &RandomPlies, file: &Path| {
            rule.path.as_ref().is_none_or(|path| is_in(file, path))
        };
        let is_idle = |rule: &&RandomPlies| !files.iter().any(|file| applies(rule, file));
        if let Some(RandomPlies { path: Some(path), plies }) = random_plies.iter().find(is_idle) {
            return Err(DataError::NoInput { path: path.clone(), plies: *plies });
        }
        let of = |file: &PathBuf| {
            let rule = random_plies.iter().rfind(|rule| applies(rule, file));
            rule.map_or(0, |rule| rule.plies)
        };
        let random_plies = files.iter().map(of).collect();
        Ok(Self { files, random_plies, bytes })
    }

    pub(super) fn checksums(&self, progress: &dyn Progress) -> Result<Vec<String>> {
        progress.begin("checksums (bytes)", 0, self.bytes);
        self.files.iter().map(|file| Ok(sha256_of_file(file, progress)?)).collect()
    }

    /// Counts all records and passes the accepted ones to `take`. Prints messages about refused
    /// records, and about games whose stated result differs from their moves.
    pub(super) fn read<T: Imported, E: Entries<T>>(
        &self,
        open: fn(&Path) -> Result<E>,
        is_done: bool,
        progress: &dyn Progress,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<Summary> {
        let done = if is_done { self.bytes } else { 0 };
        progress.begin_stoppable("import (bytes)", done, self.bytes);
        let (mut summary, mut notices) = (Summary::default(), Notices { progress, lines: [0; 2] });
        let mut forms = vec![];
        for (file, &random_plies) in self.files.iter().zip(&self.random_plies) {
            let (mut entries, mut shown) = (open(file)?, 0);
            while let Some(entry) = entries.next() {
                progress.check()?;
                match entry? {
                    Ok(record) => {
                        let record = record.with_random_plies(random_plies);
                        record.count(&mut summary);
                        forms.extend(entries.form());
                        if let Some(doubt) = record.doubt() {
                            summary.differing += 1;
                            notices.tell(1, || {
                                format!("{}: {}: {doubt}", file.display(), entries.place())
                            });
                        }
                        take(record)?;
                    }
                    Err(rejection) => {
                        summary.rejected += 1;
                        notices.tell(0, || rejection.to_string());
                    }
                }
                if !is_done {
                    progress.advance(entries.bytes_read().saturating_sub(shown));
                }
                shown = entries.bytes_read();
            }
        }
        notices.finish();
        Form::report(forms, progress);
        Ok(summary)
    }
}

/// Prints and counts messages about refused records, and about results that differ from the moves.
struct Notices<'a> {
    progress: &'a dyn Progress,
    lines: [u64; 2],
}

impl Notices<'_> {
    const KINDS: [&'static str; 2] = ["rejected", "another result"];

    fn tell(&mut self, kind: usize, line: impl FnOnce() -> String) {
        self.lines[kind] += 1;
        if self.lines[kind] <= MOST_SHOWN {
            self.progress.message(&format!("{}: {}", Self::KINDS[kind], line()));
        }
    }

    fn finish(&self) {
        for (kind, lines) in Self::KINDS.iter().zip(self.lines) {
            if lines > MOST_SHOWN {
                self.progress.message(&format!("{kind}: {} more", lines - MOST_SHOWN));
            }
        }
    }
}

/// The most messages that are printed of each kind; further ones are only counted.
const MOST_SHOWN: u64 = 100;

fn in_folder(folder: &Path, extension: Option<&str>) -> Result<Vec<PathBuf>> {
    let unreadable = |source| DataError::Folder { folder: folder.to_owned(), source };
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
        return Err(DataError::NoFile { kind, folder: folder.to_owned() });
    }
    files.sort_unstable();
    Ok(files)
}
