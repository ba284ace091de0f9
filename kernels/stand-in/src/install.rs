//! The installation of the library under the names that a program looks for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The libraries that a program finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Installed {
    /// A driver and NVRTC.
    DriverAndNvrtc,
    /// A driver without NVRTC.
    Driver,
    /// A driver that lacks an entry point, and NVRTC.
    Without(&'static str),
}

/// Returns the path of the library that cargo builds for a test of this crate: beside the test
/// itself.
fn library() -> io::Result<PathBuf> {
    let test = std::env::current_exe()?;
    let beside = test.parent().unwrap_or(Path::new("."));
    let names = [beside.to_owned(), beside.join("deps")];
    let found = names.map(|folder| folder.join("libothello_stand_in.so"));
    found.into_iter().find(|path| path.exists()).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, "libothello_stand_in.so is not beside the test")
    })
}

/// Puts the library into a folder, under the names that a program looks for.
pub fn install(folder: &Path, what: Installed) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut library = fs::canonicalize(library()?)?;
    if let Installed::Without(entry) = what {
        library = without(&library, entry, &folder.join("incomplete.so"))?;
    }
    // These names are tried first, so that the machine's own libraries are not found.
    let driver: &[&str] = &["libcuda.so", "libcuda.so.1"];
    let nvrtc: &[&str] = if what == Installed::Driver { &[] } else { &["libnvrtc.so"] };
    for name in driver.iter().chain(nvrtc) {
        link(&library, &folder.join(name))?;
    }
    Ok(())
}

#[cfg(unix)]
fn link(library: &Path, name: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(library, name)
}

#[cfg(not(unix))]
fn link(library: &Path, name: &Path) -> io::Result<()> {
    fs::copy(library, name).map(|_| ())
}

/// Copies the library with one entry point renamed, as if an older driver did not have it.
fn without(library: &Path, entry: &str, path: &Path) -> io::Result<PathBuf> {
    let mut bytes = fs::read(library)?;
    let name = [b"\0", entry.as_bytes(), b"\0"].concat();
    let places: Vec<usize> =
        bytes.windows(name.len()).enumerate().filter(|(_, w)| *w == name).map(|(i, _)| i).collect();
    for place in &places {
        bytes[place + 1] = b'_';
    }
    if places.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("no {entry} in the library")));
    }
    fs::write(path, bytes)?;
    Ok(path.to_owned())
}
