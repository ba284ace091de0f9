//! Reads small files as a whole.

use std::fmt::Display;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::{BYTE_ORDER_MARK, MAX_FILE_BYTES};
use crate::file::{FileError, Result};

/// Reads a file of settings, of at most [`MAX_FILE_BYTES`] bytes, and parses its text with `parse`.
pub fn read_by<T, E: Display>(path: &Path, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T> {
    parse(&read(path)?).map_err(|error| FileError::refused(path, error.to_string()))
}

fn read(path: &Path) -> Result<String> {
    let file = File::open(path).map_err(FileError::io(path, "open it"))?;
    let mut bytes = vec![];
    let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(FileError::io(path, "read it"))?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let reason =
            format!("longer than {MAX_FILE_BYTES} bytes, the maximum for a file of settings");
        return Err(FileError::refused(path, reason));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let reason = format!("byte {at} does not begin a character; expected text in UTF-8");
        FileError::refused(path, reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_text_of_at_most_a_mebibyte_without_a_byte_order_mark() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let written = |bytes: &[u8]| {
            std::fs::write(file.path(), bytes).unwrap();
            read(file.path()).map_err(|error| error.to_string())
        };
        let largest = vec![b'x'; MAX_FILE_BYTES as usize];
        assert_eq!(written(&largest).unwrap().len(), largest.len());
        assert_eq!(written(b"\xEF\xBB\xBFname = 1").unwrap(), "name = 1");
        for (bytes, expected) in [
            (&[&largest[..], b"x"].concat()[..], "longer than 1048576 bytes"),
            (b"abc\xFF", "byte 3 does not begin a character"),
            (b"\xFF\xFEn\0", "byte 0 does not begin a character"),
        ] {
            let error = written(bytes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let error = read(Path::new("/nowhere/at all")).unwrap_err().to_string();
        assert!(error.starts_with("/nowhere/at all: cannot open it: "), "{error}");
        // An endless file, such as a device, is not read to its end.
        if cfg!(target_os = "linux") {
            let error = read(Path::new("/dev/zero")).unwrap_err().to_string();
            assert!(error.contains("longer than"), "{error}");
        }
    }
}
