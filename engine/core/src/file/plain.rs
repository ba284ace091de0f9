//! Plain files: outputs in the formats of other programs. They are also written as `PATH.partial`
//! first.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use super::lock::{lock, sync_folder};
use super::paths::{open_ordinary, partial_path, read_ordinary, refuse_special_outputs};
use super::{Existing, FileError};

/// Writes an output that the inputs determine. An existing file with the same bytes is kept. Any
/// other file is refused unless it may be replaced, and so is a partial file that is not a prefix
/// of these bytes.
pub fn write(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), FileError> {
    if existing == Existing::Keep {
        match read_ordinary(path, bytes.len() as u64) {
            Ok(there) if there == bytes => return Ok(()),
            Ok(_) | Err(FileError::Long { .. }) => {
                return Err(FileError::exists(path, "it has other content"));
            }
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error),
        }
        check_head(path, bytes)?;
    }
    replace(path, bytes)
}

/// Writes these bytes and replaces any file at the path.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    refuse_special_outputs(path)?;
    let partial = partial_path(path);
    let mut file = lock(&partial)?;
    let failed = |action| FileError::io(&partial, action);
    file.set_len(0).and_then(|()| file.write_all(bytes)).map_err(failed("write it"))?;
    file.sync_all().map_err(failed("sync it"))?;
    fs::rename(&partial, path).map_err(failed("rename it"))?;
    sync_folder(path).map_err(failed("sync its folder"))
}

/// Refuses a file that does not begin with `head`, and a partial file that is not a prefix of
/// `head`.
pub fn check_head(path: &Path, head: &[u8]) -> Result<(), FileError> {
    let partial = partial_path(path);
    for (path, may_be_shorter) in [(path, false), (&partial, true)] {
        let mut there = vec![];
        match open_ordinary(path) {
            Ok(file) => file
                .take(head.len() as u64)
                .read_to_end(&mut there)
                .map_err(FileError::io(path, "read it"))?,
            Err(error) if is_missing(&error) && !path.is_symlink() => continue,
            Err(error) => return Err(error),
        };
        if there != head && !(may_be_shorter && head.starts_with(&there)) {
            let reason = "it is another file than the one that belongs there";
            return Err(FileError::exists(path, reason));
        }
    }
    Ok(())
}

fn is_missing(error: &FileError) -> bool {
    matches!(error, FileError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_file_is_written_once_and_replaces_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let partial = folder.path().join("a.npz.partial");
        write(&path, b"content", Existing::Keep).unwrap();
        write(&path, b"content", Existing::Keep).unwrap();
        let refused = write(&path, b"other", Existing::Keep).unwrap_err().to_string();
        assert!(refused.contains("a.npz: exists: it has other content"), "{refused}");
        write(&path, b"other", Existing::Replace).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"other");
        fs::remove_file(&path).unwrap();
        // A killed run leaves a beginning of the bytes.
        fs::write(&partial, "foreign").unwrap();
        write(&path, b"content", Existing::Keep).unwrap_err();
        fs::write(&partial, "con").unwrap();
        write(&path, b"content", Existing::Keep).unwrap();
        assert_eq!((fs::read(&path).unwrap(), partial.exists()), (b"content".to_vec(), false));
    }

    #[test]
    fn a_head_tells_whose_file_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        check_head(&path, b"head").unwrap();
        for (content, own) in [("head and more", true), ("head", true), ("hea", false), ("", false)]
        {
            fs::write(&path, content).unwrap();
            assert_eq!(check_head(&path, b"head").is_ok(), own, "{content}");
        }
        fs::write(&path, "head").unwrap();
        for (content, own) in [("head and more", true), ("hea", true), ("", true), ("heat", false)]
        {
            fs::write(folder.path().join("a.json.partial"), content).unwrap();
            assert_eq!(check_head(&path, b"head").is_ok(), own, "{content}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_plain_file_has_the_mode_of_other_files() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let [plain, other] = ["plain", "other"].map(|name| folder.path().join(name));
        write(&plain, b"content", Existing::Keep).unwrap();
        fs::write(&other, "content").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&plain), mode(&other));
    }
}
