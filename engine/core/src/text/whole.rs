//! The reading of small files as a whole.

use std::fmt::Display;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::{BYTE_ORDER_MARK, MAX_FILE_BYTES, TextError};

/// Reads a file of settings and parses it with `parse`.
pub fn read_by<T, E: Display>(
    path: &Path,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, TextError> {
    let meaning =
        |error: E| TextError::Meaning { path: path.to_owned(), reason: error.to_string() };
    parse(&read(path)?).map_err(meaning)
}

/// Reads a text of at most [`MAX_FILE_BYTES`] bytes.
fn read(path: &Path) -> Result<String, TextError> {
    let file = File::open(path).map_err(TextError::io(path, "open it"))?;
    let mut bytes = vec![];
    let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(TextError::io(path, "read it"))?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let path = path.to_owned();
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(TextError::Long { path });
    }
    String::from_utf8(bytes)
        .map_err(|error| TextError::Encoding { path, at: error.utf8_error().valid_up_to() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_small_text_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let refused = |bytes: &[u8]| {
            std::fs::write(file.path(), bytes).unwrap();
            read(file.path()).unwrap_err().to_string()
        };
        let largest = vec![b'x'; MAX_FILE_BYTES as usize];
        assert!(refused(&[&largest[..], b"x"].concat()).contains("longer than 1048576 bytes"));
        assert!(refused(b"abc\xFF").contains("byte 3 begins no character"));
        std::fs::write(file.path(), &largest).unwrap();
        assert_eq!(read(file.path()).unwrap().len(), largest.len());
        let error = read(Path::new("/nowhere/at all")).unwrap_err().to_string();
        assert!(error.starts_with("/nowhere/at all: cannot open it: "), "{error}");
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"\xEF\xBB\xBFname = 1").unwrap();
        assert_eq!(read(file.path()).unwrap(), "name = 1");
        // Text in another encoding is refused, with a mark or without.
        std::fs::write(file.path(), b"\xFF\xFEn\0").unwrap();
        assert!(matches!(read(file.path()), Err(TextError::Encoding { at: 0, .. })));
    }

    /// An endless file, such as a device, is not read to its end.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_endless_file_is_refused() {
        assert!(matches!(read(Path::new("/dev/zero")), Err(TextError::Long { .. })));
    }
}
