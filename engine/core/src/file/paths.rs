//! The paths of outputs, and checks of paths before files are opened: opening a pipe could block.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
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

/// Returns the names of all entries of a folder, subfolders included.
pub fn names_in(folder: &Path) -> Result<Vec<String>> {
    let failed = FileError::io(folder, "list it");
    let name = |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into());
    fs::read_dir(folder).map_err(failed)?.map(name).collect::<io::Result<_>>().map_err(failed)
}

/// Returns the paths of an output and of its partial file. Refuses a folder, a pipe or another
/// special file at either path. Refuses a link at the path of the partial file.
pub(super) fn refuse_special_outputs(output: &Path) -> Result<[PathBuf; 2]> {
    let written = [output.to_owned(), partial_path(output)];
    for path in &written {
        refuse_special(path)?;
    }
    refuse_link(&written[1])?;
    Ok(written)
}

/// Refuses a link, because writing through it would change the file that it points to.
pub(super) fn refuse_link(path: &Path) -> Result<()> {
    if path.is_symlink() { Err(special(path, "a link")) } else { Ok(()) }
}

/// Refuses an output whose extension belongs to another kind of file, such as `.games` for weights.
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

fn refuse_special(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) => refuse(path, &metadata),
        Err(_) if path.is_symlink() => Err(special(path, "a link that leads nowhere")),
        // The command opens the path later and then reports the reason of this error.
        Err(_) => Ok(()),
    }
}

pub(super) fn refuse(path: &Path, metadata: &Metadata) -> Result<()> {
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
