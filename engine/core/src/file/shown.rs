//! The files in which this process shows its progress. No output may have the path of such a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::paths::{folder_of, is_same_file, is_same_place, partial_path};
use super::{FileError, Result};

/// The paths of the registered progress files, each with true if this process created the file.
static SHOWN: Mutex<Vec<(PathBuf, bool)>> = Mutex::new(vec![]);

pub(super) fn shown() -> MutexGuard<'static, Vec<(PathBuf, bool)>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses an output at the path of a progress file in [`SHOWN`]. The refusal removes the path from
/// `SHOWN`, and also removes the file if this process created it.
pub(crate) fn refuse_shown(output: &Path) -> Result<()> {
    let claims = |path: &Path| {
        let [of_output, of_shown] =
            [output, path].map(|path| [path.to_owned(), partial_path(path)]);
        of_output.iter().any(|one| of_shown.iter().any(|other| is_same_place(one, other)))
    };
    refuse(output, claims)
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

#[cfg(test)]
mod tests {
    use super::super::{
        Existing, Kind, Provenance, ShownFile, Writer, check_output, make_folder, plain,
    };
    use super::*;

    /// A regression: an output at the progress file's path was refused, but that file stayed there.
    #[test]
    fn an_output_at_the_progress_file_is_refused_and_leaves_nothing_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let settings = Provenance::new("test");
        let begin = |path: &Path| Writer::begin(path, Kind::Games, &settings, Existing::Keep).err();
        type Attempt<'a> = &'a dyn Fn(&Path) -> Option<FileError>;
        let attempts: [Attempt<'_>; 6] = [
            &|path| check_output(path, [Path::new("none")]).err(),
            &|path| begin(path),
            &|path| plain::write(path, b"content", Existing::Replace).err(),
            &|path| plain::replace(path, b"content").err(),
            &|path| plain::check_head(path, b"content").err(),
            &|path| make_folder(path).err(),
        ];
        for attempt in attempts {
            for output in ["a", "./a", "a.partial"] {
                let shown = ShownFile::create(&path("a"), b"event", b"event 1").unwrap();
                shown.replace(b"event 2").unwrap();
                let refused = attempt(&path(output)).map(|error| error.to_string());
                let error = refused.unwrap();
                assert!(error.contains("is also the place of the progress file"), "{error}");
                shown.replace(b"event 3").unwrap();
                assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
                assert!(refuse_shown(&path("a")).is_ok());
            }
        }
        // A progress file that an earlier process created is not removed.
        fs::write(path("a"), "event 0").unwrap();
        let shown = ShownFile::create(&path("a"), b"event", b"event 1").unwrap();
        assert!(begin(&path("b")).is_none());
        refuse_shown_within(folder.path()).unwrap_err();
        shown.replace(b"event 2").unwrap();
        assert_eq!(fs::read(path("a")).unwrap(), b"event 1");
    }
}
