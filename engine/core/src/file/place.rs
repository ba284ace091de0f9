//! The last step of writing an output: renames its complete partial file, `PATH.partial`, to
//! `PATH`.

use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::time::SystemTime;

use super::lock::sync_folder;
use super::ordinary::open_any_ordinary;
use super::paths::partial_path;
use super::{Existing, FileError, Result};

/// The files that an output may replace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Replaceable {
    /// Any existing file may be replaced: by `--force`, or because only this program uses the path.
    Any,
    /// Only the file that existed before the work may be replaced, if its length and modification
    /// time are still these; `None`: no file existed, so none may be replaced.
    Only(Option<(u64, SystemTime)>),
}

impl Replaceable {
    pub(crate) fn now(path: &Path, existing: Existing) -> Self {
        match existing {
            Existing::Keep => Self::Only(state(path)),
            Existing::Replace => Self::Any,
        }
    }

    /// Renames the partial file of `path` to `path`, and syncs the folder. If an existing file at
    /// `path` may not be replaced, keeps both files and returns [`FileError::Refused`].
    pub(super) fn put(&self, path: &Path) -> Result<()> {
        let partial = &partial_path(path);
        // A hard link would replace no file that appears now, but a kill could leave both names.
        let put = match self {
            Self::Only(before) if *before != state(path) => Err(ErrorKind::AlreadyExists.into()),
            _ => fs::rename(partial, path),
        };
        let put = put.or_else(|error| match error.kind() {
            // Another start of the same command was faster.
            ErrorKind::AlreadyExists if is_equal(partial, path) => fs::remove_file(partial),
            _ => Err(error),
        });
        put.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                let reason = "another file appeared here during the work and is kept; the complete \
                    output is";
                let remedy = "move the other file, then run the same command again";
                FileError::refused(path, format!("{reason} {}; {remedy}", partial.display()))
            }
            _ => FileError::io(partial, "rename it")(error),
        })?;
        sync_folder(path).map_err(FileError::io(partial, "sync its folder"))
    }
}

/// Returns true if both paths are of readable ordinary files with the same bytes.
fn is_equal(one: &Path, other: &Path) -> bool {
    let open = |path| open_any_ordinary(path).map(BufReader::new);
    let (Ok(one), Ok(other)) = (open(one), open(other)) else { return false };
    has_same_bytes(one, other).unwrap_or(false)
}

pub(super) fn has_same_bytes(mut one: impl BufRead, mut other: impl BufRead) -> io::Result<bool> {
    loop {
        let (a, b) = (one.fill_buf()?, other.fill_buf()?);
        let length = a.len().min(b.len());
        if length == 0 || a[..length] != b[..length] {
            return Ok(a.is_empty() && b.is_empty());
        }
        one.consume(length);
        other.consume(length);
    }
}

fn state(path: &Path) -> Option<(u64, SystemTime)> {
    let there = fs::metadata(path).ok()?;
    Some((there.len(), there.modified().unwrap_or(SystemTime::UNIX_EPOCH)))
}
