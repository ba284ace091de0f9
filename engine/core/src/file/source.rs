use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{FileError, Result, format, open_ordinary};
use crate::progress::Progress;

pub(super) struct Place {
    pub(super) name: String,
    pub(super) offset: u64,
}

trait Bytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> Bytes for T {}

pub(super) struct Source {
    pub(super) path: PathBuf,
    file: BufReader<Box<dyn Bytes>>,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// The hash of all bytes before `offset`; `None` if not needed, or if bytes were skipped.
    pub(super) digest: Option<Sha256>,
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = open_ordinary(path)?;
        let length = file.metadata().map_err(FileError::io(path, "open it"))?.len();
        let file = BufReader::new(Box::new(file) as Box<dyn Bytes>);
        Ok(Self { path: path.to_owned(), file, offset: 0, length, digest: Some(Sha256::new()) })
    }

    pub(super) fn of_bytes(name: &Path, bytes: impl AsRef<[u8]> + Send + 'static) -> Self {
        let length = bytes.as_ref().len() as u64;
        let file = BufReader::new(Box::new(Cursor::new(bytes)) as Box<dyn Bytes>);
        Self { path: name.to_owned(), file, offset: 0, length, digest: Some(Sha256::new()) }
    }

    pub(super) fn take_up_to(&mut self, bytes: u64) -> Result<Vec<u8>> {
        let mut taken = Vec::new();
        let read = self.file.by_ref().take(bytes).read_to_end(&mut taken);
        read.map_err(FileError::io(&self.path, "read it"))?;
        self.offset += taken.len() as u64;
        if let Some(digest) = &mut self.digest {
            digest.update(&taken);
        }
        Ok(taken)
    }

    /// Returns an error that names `place` if fewer than `bytes` bytes remain.
    pub(super) fn require(&self, bytes: u64, place: &Place) -> Result<()> {
        let remain = self.length.saturating_sub(self.offset);
        if bytes <= remain { Ok(()) } else { Err(self.truncated(place)) }
    }

    /// Returns the next `bytes` bytes. If fewer remain, returns an error and allocates no memory.
    pub(super) fn take(&mut self, bytes: u64, place: &Place) -> Result<Vec<u8>> {
        self.require(bytes, place)?;
        let taken = self.take_up_to(bytes)?;
        if taken.len() as u64 == bytes { Ok(taken) } else { Err(self.truncated(place)) }
    }

    pub(super) fn seek(&mut self, offset: u64) -> Result<()> {
        let found = self.file.seek(SeekFrom::Start(offset));
        found.map_err(FileError::io(&self.path, "read it"))?;
        (self.offset, self.digest) = (offset, None);
        Ok(())
    }

    pub(super) fn find(&mut self, marker: &[u8], from: u64) -> Result<Option<u64>> {
        const CHUNK: u64 = 1 << 16;
        let mut at = from;
        loop {
            self.seek(at)?;
            let chunk = self.take_up_to(CHUNK)?;
            let found = chunk.windows(marker.len()).position(|bytes| bytes == marker);
            if let Some(index) = found {
                return Ok(Some(at + index as u64));
            }
            if (chunk.len() as u64) < CHUNK {
                return Ok(None);
            }
            // A marker may lie across two chunks, so the next chunk begins within this one.
            at += CHUNK - marker.len() as u64 + 1;
        }
    }

    pub(super) fn check(&mut self, bytes: &[u8], place: &Place) -> Result<()> {
        self.check_sum(crc32fast::hash(bytes), place)
    }

    pub(super) fn check_sum(&mut self, checksum: u32, place: &Place) -> Result<()> {
        let stated = self.take(format::CHECKSUM_BYTES, place)?;
        if stated == checksum.to_le_bytes() {
            return Ok(());
        }
        Err(self.damaged(place, "does not match its checksum".into()))
    }

    pub(super) fn truncated(&self, place: &Place) -> FileError {
        let (path, length) = (self.path.clone(), self.length);
        FileError::Truncated { path, place: place.name.clone(), offset: place.offset, length }
    }

    pub(super) fn damaged(&self, place: &Place, reason: String) -> FileError {
        let (path, place, offset) = (self.path.clone(), place.name.clone(), place.offset);
        FileError::Damaged { path, place, offset, reason }
    }
}

/// Returns the SHA-256 of these bytes in hexadecimal.
pub fn sha256_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

pub(super) fn finished(digest: Option<Sha256>) -> String {
    digest.map(|digest| hex::encode(digest.finalize())).unwrap_or_default()
}

/// Returns the SHA-256 of a file. Reports the number of bytes that it reads to `progress`.
pub fn sha256_of_file(path: &Path, progress: &dyn Progress) -> Result<String> {
    let mut file = open_ordinary(path)?;
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let bytes = file.read(&mut buffer).map_err(FileError::io(path, "read it"))?;
        if bytes == 0 {
            return Ok(hex::encode(digest.finalize()));
        }
        digest.update(&buffer[..bytes]);
        progress.advance(bytes as u64);
    }
}
