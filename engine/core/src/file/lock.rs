use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::ordinary::{beginning, open_ordinary};
use super::paths::{folder_of, partial_path, refuse_link};
use super::{FileError, Result};

/// Opens or creates a file and locks it; [`FileError::Busy`] if another process has the lock.
pub fn lock(path: &Path) -> Result<File> {
    refuse_link(path)?;
    let mut options = OpenOptions::new();
    locked(path, options.read(true).write(true).create(true).truncate(false))
}

/// Creates and locks `OUTPUT.partial`, the file to which `output` is first written. Replaces an
/// existing one only if a killed run left it: it begins with `head` or zeros. On Unix, copies the
/// permissions of an existing output.
pub(super) fn create_partial(output: &Path, head: &[u8]) -> Result<File> {
    let partial = partial_path(output);
    patiently(|| {
        let held = lock(&partial)?;
        check_is_left(&held, &partial, head)?;
        create_anew(output, &partial, held)
    })
}

/// The first bytes of all files of the container format.
pub(super) const CONTAINER: &[u8] = b"OTHELLO";

/// Refuses an existing partial file of `output` unless it begins like a container file or with
/// zeros, as a file left by a killed run does.
pub fn check_partial(output: &Path) -> Result<()> {
    let partial = partial_path(output);
    refuse_link(&partial)?;
    match open_ordinary(&partial) {
        Err(error) if error.is_missing() => Ok(()),
        file => check_is_left(&file?, &partial, CONTAINER),
    }
}

/// Refuses a file unless it begins with `head` or with zeros, as a file left by a killed run does.
fn check_is_left(file: &File, path: &Path, head: &[u8]) -> Result<()> {
    let start = beginning(file, path, head.len() as u64)?;
    if head.starts_with(&start) || start.iter().all(|&byte| byte == 0) {
        return Ok(());
    }
    let found = start.escape_ascii();
    let reason = format!(
        "begins with `{found}`, so no killed run has left it; move it, or name another output"
    );
    Err(FileError::refused(path, reason))
}

/// Calls `take`, which locks a file. If another process has the lock, tries again for up to 0.2 s.
pub(crate) fn patiently<T>(mut take: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 0..20 {
        match take() {
            Err(FileError::Busy { .. }) => thread::sleep(Duration::from_millis(10)),
            taken => return taken,
        }
    }
    take()
}

#[cfg(unix)]
fn create_anew(output: &Path, partial: &Path, _held: File) -> Result<File> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    fs::remove_file(partial).map_err(FileError::io(partial, "remove it"))?;
    let mode = fs::metadata(output).ok().map(|there| there.permissions().mode() & 0o777);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(mode.unwrap_or(0o666));
    let file = locked(partial, &options)?;
    if let Some(mode) = mode {
        // The file mode mask (umask) of the process may have removed some permissions.
        let permissions = fs::Permissions::from_mode(mode);
        file.set_permissions(permissions).map_err(FileError::io(partial, "create it"))?;
    }
    Ok(file)
}

#[cfg(not(unix))]
fn create_anew(_: &Path, partial: &Path, held: File) -> Result<File> {
    use io::Seek as _;
    let mut file = held;
    let emptied = file.set_len(0).and_then(|()| file.rewind());
    emptied.map(|()| file).map_err(FileError::io(partial, "create it"))
}

fn locked(path: &Path, options: &OpenOptions) -> Result<File> {
    let failed = FileError::io(path, "create it");
    let busy = || FileError::busy(path, "another process is writing this file");
    let file = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(busy()),
        file => file.map_err(failed)?,
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Err(busy()),
        // Some cluster file systems do not support locks; there, the file is used without a lock.
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
            return Err(failed(error));
        }
        _ => {}
    }
    // The last owner of the lock may have completed and renamed the file.
    if is_at(&file, path).map_err(failed)? { Ok(file) } else { Err(busy()) }
}

/// Returns true if `file` is the file that is now at `path`.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    Ok(fs::symlink_metadata(path)
        .is_ok_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino())))
}

#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder_of(path))?.sync_all() } else { Ok(()) }
}
