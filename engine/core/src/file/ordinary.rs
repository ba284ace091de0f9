//! Opens and reads ordinary files. Refuses others, such as named pipes, which could block forever.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::paths::refuse;
use super::shown::refuse_shown;
use super::{FileError, Result};

/// Opens an ordinary file for reading. Refuses a folder, a named pipe, a device, a socket, and the
/// progress file of this process.
pub fn open_ordinary(path: &Path) -> Result<File> {
    refuse_shown(path)?;
    open_any_ordinary(path)
}

pub(super) fn open_any_ordinary(path: &Path) -> Result<File> {
    let failed = FileError::io(path, "open it");
    let metadata = fs::metadata(path).map_err(failed)?;
    refuse(path, &metadata)?;
    open_without_waiting(path).map_err(failed)
}

fn open_without_waiting(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    // With O_NONBLOCK, reads of kernel files that look ordinary fail instead of blocking.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, 0o4000);
    options.read(true).open(path)
}

/// Reads a small ordinary file. Returns [`FileError::Long`] if the file has more than `most` bytes.
pub fn read_ordinary(path: &Path, most: u64) -> Result<Vec<u8>> {
    let long = || FileError::Long { path: path.to_owned(), most };
    let file = open_ordinary(path)?;
    if file.metadata().map_err(FileError::io(path, "read it"))?.len() > most {
        return Err(long());
    }
    // Some files of the kernel have content, although their metadata state a length of 0.
    let bytes = beginning(file, path, most.saturating_add(1))?;
    if bytes.len() as u64 > most { Err(long()) } else { Ok(bytes) }
}

/// Reads at most `most` bytes of `file`. `path` only names the file in errors.
pub(crate) fn beginning(file: impl Read, path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    let read = file.take(most).read_to_end(&mut bytes);
    read.map(|_| bytes).map_err(FileError::io(path, "read it"))
}
