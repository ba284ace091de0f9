use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use super::format::{self, ContentHash};
use super::lock::{CONTAINER, create_partial};
use super::paths::{check_name, partial_path, refuse_special_outputs};
use super::place::Replaceable;
use super::shown::refuse_shown;
use super::source::finished;
use super::{Existing, FileError, Kind, Provenance, Reader, Result, Section, Summary};

/// The state of an output before the work: already complete, or to be written.
pub enum Begin<W = Writer> {
    /// The output exists, complete and with the same provenance.
    Done(Summary),
    /// The work remains to be done; this writer writes the output.
    Writer(W),
}

impl<W> Begin<W> {
    /// Returns true if the output is already complete.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// Returns the writer of the output; `None` if the output is already complete.
    pub fn writer(self) -> Option<W> {
        match self {
            Self::Done(_) => None,
            Self::Writer(writer) => Some(writer),
        }
    }
}

/// A writer of a file, section by section. If it is dropped before [`Writer::finish`], it removes
/// the unfinished file.
pub struct Writer {
    path: PathBuf,
    partial: PathBuf,
    replaceable: Replaceable,
    kind: Kind,
    file: File,
    offset: u64,
    content: ContentHash,
    /// The hash of all bytes before `offset`; `None` for files of [`Kind::Part`], whose hash is
    /// unused.
    digest: Option<Sha256>,
    is_finished: bool,
    /// True if the file may end with an incomplete section, after the last complete one.
    is_torn: bool,
}

impl Writer {
    /// Begins a file as [`Self::create`] does. With [`Existing::Keep`], never replaces a file: if
    /// one exists, returns [`Begin::Done`] if it is complete with this provenance, and otherwise an
    /// error. If a file appears later, [`Self::finish`] does not replace it either.
    pub fn begin(
        path: &Path,
        kind: Kind,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin> {
        check_name(path, kind)?;
        refuse_shown(path)?;
        refuse_special_outputs(path)?;
        let replaceable = Replaceable::now(path, existing);
        if existing == Existing::Keep && path.exists() {
            return Ok(Begin::Done(verified(path, kind, provenance)?));
        }
        Ok(Begin::Writer(Self::create(path, kind, provenance)?.replacing(replaceable)))
    }

    /// Begins a file that, once finished, replaces any file at `path`. Fails if another writer of
    /// the path exists.
    pub fn create(path: &Path, kind: Kind, provenance: &Provenance) -> Result<Self> {
        check_name(path, kind)?;
        refuse_shown(path)?;
        refuse_special_outputs(path)?;
        let (path, partial) = (path.to_owned(), partial_path(path));
        let file = create_partial(&path, CONTAINER)?;
        let (content, digest) = (ContentHash::default(), (kind != Kind::Part).then(Sha256::new));
        let (replaceable, offset) = (Replaceable::Any, 0);
        let (is_finished, is_torn) = (false, true);
        let mut writer = Self {
            path,
            partial,
            replaceable,
            kind,
            file,
            offset,
            content,
            digest,
            is_finished,
            is_torn,
        };
        let header = format::header(kind, provenance)
            .map_err(|reason| writer.unwritable("provenance", reason))?;
        writer.append(&header)?;
        Ok(writer)
    }

    pub(crate) fn replacing(mut self, replaceable: Replaceable) -> Self {
        self.replaceable = replaceable;
        self
    }

    /// Writes a section: a name of 1 to 255 bytes, at most [`super::MAX_CONTENT_BYTES`] of content.
    pub fn section(&mut self, name: &str, content: &[u8]) -> Result<()> {
        self.write(name, content, format::section(self.kind, name, content))
    }

    /// Compresses sections on all threads, and writes them in order.
    pub fn sections(&mut self, sections: impl IntoIterator<Item = Section>) -> Result<()> {
        let mut sections = sections.into_iter();
        loop {
            let some: Vec<_> = sections.by_ref().take(rayon::current_num_threads()).collect();
            if some.is_empty() {
                return Ok(());
            }
            let frame = |own: &Section| format::section(self.kind, &own.name, &own.content);
            let frames: Vec<_> = some.par_iter().map(frame).collect();
            for (Section { name, content }, frame) in some.iter().zip(frames) {
                self.write(name, content, frame)?;
            }
        }
    }

    fn write(&mut self, name: &str, content: &[u8], frame: Result<Vec<u8>, String>) -> Result<()> {
        self.append(&frame.map_err(|reason| self.unwritable(name, reason))?)?;
        self.content.add(name, content);
        Ok(())
    }

    /// Writes an uncompressed section, which can be memory-mapped. `produce` writes its content.
    pub fn raw_section<E: From<FileError>>(
        &mut self,
        name: &str,
        produce: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), E> {
        let head = |length| format::head(format::RAW_MARKER, name, [length; 2]);
        let empty = head(0).map_err(|reason| self.unwritable(name, reason))?;
        let begin = format::raw_content(self.offset + empty.len() as u64);
        self.is_torn = true;
        let partial = self.partial.clone();
        let failed = FileError::io(&partial, "write it");
        let mut file = &self.file;
        file.set_len(begin).and_then(|()| file.seek(SeekFrom::Start(begin))).map_err(failed)?;
        let (hash, buffered) = (crc32fast::Hasher::new(), BufWriter::with_capacity(1 << 20, file));
        let mut raw = RawContent { file: buffered, hash, bytes: 0 };
        produce(&mut raw)?;
        let RawContent { file: buffered, hash, bytes } = raw;
        let checksum = hash.finalize();
        buffered.into_inner().map_err(|error| failed(error.into_error()))?;
        let head = head(bytes).map_err(|reason| self.unwritable(name, reason))?;
        file.write_all(&checksum.to_le_bytes())
            .and_then(|()| file.seek(SeekFrom::Start(self.offset)))
            .and_then(|_| file.write_all(&head))
            .map_err(failed)?;
        self.is_torn = false;
        self.offset = begin + bytes + format::CHECKSUM_BYTES;
        self.content.add_raw(name, bytes, checksum);
        Ok(())
    }

    /// Completes the file: writes the end frame, syncs and renames the file, and syncs its folder.
    pub fn finish(mut self) -> Result<Summary> {
        self.append(&format::end(&self.content))?;
        self.file.set_len(self.offset).map_err(self.failed("truncate it"))?;
        self.file.sync_all().map_err(self.failed("sync it"))?;
        let put = self.replaceable.put(&self.path);
        self.is_finished = matches!(put, Ok(()) | Err(FileError::Refused { .. }));
        put?;
        let sha256 = finished(self.digest.take());
        Ok(Summary { sha256, bytes: self.offset, sections: self.content.sections })
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let is_torn = std::mem::replace(&mut self.is_torn, true);
        let whole = if is_torn { self.file.set_len(self.offset) } else { Ok(()) };
        let written = whole
            .and_then(|()| self.file.seek(SeekFrom::Start(self.offset)))
            .and_then(|_| self.file.write_all(bytes));
        written.map_err(self.failed("write it"))?;
        self.is_torn = false;
        self.offset += bytes.len() as u64;
        if let Some(digest) = &mut self.digest {
            digest.update(bytes);
        }
        Ok(())
    }

    fn failed(&self, action: &'static str) -> impl Fn(io::Error) -> FileError {
        FileError::io(&self.partial, action)
    }

    fn unwritable(&self, name: &str, reason: String) -> FileError {
        FileError::refused(&self.partial, format!("section `{name}` cannot be written: {reason}"))
    }
}

struct RawContent<'f> {
    file: BufWriter<&'f File>,
    hash: crc32fast::Hasher,
    bytes: u64,
}

impl Write for RawContent<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = fs::remove_file(&self.partial);
        }
    }
}

pub(crate) fn verified(path: &Path, kind: Kind, provenance: &Provenance) -> Result<Summary> {
    let refused = |error: FileError| match error {
        FileError::Io { .. } => error,
        _ => FileError::exists(path, error.to_string()),
    };
    refuse_shown(path)?;
    let mut reader = Reader::open(path, kind).map_err(refused)?;
    if reader.provenance() != provenance {
        return Err(FileError::other_settings(path, reader.provenance(), provenance));
    }
    reader.check_rest().map_err(refused)?;
    reader.summary().cloned().ok_or_else(|| FileError::exists(path, "it has no end"))
}
