//! Reading: everything is checked before it is handed out, and nothing is allocated because a
//! damaged number says so.

use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::format::{self, ContentHash};
use super::{FileError, Kind, Provenance, Section, Summary, VERSION, open_ordinary, packing};

/// Reads a file's sections in order. Each is checked before it is handed out; after the last, the
/// checksum of the whole content is, so a file is known to be whole only at the iterator's end.
pub struct Reader {
    source: Source,
    kind: Kind,
    provenance: Provenance,
    content: ContentHash,
    summary: Option<Summary>,
    finished: bool,
    /// Whether something was left out, since it is damaged or not asked for.
    incomplete: bool,
    /// The checksum of the whole content, once the end frame states it.
    stated: Option<String>,
    section_offset: u64,
    whole_until: u64,
    /// The section read last as it stands in the file.
    packed: Vec<u8>,
}

/// Which kind of file this is, by its header.
pub fn kind_of(path: &Path) -> Result<Kind, FileError> {
    let (_, kind, _) = read_header(Source::open(path)?, None)?;
    Ok(kind)
}

/// The checksum of the content that the end of a file states, without reading what is before it: a file that
/// was made anew states another one; damage shows only when the file is read.
pub fn stated_sha256(path: &Path) -> Result<String, FileError> {
    let mut reader = Reader::open(path, kind_of(path)?)?.of_part();
    let end = reader.bytes().saturating_sub(format::END_BYTES + format::CHECKSUM_BYTES);
    let source = &mut reader.source;
    source.seek(end.max(source.offset))?;
    let place = Place { name: "the end frame".into(), offset: source.offset };
    let marker = source.take(format::MARKER_BYTES, &place)?;
    if marker != format::END_MARKER {
        return Err(source.truncated(&place));
    }
    reader.read_end(marker)?;
    Ok(reader.stated.unwrap_or_default())
}

impl Reader {
    /// Opens a file of this kind and reads its header.
    pub fn open(path: &Path, kind: Kind) -> Result<Self, FileError> {
        Self::begin(Source::open(path)?, kind)
    }

    /// Reads the header of a file of this kind that is in memory; messages call it `name`.
    pub fn of_bytes(name: &Path, bytes: Vec<u8>, kind: Kind) -> Result<Self, FileError> {
        Self::begin(Source::of_bytes(name, bytes), kind)
    }

    fn begin(source: Source, kind: Kind) -> Result<Self, FileError> {
        let (source, kind, provenance) = read_header(source, Some(kind))?;
        let (section_offset, whole_until) = (source.offset, source.offset);
        let (content, summary, finished) = (ContentHash::default(), None, false);
        let (incomplete, stated) = (false, None);
        Ok(Self {
            source,
            kind,
            provenance,
            content,
            summary,
            finished,
            incomplete,
            stated,
            section_offset,
            whole_until,
            packed: vec![],
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.source.path
    }

    /// The size of the file, to tell how far reading it is.
    pub fn bytes(&self) -> u64 {
        self.source.length
    }

    /// How much of it has been read.
    pub fn bytes_read(&self) -> u64 {
        self.source.offset
    }

    /// What the file holds.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What the file was made from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The checksum of the content, once the iterator has come to its end without an error.
    pub fn sha256(&self) -> Option<&str> {
        self.summary().map(|summary| summary.sha256.as_str())
    }

    /// Accepts a file that sections were left out of on purpose: each section and the end frame are checked
    /// by themselves, and nothing is known of the whole but what [`Self::stated_sha256`] says.
    #[must_use]
    pub fn of_part(self) -> Self {
        Self { incomplete: true, ..self }
    }

    /// The checksum of the content that the end frame states, once the iterator has come there. Of a file
    /// that is whole it was compared with the content.
    pub fn stated_sha256(&self) -> Option<&str> {
        self.stated.as_deref()
    }

    /// The content of the section read last as it stands in the file: packed. For
    /// [`super::Writer::packed_section`].
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// What the file amounts to, once the iterator has come to its end without an error.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// The error for a section, the one read last, whose bytes are what was written but mean
    /// nothing. `reason` goes on after "section 3 at byte 200 …".
    pub fn meaningless(&self, reason: String) -> FileError {
        let place = format!("section {}", self.content.sections);
        let (path, offset) = (self.source.path.clone(), self.section_offset);
        FileError::Damaged { path, place, offset, reason }
    }

    /// After an error: leaves out what is damaged and goes on at the next whole section behind it;
    /// false where there is none. For who wants what is still good of a file: what is read from then
    /// on is as good as ever, but there is no checksum of the whole.
    pub fn resynchronize(&mut self) -> Result<bool, FileError> {
        self.incomplete = true;
        if !self.finished {
            // The section was whole and meant nothing: it is behind us.
            return Ok(true);
        }
        let mut from = self.whole_until + 1;
        while let Some(offset) = self.source.find(format::SECTION_MARKER, from)? {
            self.source.seek(offset)?;
            let place = Place { name: "a frame".into(), offset };
            let marker = self.source.take(format::MARKER_BYTES, &place)?;
            match self.read_section(marker) {
                Err(error @ FileError::Io { .. }) => return Err(error),
                Err(_) => from = offset + 1,
                Ok(_) => {
                    self.source.seek(offset)?;
                    self.whole_until = offset;
                    self.finished = false;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Where the last whole section ends.
    pub(super) fn whole_until(&self) -> u64 {
        self.whole_until
    }

    /// The running checksum of the whole sections.
    pub(super) fn into_content(self) -> ContentHash {
        self.content
    }

    /// The next section; `None` after the end frame.
    fn read_frame(&mut self) -> Result<Option<Section>, FileError> {
        let place = Place { name: "a frame".into(), offset: self.source.offset };
        let marker = self.source.take(format::MARKER_BYTES, &place)?;
        if marker == format::SECTION_MARKER {
            let section = self.read_section(marker)?;
            // Of a part there is nothing to compare the checksum with.
            match self.incomplete {
                true => self.content.sections += 1,
                false => self.content.add(&section.name, &section.content),
            }
            self.section_offset = self.whole_until;
            self.whole_until = self.source.offset;
            Ok(Some(section))
        } else if marker == format::END_MARKER {
            self.read_end(marker)?;
            Ok(None)
        } else {
            Err(self.source.damaged(&place, "begins neither a section nor the end".into()))
        }
    }

    fn read_section(&mut self, mut head: Vec<u8>) -> Result<Section, FileError> {
        let source = &mut self.source;
        let offset = source.offset - format::MARKER_BYTES;
        let number = self.content.sections + 1;
        let mut place = Place { name: format!("the head of section {number}"), offset };
        head.extend(source.take(format::SECTION_BYTES - format::MARKER_BYTES, &place)?);
        let name_length = format::u32_at(&head, 4);
        if !(1..=format::MAX_NAME_BYTES).contains(&name_length) {
            return Err(source.damaged(&place, format!("states a name of {name_length} bytes")));
        }
        head.extend(source.take(u64::from(name_length), &place)?);
        source.check(&head, &place)?;

        let name = String::from_utf8(head.split_off(format::SECTION_BYTES as usize));
        let name = name.map_err(|_| source.damaged(&place, "has a name that is no text".into()))?;
        let (stored, length) = (format::u64_at(&head, 8), format::u64_at(&head, 16));
        place.name = format!("section {number} (`{}`)", name.escape_debug());
        if stored > format::MAX_STORED_BYTES || length > format::MAX_CONTENT_BYTES {
            return Err(source.damaged(
                &place,
                format!(
                    "states {length} bytes, too many: the most is {}",
                    format::MAX_CONTENT_BYTES
                ),
            ));
        }
        let stored = source.take(stored, &place)?;
        source.check(&stored, &place)?;
        let content = packing::unpack(&stored, length, format::MAX_CONTENT_BYTES);
        let content = content.map_err(|reason| source.damaged(&place, reason))?;
        self.packed = stored;
        Ok(Section { name, content })
    }

    fn read_end(&mut self, mut end: Vec<u8>) -> Result<(), FileError> {
        let source = &mut self.source;
        let offset = source.offset - format::MARKER_BYTES;
        let place = Place { name: "the end frame".into(), offset };
        end.extend(source.take(format::END_BYTES - format::MARKER_BYTES, &place)?);
        source.check(&end, &place)?;
        let (sections, sha256) = (format::u64_at(&end, 4), &end[12..]);
        self.stated = Some(format::hexadecimal(sha256));
        if self.incomplete {
            return Ok(());
        }
        if sections != self.content.sections as u64 || sha256 != self.content.sha256() {
            return Err(source.damaged(&place, "does not fit the sections before it".into()));
        }
        if source.offset != source.length {
            return Err(source.damaged(&place, "is not the end of the file".into()));
        }
        let sha256 = format::hexadecimal(sha256);
        let sections = self.content.sections;
        self.summary = Some(Summary { sha256, bytes: source.length, sections });
        Ok(())
    }
}

impl Iterator for Reader {
    type Item = Result<Section, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let frame = self.read_frame().transpose();
        self.finished = !matches!(frame, Some(Ok(_)));
        frame
    }
}

fn read_header(
    mut source: Source,
    expected: Option<Kind>,
) -> Result<(Source, Kind, Provenance), FileError> {
    let path = source.path.clone();
    let place = Place { name: "the header".into(), offset: 0 };
    let expected_description = expected.map_or("games, positions or weights", Kind::description);
    let foreign = |bytes: &[u8]| FileError::Foreign {
        path: path.clone(),
        expected: expected_description,
        found: bytes.iter().take(8).map(|byte| byte.escape_ascii().to_string()).collect(),
    };
    let mut header = source.take_up_to(8)?;
    let kind = match Kind::of_magic(&header) {
        Some(kind) => kind,
        None if is_beginning_of_magic(&header) => return Err(source.truncated(&place)),
        None => return Err(foreign(&header)),
    };
    if let Some(expected) = expected.filter(|&expected| expected != kind) {
        let (expected, found) = (expected.description(), kind.description());
        return Err(FileError::OtherKind { path, expected, found });
    }
    header.extend(source.take(format::HEADER_BYTES - 8, &place)?);
    let version = format::u32_at(&header, 8);
    if version > VERSION {
        return Err(FileError::Newer { path, found: version });
    }
    let length = format::u32_at(&header, 12);
    if length > format::MAX_PROVENANCE_BYTES {
        return Err(source.damaged(&place, format!("states a provenance of {length} bytes")));
    }
    header.extend(source.take(u64::from(length), &place)?);
    source.check(&header, &place)?;
    if version != VERSION {
        return Err(source.damaged(&place, format!("states format version {version}")));
    }
    let provenance = Provenance::parse(&header[format::HEADER_BYTES as usize..])
        .ok_or_else(|| source.damaged(&place, "has a provenance that is no JSON object".into()))?;
    Ok((source, kind, provenance))
}

/// Whether a file that holds nothing else may be one of ours, cut off in its first eight bytes.
fn is_beginning_of_magic(bytes: &[u8]) -> bool {
    bytes.len() < 8 && b"OTHELLO".starts_with(bytes)
}

/// A part of a file, for messages.
struct Place {
    name: String,
    offset: u64,
}

/// The bytes of a file, wherever they are.
trait Bytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> Bytes for T {}

/// A file read from front to back, with the place that was reached.
struct Source {
    path: PathBuf,
    file: BufReader<Box<dyn Bytes>>,
    offset: u64,
    length: u64,
}

impl Source {
    fn open(path: &Path) -> Result<Self, FileError> {
        let failed = |source| FileError::Io { path: path.to_owned(), action: "open it", source };
        let file = open_ordinary(path)?;
        let length = file.metadata().map_err(failed)?.len();
        let file = BufReader::new(Box::new(file) as Box<dyn Bytes>);
        Ok(Self { path: path.to_owned(), file, offset: 0, length })
    }

    fn of_bytes(name: &Path, bytes: Vec<u8>) -> Self {
        let length = bytes.len() as u64;
        let file = BufReader::new(Box::new(Cursor::new(bytes)) as Box<dyn Bytes>);
        Self { path: name.to_owned(), file, offset: 0, length }
    }

    /// The next `bytes` bytes, or fewer where the file ends.
    fn take_up_to(&mut self, bytes: u64) -> Result<Vec<u8>, FileError> {
        let mut taken = Vec::new();
        self.file.by_ref().take(bytes).read_to_end(&mut taken).map_err(|source| FileError::Io {
            path: self.path.clone(),
            action: "read it",
            source,
        })?;
        self.offset += taken.len() as u64;
        Ok(taken)
    }

    /// The next `bytes` bytes. A number beyond the end of the file allocates nothing.
    fn take(&mut self, bytes: u64, place: &Place) -> Result<Vec<u8>, FileError> {
        if bytes > self.length.saturating_sub(self.offset) {
            return Err(self.truncated(place));
        }
        let taken = self.take_up_to(bytes)?;
        if taken.len() as u64 == bytes { Ok(taken) } else { Err(self.truncated(place)) }
    }

    fn seek(&mut self, offset: u64) -> Result<(), FileError> {
        self.file.seek(SeekFrom::Start(offset)).map_err(|source| FileError::Io {
            path: self.path.clone(),
            action: "read it",
            source,
        })?;
        self.offset = offset;
        Ok(())
    }

    /// Where a marker stands for the first time, at `from` or behind it.
    fn find(&mut self, marker: &[u8], from: u64) -> Result<Option<u64>, FileError> {
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
            // A marker may lie across two chunks.
            at += CHUNK - marker.len() as u64 + 1;
        }
    }

    /// Reads the checksum that follows `bytes`, and compares.
    fn check(&mut self, bytes: &[u8], place: &Place) -> Result<(), FileError> {
        let stated = self.take(format::CHECKSUM_BYTES, place)?;
        if stated == crc32fast::hash(bytes).to_le_bytes() {
            return Ok(());
        }
        Err(self.damaged(place, "does not match its checksum".into()))
    }

    fn truncated(&self, place: &Place) -> FileError {
        let (path, length) = (self.path.clone(), self.length);
        FileError::Truncated { path, place: place.name.clone(), offset: place.offset, length }
    }

    fn damaged(&self, place: &Place, reason: String) -> FileError {
        let (path, place, offset) = (self.path.clone(), place.name.clone(), place.offset);
        FileError::Damaged { path, place, offset, reason }
    }
}
