use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{BYTE_ORDER_MARK, bad_line};
use crate::file::{FileError, Result, packing, refuse_shown, unreadable};

const ZSTD_MAGIC: &[u8] = b"\x28\xB5\x2F\xFD";

/// The number of bytes beyond which [`TextSource::read_until`] stops with an error: 256 MiB.
const LONGEST_PIECE_BYTES: u64 = 1 << 28;
const BUFFER_BYTES: usize = 1 << 18;

/// A reader of a text file from front to back, which counts the lines and skips a byte-order mark.
pub struct TextSource {
    path: PathBuf,
    text: Box<dyn BufRead + Send>,
    packed: bool,
    unpacked: Arc<AtomicU64>,
    bytes: u64,
    consumed: u64,
    line: u64,
}

impl TextSource {
    /// Opens a text file. Decompresses the file while it is read if it begins with a zstd frame.
    pub fn open(path: &Path) -> Result<Self> {
        refuse_shown(path)?;
        let file = File::open(path).map_err(FileError::io(path, "open it"))?;
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        Self::of(path, bytes, file)
    }

    /// Opens the standard input of the process, compressed or not.
    pub fn standard_input() -> Result<Self> {
        Self::of(Path::new("standard input"), 0, io::stdin())
    }

    /// Opens a text that was passed as an argument.
    pub fn of_text(text: &str) -> Result<Self> {
        let bytes = text.as_bytes().to_vec();
        Self::of(Path::new("argument"), bytes.len() as u64, io::Cursor::new(bytes))
    }

    /// Opens `source`, which has `bytes` bytes (0 if unknown). Error messages name `path`.
    fn of(path: &Path, bytes: u64, source: impl Read + Send + 'static) -> Result<Self> {
        let unpacked = Arc::new(AtomicU64::new(0));
        let mut source = BufReader::with_capacity(BUFFER_BYTES, source);
        let failed = FileError::io(path, "read it");
        let begin = source.fill_buf().map_err(failed)?;
        let packed = begin.starts_with(ZSTD_MAGIC);
        if let Some(reason) = unreadable(begin).filter(|_| !packed) {
            return Err(FileError::refused(path, reason));
        }
        let text: Box<dyn BufRead + Send> = if packed {
            let counted = Counted { source, consumed: unpacked.clone() };
            let decoder = packing::unpacker(counted).map_err(failed)?;
            Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder))
        } else {
            Box::new(source)
        };
        Ok(Self { path: path.to_owned(), text, packed, unpacked, bytes, consumed: 0, line: 1 })
    }

    /// Returns the path of the file, or the words `standard input` or `argument`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the size of the file in bytes; 0 for a pipe or the standard input.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of bytes read from the file; of a compressed file, the compressed bytes.
    pub fn bytes_read(&self) -> u64 {
        if self.packed { self.unpacked.load(Ordering::Relaxed) } else { self.consumed }
    }

    /// Returns the number of the line that contains the next byte, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Reads to the byte `end`, inclusive, or to the end of the file. Appends these bytes to
    /// `piece`, but at most `most` + 1 of them. Returns the number of bytes read; 0 at the end.
    pub fn read_until(&mut self, end: u8, most: u64, piece: &mut Vec<u8>) -> Result<u64> {
        let read = self.try_read_until(end, most, piece);
        let bytes = read.map_err(|error| {
            let reason = match error.kind() {
                io::ErrorKind::FileTooLarge => "does not end within 256 MiB".to_owned(),
                _ if self.packed => {
                    format!("cannot be unpacked ({error}); copy or make the file again")
                }
                _ => return FileError::io(&self.path, "read it")(error),
            };
            bad_line(&self.path, self.line, &reason)
        })?;
        self.consumed += bytes;
        Ok(bytes)
    }

    fn try_read_until(&mut self, end: u8, most: u64, piece: &mut Vec<u8>) -> io::Result<u64> {
        let before = piece.len();
        let mut bytes = (&mut self.text).take(most + 1).read_until(end, piece)? as u64;
        if self.consumed == 0 && piece[before..].starts_with(BYTE_ORDER_MARK) {
            piece.drain(before..before + BYTE_ORDER_MARK.len());
        }
        let lines = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.line += lines(&piece[before..]);
        if bytes > most && piece.last() != Some(&end) {
            loop {
                let buffer = self.text.fill_buf()?;
                let place = buffer.iter().position(|&byte| byte == end);
                let part = place.map_or(buffer.len(), |place| place + 1);
                self.line += lines(&buffer[..part]);
                self.text.consume(part);
                bytes += part as u64;
                if place.is_some() || part == 0 {
                    break;
                }
                if bytes > LONGEST_PIECE_BYTES {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
            }
        }
        Ok(bytes)
    }
}

/// A reader that counts bytes when they are consumed, not when they are buffered.
struct Counted<R> {
    source: R,
    consumed: Arc<AtomicU64>,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.source.read(buffer)?;
        self.consumed.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.source.consume(bytes);
        self.consumed.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_line_that_never_ends_is_refused() {
        let mut source = TextSource::open(Path::new("/dev/zero")).unwrap();
        let error = source.read_until(b'\n', 100, &mut vec![]).unwrap_err().to_string();
        assert_eq!(error, "/dev/zero: line 1: does not end within 256 MiB");
    }

    #[test]
    fn a_file_of_another_compression_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (begin, said) in [
            (&b"\x1F\x8B\x08\0"[..], "is compressed by gzip; unpack it first, by `gunzip`"),
            (b"BZh91AY", "by bzip2"),
            (b"\xFD7zXZ\0\0", "by xz"),
            (b"PK\x03\x04\x14", "by zip"),
            (b"\xFF\xFEf\x005\0", "is text in UTF-16; convert it to UTF-8"),
        ] {
            std::fs::write(file.path(), begin).unwrap();
            let text = TextSource::open(file.path()).err().unwrap().to_string();
            let records = crate::file::kind_of(file.path()).unwrap_err().to_string();
            assert!(text.contains(said) && records.contains(said), "{text}, {records}");
        }
    }
}
