//! The paths that a file is written at, and what stands at a path. It is looked at before anything is
//! opened: opening a named pipe waits for somebody at its other end, and would wait for ever.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::{FileError, Kind};

/// Where an output is written until it is complete.
pub(super) fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// Where the checkpoint of an output would be completed, if it ever were.
pub(super) fn checkpoint_path(output: &Path) -> PathBuf {
    output.with_added_extension("checkpoint")
}

/// Whether something was recorded for `output` in a checkpoint.
pub(super) fn checkpoint_exists(output: &Path) -> bool {
    partial_path(&checkpoint_path(output)).exists()
}

/// Takes away the checkpoint that a run left which was killed after completing `output`. Where that
/// cannot be done it does no harm.
pub(super) fn remove_leftover_checkpoint(output: &Path) {
    let _ = fs::remove_file(partial_path(&checkpoint_path(output)));
}

/// Refuses an output where something other than an ordinary file stands, or beside it; the paths
/// that are written.
pub(super) fn refuse_special_outputs(output: &Path) -> Result<[PathBuf; 3], FileError> {
    let checkpoint = checkpoint_path(output);
    let written = [output.to_owned(), partial_path(output), partial_path(&checkpoint)];
    for path in &written {
        refuse_special(path)?;
    }
    Ok(written)
}

/// Refuses a name for an output by which it would be taken for another kind of file. What is made long
/// before it is written is called by it first.
pub fn check_name(path: &Path, kind: Kind) -> Result<(), FileError> {
    let extension = path.extension().and_then(OsStr::to_str);
    if extension.is_some_and(|extension| kind.contradicts(extension)) {
        return Err(FileError::Misnamed { path: path.to_owned(), kind: kind.description() });
    }
    Ok(())
}

/// Opens an ordinary file for reading; a folder, a named pipe, a device or a socket is refused.
pub fn open_ordinary(path: &Path) -> Result<File, FileError> {
    let failed = |source| FileError::Io { path: path.to_owned(), action: "open it", source };
    let metadata = fs::metadata(path).map_err(failed)?;
    refuse(path, &metadata)?;
    open_without_waiting(path).map_err(failed)
}

/// Opens a file of which no read waits: some that the kernel makes look ordinary, and would never end.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    const O_NONBLOCK: i32 = 0o4000;
    fs::OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path)
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads an ordinary file of at most `most` bytes: what a program looks for beside the files that it
/// was given may be anything.
pub fn read_ordinary(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = vec![];
    let read = open_ordinary(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|source| FileError::Io { path: path.to_owned(), action: "read it", source })?;
    if bytes.len() as u64 > most {
        return Err(FileError::Long { path: path.to_owned(), most });
    }
    Ok(bytes)
}

/// Refuses a path at which something other than an ordinary file stands.
fn refuse_special(path: &Path) -> Result<(), FileError> {
    match fs::metadata(path) {
        Ok(metadata) => refuse(path, &metadata),
        Err(_) if path.is_symlink() => {
            Err(FileError::Special { path: path.to_owned(), found: "a link that leads nowhere" })
        }
        // Whoever opens it says why that is not possible.
        Err(_) => Ok(()),
    }
}

fn refuse(path: &Path, metadata: &Metadata) -> Result<(), FileError> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(FileError::Special { path: path.to_owned(), found: description(metadata) })
}

#[cfg(unix)]
fn description(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = metadata.file_type();
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn description(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "a device" }
}
