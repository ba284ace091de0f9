//! The bytes of a text file, packed by zstd or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{BadLine, TextError};

/// How a frame of zstd begins.
const ZSTD_MAGIC: &[u8] = b"\x28\xB5\x2F\xFD";

/// How much is read at once.
const BUFFER_BYTES: usize = 1 << 18;

/// A text file from front to back: what it says, and where a reader is.
pub struct TextSource {
    path: PathBuf,
    text: Box<dyn BufRead + Send>,
    packed: bool,
    /// Of the file, as far as the buffer goes.
    taken: Arc<AtomicU64>,
    bytes: u64,
    consumed: u64,
    line: u64,
}

impl TextSource {
    /// Opens a file; one that begins as a frame of zstd does is unpacked.
    pub fn open(path: &Path) -> Result<Self, TextError> {
        let file = File::open(path).map_err(|error| TextError::io(path, "open it", error))?;
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { file, taken: taken.clone() };
        let mut file = BufReader::with_capacity(BUFFER_BYTES, counted);
        let failed = |error| TextError::io(path, "read it", error);
        let packed = file.fill_buf().map_err(failed)?.starts_with(ZSTD_MAGIC);
        let text: Box<dyn BufRead + Send> = if packed {
            let decoder = zstd::stream::read::Decoder::with_buffer(file).map_err(failed)?;
            Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder))
        } else {
            Box::new(file)
        };
        Ok(Self { path: path.to_owned(), text, packed, taken, bytes, consumed: 0, line: 1 })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size of the file; 0 for a pipe.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How much of the file has been read, packed as it is.
    pub fn bytes_read(&self) -> u64 {
        if self.packed { self.taken.load(Ordering::Relaxed) } else { self.consumed }
    }

    /// The line that the next byte is on, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Appends the text up to `end` and including it, or up to the end of the file, to `piece`; of
    /// more than `most` bytes the beginning, `most` and one. How many bytes there were; 0 at the
    /// end of the file.
    pub fn read_until(
        &mut self,
        end: u8,
        most: u64,
        piece: &mut Vec<u8>,
    ) -> Result<u64, TextError> {
        let read = self.try_read_until(end, most, piece);
        let bytes = read.map_err(|error| {
            if self.packed {
                let reason = format!("cannot be unpacked ({error}); copy or make the file again");
                BadLine { path: self.path.clone(), number: self.line, reason }.into()
            } else {
                TextError::io(&self.path, "read it", error)
            }
        })?;
        self.consumed += bytes;
        Ok(bytes)
    }

    fn try_read_until(&mut self, end: u8, most: u64, piece: &mut Vec<u8>) -> io::Result<u64> {
        let before = piece.len();
        let mut bytes = (&mut self.text).take(most + 1).read_until(end, piece)? as u64;
        let lines = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.line += lines(&piece[before..]);
        if bytes > most && piece.last() != Some(&end) {
            // What is not kept is read without being held.
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
            }
        }
        Ok(bytes)
    }
}

/// A file that says how much of it was read.
struct Counted {
    file: File,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        self.taken.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}
