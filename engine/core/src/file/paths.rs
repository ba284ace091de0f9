//! The paths of an output, and checks of a path before its file is opened: a named pipe can block.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::{FileError, Kind, Result};

pub(super) fn partial_path(path: &Path) -> PathBuf {
    path.with_added_extension("partial")
}

/// Returns the folder of a file; `.` if the path has only a file name.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

pub(super) fn is_same_place(one: &Path, other: &Path) -> bool {
    let folder = |path: &Path| fs::canonicalize(folder_of(path));
    let is_same_name = one.file_name() == other.file_name();
    is_same_file(one, other)
        || is_same_name
            && folder(one).is_ok_and(|one| folder(other).is_ok_and(|other| one == other))
}

pub(super) fn collide(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| [path.to_owned(), partial_path(path)]);
    one.iter().any(|one| other.iter().any(|other| is_same_place(one, other)))
}

pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    identity(one).is_ok_and(|one| identity(other).is_ok_and(|other| one == other))
}

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Removes a file if it exists.
pub fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(FileError::io(path, "remove it")(error))
        }
        _ => Ok(()),
    }
}

/// Returns the names of the files in a folder.
pub fn names_in(folder: &Path) -> Result<Vec<String>> {
    let failed = FileError::io(folder, "list it");
    let name = |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into());
    fs::read_dir(folder).map_err(failed)?.map(name).collect::<io::Result<_>>().map_err(failed)
}

/// Returns the paths of an output and of its partial file. Refuses the output if something other
/// than an ordinary file, such as a folder or a pipe, is at either path. A link to an ordinary file
/// is accepted at the output's path only.
pub(super) fn refuse_special_outputs(output: &Path) -> Result<[PathBuf; 2]> {
    let written = [output.to_owned(), partial_path(output)];
    for path in &written {
        refuse_special(path)?;
    }
    refuse_link(&written[1])?;
    Ok(written)
}

/// Writing through a link would change the file that the link points to.
pub(super) fn refuse_link(path: &Path) -> Result<()> {
    if path.is_symlink() { Err(special(path, "a link")) } else { Ok(()) }
}

/// Refuses an output with the usual extension of another kind, such as `.games` for weights.
pub fn check_name(path: &Path, kind: Kind) -> Result<()> {
    const OUTPUTS: [Kind; 4] = [Kind::Weights, Kind::Games, Kind::Positions, Kind::Openings];
    let own = if kind == Kind::Placed { Kind::Positions } else { kind };
    let extension = path.extension().and_then(OsStr::to_str);
    if OUTPUTS.into_iter().any(|other| other != own && Some(other.name()) == extension) {
        let kind = kind.description();
        let reason = format!("would be {kind} under the name of another kind; name another output");
        return Err(FileError::refused(path, reason));
    }
    Ok(())
}

/// Opens an ordinary file for reading; refuses a folder, a named pipe, a device or a socket.
pub fn open_ordinary(path: &Path) -> Result<File> {
    let failed = FileError::io(path, "open it");
    let metadata = fs::metadata(path).map_err(failed)?;
    refuse(path, &metadata)?;
    open_without_waiting(path).map_err(failed)
}

/// Reads fail instead of blocking: some files of the kernel block, although they look ordinary.
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

/// Reads a small ordinary file. Returns [`FileError::Long`] if the file has more than `most` bytes.
pub fn read_ordinary(path: &Path, most: u64) -> Result<Vec<u8>> {
    let failed = FileError::io(path, "read it");
    let long = || FileError::Long { path: path.to_owned(), most };
    let file = open_ordinary(path)?;
    if file.metadata().map_err(failed)?.len() > most {
        return Err(long());
    }
    // Some files of the kernel have content, although their metadata state a length of 0.
    let mut bytes = vec![];
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most { Err(long()) } else { Ok(bytes) }
}

fn refuse_special(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) => refuse(path, &metadata),
        Err(_) if path.is_symlink() => Err(special(path, "a link that leads nowhere")),
        // The command opens the path later and then reports the reason of this error.
        Err(_) => Ok(()),
    }
}

fn refuse(path: &Path, metadata: &Metadata) -> Result<()> {
    if metadata.is_file() { Ok(()) } else { Err(special(path, description(metadata))) }
}

fn special(path: &Path, found: &str) -> FileError {
    FileError::refused(path, format!("is {found}, not an ordinary file; name another path"))
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
