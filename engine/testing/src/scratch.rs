//! Temporary files, in memory if possible, for tests of readers that take paths.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

/// Returns the path of `name` in a temporary folder, which is removed when this thread ends.
pub fn path(name: &str) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| folder.get_or_insert_with(folder_in_memory).path().join(name))
}

/// Writes `bytes` to a temporary file, and calls `read` with its path.
pub fn with_file<T>(name: &str, bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    let path = path(name);
    fs::write(&path, bytes).expect("a folder for temporary files takes files");
    read(&path)
}

fn folder_in_memory() -> TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    in_memory.expect("there is a folder for temporary files")
}
