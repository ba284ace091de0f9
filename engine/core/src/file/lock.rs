//! Locks of files that are being written, and the sync of their folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use super::FileError;

/// Opens a file and locks it for this process. Creates the file if it does not exist.
pub(crate) fn lock(path: &Path) -> Result<File, FileError> {
    let failed = FileError::io(path, "create it");
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = open.map_err(failed)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Err(FileError::busy(path)),
        // Some cluster file systems have no locks; work is possible there all the same.
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
            return Err(failed(error));
        }
        _ => {}
    }
    // The last owner of the lock may have completed and renamed the file.
    if is_at(&file, path).map_err(failed)? { Ok(file) } else { Err(FileError::busy(path)) }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    Ok(fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino())))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

#[cfg(unix)]
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
