//! Finds the files to import, and reads their records.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use othello_engine::board::transcript::Form;
use othello_engine::file::sha256_of_file;
use othello_engine::progress::Progress;
use othello_engine::text::Invalid;

use super::{Imported, RandomPlies, Summary};
use crate::source::{DataError, Entries, Result};

pub(super) struct Inputs {
    pub(super) files: Vec<PathBuf>,
    pub(super) random_plies: Vec<u8>,
    bytes: u64,
}

impl Inputs {
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
            let reason = format!(
                "random moves `{}={plies}`: none of the inputs is this file or in this folder; \
                 name an input or its folder",
                path.display()
            );
            return Err(Invalid(reason).into());
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

    /// Passes accepted records to `take`. Prints refusals, and the messages of [`Summary::count`].
    pub(super) fn read<T: Imported, E: Entries<T>>(
        &self,
        open: fn(&Path) -> Result<E>,
        is_done: bool,
        progress: &dyn Progress,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<Summary> {
        let done = if is_done { self.bytes } else { 0 };
        progress.begin_stoppable("import (bytes)", done, self.bytes);
        let (mut summary, mut forms) = (Summary::default(), vec![]);
        for (file, &random_plies) in self.files.iter().zip(&self.random_plies) {
            let (mut entries, mut shown) = (open(file)?, 0);
            while let Some(entry) = entries.next_entry()? {
                progress.check()?;
                let tell = |kind, number, text| {
                    if number <= MOST_SHOWN {
                        let (file, place) = (file.display(), entries.place());
                        progress.message(&format!("{kind}: {file}: {place}: {text}"));
                    }
                };
                match entry {
                    Ok(record) => {
                        let record = record.with_random_plies(random_plies);
                        forms.extend(entries.form());
                        match record.game().map(|game| summary.count(game)) {
                            None => summary.positions += 1,
                            Some(doubt) => doubt.into_iter().for_each(|doubt| {
                                tell(DIFFERING, summary.differing, doubt);
                            }),
                        }
                        take(record)?;
                    }
                    Err(reason) => {
                        summary.rejected += 1;
                        tell(REJECTED, summary.rejected, reason);
                    }
                }
                if !is_done {
                    progress.advance(entries.bytes_read().saturating_sub(shown));
                }
                shown = entries.bytes_read();
            }
        }
        for (kind, number) in [(REJECTED, summary.rejected), (DIFFERING, summary.differing)] {
            if number > MOST_SHOWN {
                progress.message(&format!("{kind}: {} more", number - MOST_SHOWN));
            }
        }
        Form::report(forms, progress);
        Ok(summary)
    }
}

const REJECTED: &str = "rejected";
const DIFFERING: &str = "another result";
const MOST_SHOWN: u64 = 100;

fn in_folder(folder: &Path, extension: Option<&str>) -> Result<Vec<PathBuf>> {
    let unreadable = DataError::io(folder, "read it");
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
        let (kind, folder) = (extension.unwrap_or("ordinary"), folder.display());
        return Err(Invalid(format!("no {kind} file in the folder {folder}")).into());
    }
    files.sort_unstable();
    Ok(files)
}
