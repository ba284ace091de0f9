//! The writer: it writes under another name until the file is complete, and resumes after the last
//! whole section.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::format::{self, ContentHash};
use super::lock::{lock, sync_folder};
use super::paths::{
    check_name, checkpoint_exists, partial_path, refuse_special_outputs, remove_leftover_checkpoint,
};
use super::{FileError, Kind, Provenance, Reader, Section, Summary};

/// The message for a section that differs from what the run writes now.
const OTHER_CONTENT: &str = "is none that this run writes there";

/// The treatment of an output that exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// A complete output with the same provenance is done, a partial one with the same provenance
    /// is resumed, and anything else is refused.
    Keep,
    /// The output is made anew, and replaces an existing one when it is complete (`--force`).
    Replace,
}

impl Existing {
    /// Returns the treatment for a value of `--force`.
    pub fn by_force(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// The outcome of beginning an output: it is complete already, or must be written.
pub enum Begin<W = Writer> {
    /// The output exists, complete and with the same provenance.
    Done(Summary),
    /// The output must be written or continued.
    Writer(W),
}

/// A section that a resumed file already holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionInfo {
    /// The name of the section.
    pub name: String,
    /// The size of the content, in bytes.
    pub bytes: u64,
    /// The checksum, in hexadecimal, of the file's content up to the end of this section.
    pub sha256: String,
}

/// A writer of a file, section by section as `PATH.partial`, which is renamed when it is complete.
///
/// If it is dropped without [`Writer::finish`], a partial file with at least one section stays for
/// the next run to resume.
pub struct Writer {
    path: PathBuf,
    partial: PathBuf,
    kind: Kind,
    file: File,
    first_section: u64,
    offset: u64,
    content: ContentHash,
    resumed: Vec<SectionInfo>,
    dropped_bytes: u64,
    /// A message for the user about anything that was dropped when the file was resumed.
    warning: Option<String>,
    /// The number of resumed sections that were written again, and the checksum of their content.
    compared: Option<(usize, ContentHash)>,
    /// A message for the user about anything that the comparison dropped.
    mismatch: Option<String>,
    removed_if_empty: bool,
    /// True if the partial file is of no use unless it is finished.
    is_scratch: bool,
    /// True if bytes of an unfinished section may follow the last complete section.
    is_torn: bool,
}

impl Writer {
    /// Begins the output `path`. While a writer exists, a second one for the same output is
    /// refused.
    pub fn begin(
        path: &Path,
        kind: Kind,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin, FileError> {
        check_name(path, kind)?;
        refuse_special_outputs(path)?;
        let partial = partial_path(path);
        let mut refusal = None;
        if existing == Existing::Keep && path.exists() {
            match complete(path, kind, provenance) {
                Ok(summary) => {
                    if !partial.exists() {
                        remove_leftover_checkpoint(path);
                    }
                    return Ok(Begin::Done(summary));
                }
                Err(error) if !partial.exists() => return Err(error),
                // Beside it is a partial file, perhaps with these settings, that was begun to
                // replace it.
                Err(error) => refusal = Some(error),
            }
        }
        let file = lock(&partial)?;
        let (path, content) = (path.to_owned(), ContentHash::default());
        let (first_section, offset, resumed, dropped_bytes) = (0, 0, vec![], 0);
        let mut writer = Self {
            path,
            partial,
            kind,
            file,
            first_section,
            offset,
            content,
            resumed,
            dropped_bytes,
            warning: None,
            compared: None,
            mismatch: None,
            removed_if_empty: false,
            is_scratch: false,
            is_torn: true,
        };
        let resumes = existing == Existing::Keep && writer.resume(provenance)?;
        // Begun to replace an existing file: the next run must find that too.
        writer.removed_if_empty = refusal.is_none();
        if let Some(refusal) = refusal.filter(|_| !resumes) {
            return Err(refusal);
        }
        if !resumes {
            let header = format::header(kind, provenance)
                .map_err(|reason| writer.unwritable("provenance", reason))?;
            writer.append(&header)?;
            writer.first_section = header.len() as u64;
        }
        Ok(Begin::Writer(writer))
    }

    /// Begins the output `path` anew, unless it is complete. Refuses anything else that exists,
    /// unless `existing` allows replacing it.
    pub fn begin_anew(
        path: &Path,
        kind: Kind,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin, FileError> {
        check_name(path, kind)?;
        refuse_special_outputs(path)?;
        if existing == Existing::Keep && path.exists() {
            return Ok(Begin::Done(complete(path, kind, provenance)?));
        }
        Ok(Begin::Writer(Self::create(path, kind, provenance)?))
    }

    /// Begins a file anew, and replaces whatever is at `path` when it is finished. Otherwise,
    /// nothing is left. While a writer exists, a second one for the same file is refused.
    pub fn create(path: &Path, kind: Kind, provenance: &Provenance) -> Result<Self, FileError> {
        match Self::begin(path, kind, provenance, Existing::Replace)? {
            Begin::Writer(mut writer) => {
                writer.is_scratch = true;
                Ok(writer)
            }
            Begin::Done(_) => Err(FileError::exists(path, "it is complete")),
        }
    }

    /// Returns the sections that the partial file already held, in order.
    pub fn resumed(&self) -> &[SectionInfo] {
        &self.resumed
    }

    /// Reads the sections that the partial file already held once more. Since the file has no end
    /// yet, the iterator gives an error after the number of sections in [`Self::resumed`].
    pub fn reread(&self) -> Result<Reader, FileError> {
        Reader::open(&self.partial, self.kind)
    }

    /// Returns the number of bytes after the last whole section that were dropped when the file was
    /// resumed: a frame that was being written when the run was killed, or everything from a
    /// damaged frame on.
    pub fn dropped_bytes(&self) -> u64 {
        self.dropped_bytes
    }

    /// Returns a message for the user about anything that was dropped when the file was resumed.
    pub fn warning(&self) -> Option<String> {
        self.warning.clone()
    }

    /// Prepares for writing all sections again from the first. Sections that the partial file
    /// already holds are compared with them; from the first difference on, they are dropped and
    /// written anew.
    pub fn compare_from_start(&mut self) {
        self.compared = Some((0, ContentHash::default()));
    }

    /// Ends the comparison that [`Self::compare_from_start`] began, when all sections are written.
    /// Further sections of the partial file are dropped. Returns a message for the user if any
    /// section was dropped.
    pub fn end_comparison(&mut self) -> Result<Option<String>, FileError> {
        if let Some((sections, _)) = self.compared.take() {
            self.mismatch = self.keep(sections, OTHER_CONTENT)?;
        }
        Ok(self.mismatch.take())
    }

    /// Keeps the first `sections` sections that the partial file already held. Returns a message
    /// for the user if others are dropped; `reason` says what is wrong with the first of them, as
    /// in "section 3 …".
    pub fn keep(&mut self, sections: usize, reason: &str) -> Result<Option<String>, FileError> {
        if sections >= self.resumed.len() {
            return Ok(None);
        }
        let mut reader = self.reread()?;
        for section in reader.by_ref().take(sections) {
            section?;
        }
        let dropped = self.offset - reader.whole_until();
        self.offset = reader.whole_until();
        self.content = reader.into_content();
        self.resumed.truncate(sections);
        self.file.set_len(self.offset).map_err(self.failed("truncate it"))?;
        Ok(Some(self.dropped(&format!("section {} {reason}", sections + 1), dropped)))
    }

    /// Returns the warning that bytes were dropped, and from which place on.
    fn dropped(&self, place: &str, bytes: u64) -> String {
        let dropped = "bytes from there on were dropped, and what they held is made again";
        format!("{}: {place}; the {bytes} {dropped}", self.partial.display())
    }

    /// Leaves the partial file in place, even if empty: it tells the next run to replace the
    /// existing output.
    pub fn leave(mut self) {
        self.removed_if_empty = false;
    }

    /// Writes a section: a name of 1 to 255 bytes, and content of at most
    /// [`super::MAX_CONTENT_BYTES`].
    pub fn section(&mut self, name: &str, content: &[u8]) -> Result<(), FileError> {
        if self.holds_next(name, content)? {
            return Ok(());
        }
        self.write(name, content, format::section(self.kind, name, content))
    }

    /// Writes sections in order, which all threads compress.
    pub fn sections(
        &mut self,
        sections: impl IntoIterator<Item = Section>,
    ) -> Result<(), FileError> {
        let mut sections = sections.into_iter();
        loop {
            let some: Vec<_> = sections.by_ref().take(rayon::current_num_threads()).collect();
            if some.is_empty() {
                return Ok(());
            }
            let mut new = vec![];
            for section in some {
                if !self.holds_next(&section.name, &section.content)? {
                    new.push(section);
                }
            }
            let frame =
                |Section { name, content }: &Section| format::section(self.kind, name, content);
            let frames: Vec<_> = new.par_iter().map(frame).collect();
            for (Section { name, content }, frame) in new.iter().zip(frames) {
                self.write(name, content, frame)?;
            }
        }
    }

    fn write(
        &mut self,
        name: &str,
        content: &[u8],
        frame: Result<Vec<u8>, String>,
    ) -> Result<(), FileError> {
        self.append(&frame.map_err(|reason| self.unwritable(name, reason))?)?;
        self.content.add(name, content);
        Ok(())
    }

    /// Writes a section uncompressed, to be mapped into memory: `produce` writes its content, of
    /// any length. The content begins at a multiple of 64 bytes in the file.
    pub fn raw_section<E: From<FileError>>(
        &mut self,
        name: &str,
        produce: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), E> {
        let head = |length| format::raw_head(name, length);
        let empty = head(0).map_err(|reason| self.unwritable(name, reason))?;
        let begin = format::raw_content(self.offset + empty.len() as u64);
        self.is_torn = true;
        let partial = self.partial.clone();
        let failed = FileError::io(&partial, "write it");
        let mut file = &self.file;
        file.set_len(begin).and_then(|()| file.seek(SeekFrom::Start(begin))).map_err(failed)?;
        let mut raw = RawContent {
            file: BufWriter::with_capacity(1 << 20, file),
            hash: crc32fast::Hasher::new(),
            bytes: 0,
        };
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

    /// Returns whether the next section to compare is this one; drops it if it is another.
    fn holds_next(&mut self, name: &str, content: &[u8]) -> Result<bool, FileError> {
        let Some((sections, mut so_far)) = self.compared.take() else { return Ok(false) };
        so_far.add(name, content);
        match self.resumed.get(sections) {
            Some(info) if info.sha256 == so_far.hexadecimal() => {
                self.compared = Some((sections + 1, so_far));
                Ok(true)
            }
            Some(_) => {
                self.mismatch = self.keep(sections, OTHER_CONTENT)?;
                Ok(false)
            }
            None => Ok(false),
        }
    }

    /// Waits until all sections so far are on the disk.
    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_data().map_err(self.failed("sync it"))
    }

    /// Drops all sections.
    pub(super) fn clear(&mut self) -> Result<(), FileError> {
        self.offset = self.first_section;
        self.content = ContentHash::default();
        self.file.set_len(self.offset).map_err(self.failed("truncate it"))
    }

    /// Returns the checksum, in hexadecimal, of the content so far.
    pub fn content_sha256(&self) -> String {
        self.content.hexadecimal()
    }

    /// Returns the path of the file until it is complete.
    pub(super) fn partial(&self) -> &Path {
        &self.partial
    }

    /// Completes the file: end frame, sync, rename, sync of the folder.
    pub fn finish(mut self) -> Result<Summary, FileError> {
        self.end_comparison()?;
        self.append(&format::end(&self.content))?;
        self.file.set_len(self.offset).map_err(self.failed("truncate it"))?;
        self.file.sync_all().map_err(self.failed("sync it"))?;
        fs::rename(&self.partial, &self.path).map_err(self.failed("rename it"))?;
        self.removed_if_empty = false;
        self.is_scratch = false;
        sync_folder(&self.path).map_err(self.failed("sync its folder"))?;
        let sha256 = self.content.hexadecimal();
        Ok(Summary { sha256, bytes: self.offset, sections: self.content.sections })
    }

    /// Resumes a partial file. Returns false if the file does not hold a whole header, or holds
    /// only the header of another run.
    fn resume(&mut self, provenance: &Provenance) -> Result<bool, FileError> {
        let mut reader = match Reader::open(&self.partial, self.kind) {
            Ok(reader) => reader,
            Err(FileError::Truncated { .. }) => return Ok(false),
            Err(error @ FileError::Io { .. }) => return Err(error),
            Err(error) => return Err(FileError::exists(&self.partial, error.to_string())),
        };
        self.first_section = reader.whole_until();
        if let Err(error) = same_provenance(&reader, provenance) {
            return if reader.any(|section| section.is_ok()) { Err(error) } else { Ok(false) };
        }
        let mut end = None;
        let mut so_far = ContentHash::default();
        for section in reader.by_ref() {
            match section {
                Ok(Section { name, content }) => {
                    so_far.add(&name, &content);
                    let (bytes, sha256) = (content.len() as u64, so_far.hexadecimal());
                    self.resumed.push(SectionInfo { name, bytes, sha256 });
                }
                Err(error @ FileError::Io { .. }) => return Err(error),
                Err(error) => end = Some(error.place()),
            }
        }
        self.offset = reader.whole_until();
        if let Some(place) = end {
            let length = self.file.metadata().map_err(self.failed("look at it"))?.len();
            self.dropped_bytes = length.saturating_sub(self.offset);
            let bytes = self.dropped_bytes;
            self.warning = (bytes > 0).then(|| self.dropped(&place, bytes));
        }
        self.content = reader.into_content();
        self.file.set_len(self.offset).map_err(self.failed("truncate it"))?;
        Ok(true)
    }

    /// Appends after the last whole part, so that a failed write can be repeated.
    fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let is_torn = std::mem::replace(&mut self.is_torn, true);
        let whole = if is_torn { self.file.set_len(self.offset) } else { Ok(()) };
        let written = whole
            .and_then(|()| self.file.seek(SeekFrom::Start(self.offset)))
            .and_then(|_| self.file.write_all(bytes));
        written.map_err(self.failed("write it"))?;
        self.is_torn = false;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    fn failed(&self, action: &'static str) -> impl Fn(io::Error) -> FileError {
        FileError::io(&self.partial, action)
    }

    fn unwritable(&self, name: &str, reason: String) -> FileError {
        FileError::Section { path: self.partial.clone(), name: name.to_owned(), reason }
    }
}

/// The content of a raw section while it is written.
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

/// Removes a partial file without sections: a run that failed before it had anything to keep leaves
/// nothing.
impl Drop for Writer {
    fn drop(&mut self) {
        let empty = self.offset == self.first_section && !checkpoint_exists(&self.path);
        if self.is_scratch || self.removed_if_empty && empty {
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// Reads a complete output and checks that it has the same provenance.
pub(crate) fn complete(
    path: &Path,
    kind: Kind,
    provenance: &Provenance,
) -> Result<Summary, FileError> {
    let refused = |error: FileError| match error {
        FileError::Io { .. } => error,
        _ => FileError::exists(path, error.to_string()),
    };
    let mut reader = Reader::open(path, kind).map_err(refused)?;
    same_provenance(&reader, provenance)?;
    for section in reader.by_ref() {
        section.map_err(refused)?;
    }
    reader.summary().cloned().ok_or_else(|| FileError::exists(path, "it has no end"))
}

fn same_provenance(reader: &Reader, wanted: &Provenance) -> Result<(), FileError> {
    match reader.provenance() {
        there if there == wanted => Ok(()),
        there => Err(FileError::other_settings(reader.path(), there, wanted)),
    }
}
