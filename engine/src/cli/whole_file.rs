//! Outputs that are written at once, such as pictures.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::bail;

use crate::file::remedy;

/// Puts a whole file in place. A file that is there already with the same bytes is left alone, and
/// anything else is refused unless `force`. A killed run leaves the file as it was.
pub fn put(path: &Path, bytes: &[u8], force: bool) -> anyhow::Result<()> {
    match fs::read(path) {
        Ok(there) if there == bytes => return Ok(()),
        Ok(_) if !force => bail!(
            "{}: exists with other content; name another output, or replace it with --force",
            path.display()
        ),
        _ => {}
    }
    let explain = |error: &io::Error| {
        format!("{}: cannot write it{}", path.display(), remedy("write it", error))
    };
    write(path, bytes).map_err(|error| {
        let text = explain(&error);
        anyhow::Error::new(error).context(text)
    })
}

/// Writes under another name, and renames when all of it is on the disk.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let partial = path.with_added_extension("partial");
    let mut file = File::create(&partial)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&partial, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_is_not_written_over_without_force() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.svg");
        put(&path, b"one", false).expect("a new file");
        put(&path, b"one", false).expect("the same bytes");
        let refused = put(&path, b"two", false).expect_err("other bytes").to_string();
        assert!(refused.contains("a.svg: exists with other content"), "{refused}");
        assert_eq!(fs::read(&path).expect("it is there"), b"one");
        put(&path, b"two", true).expect("by force");
        assert_eq!(fs::read(&path).expect("it is there"), b"two");
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
    }
}
