//! The paths of this process's progress files (`--progress-file`). No input or output may have one
//! of these paths.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::paths::{collide, folder_of, is_same_file, is_same_place};
use super::{FileError, Result};

/// The paths of this process's progress files, each with true if the process created the file.
static SHOWN: Mutex<Vec<(PathBuf, bool)>> = Mutex::new(vec![]);

pub(super) fn shown() -> MutexGuard<'static, Vec<(PathBuf, bool)>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses `output` if it has the path of a progress file of this process. Also stops updating this
/// progress file, and deletes it if this process created it.
pub fn refuse_shown(output: &Path) -> Result<()> {
    refuse(output, |path| collide(output, path))
}

pub(crate) fn refuse_shown_within(folder: &Path) -> Result<()> {
    refuse(folder, |path| is_same_place(folder, path) || is_same_file(folder, folder_of(path)))
}

fn refuse(output: &Path, claims: impl Fn(&Path) -> bool) -> Result<()> {
    let mut shown = shown();
    let Some(claimed) = shown.iter().position(|(path, _)| claims(path)) else { return Ok(()) };
    let (path, is_new) = shown.swap_remove(claimed);
    if is_new {
        let _ = fs::remove_file(&path);
    }
    let reason = format!("is also the place of the progress file ({}); name two", path.display());
    Err(FileError::refused(output, reason))
}
