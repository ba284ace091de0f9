//! The paths of an output, and checks of a path before its file is opened: a named pipe can block.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::plain::refuse_shown;
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
    let is_same_name = one.file_name() == other.file_name();
    is_same_file(one, other) || is_same_name && is_same_file(folder_of(one), folder_of(other))
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
    let removed = fs::remove_file(path).map_err(FileError::io(path, "remove it"));
    removed.or_else(|error| if error.is_missing() { Ok(()) } else { Err(error) })
}

/// Returns the names of the files in a folder.
pub fn names_in(folder: &Path) -> Result<Vec<String>> {
    let failed = FileError::io(folder, "list it");
    let name = |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into());
    fs::read_dir(folder).map_err(failed)?.map(name).collect::<io::Result<_>>().map_err(failed)
}

/// Returns the paths of an output and of its partial file. Refuses anything but ordinary files at
/// these paths, such as a folder or a pipe; the output may also be a link to an ordinary file.
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

/// Reads at most `most` bytes from the file at `path`.
pub(crate) fn beginning(file: impl Read, path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    let read = file.take(most).read_to_end(&mut bytes);
    read.map(|_| bytes).map_err(FileError::io(path, "read it"))
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
    match metadata.file_type() {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn description(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "a device" }
}
