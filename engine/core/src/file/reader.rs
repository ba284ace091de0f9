//! The reader of container files, which checks all data. Damaged lengths cause no large allocation.

use std::path::Path;

use super::format::{self, ContentHash};
use super::packing::{self, MAX_CONTENT_BYTES, unreadable};
use super::source::{Place, Source, finished};
use super::{FileError, Kind, Provenance, Result, Section, Summary, VERSION};

/// An iterator over a file's sections in order, each checked. The checksum of the whole content is
/// checked after the last section, so a file is only verified at the end of the iteration.
pub struct Reader {
    source: Source,
    kind: Kind,
    provenance: Provenance,
    content: ContentHash,
    summary: Option<Summary>,
    finished: bool,
    /// True if a section was skipped or is missing, so that the whole content cannot be checked.
    incomplete: bool,
    section_offset: u64,
    whole_until: u64,
    raw: Vec<RawSection>,
    skips_raw: bool,
}

/// The name and the place in a file of a section that is stored uncompressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawSection {
    /// The name of the section.
    pub name: String,
    /// The offset of the content in the file, a multiple of 64.
    pub offset: u64,
    /// The length in bytes of the section's content, which the file stores uncompressed.
    pub bytes: u64,
}

/// The place in a file at which a section begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectionPlace {
    offset: u64,
    before: usize,
}

/// Returns the kind of a file from its header.
pub fn kind_of(path: &Path) -> Result<Kind> {
    Reader::begin(Source::open(path)?, None).map(|reader| reader.kind)
}

impl Reader {
    /// Opens a file of the kind `kind` and reads its header.
    pub fn open(path: &Path, kind: Kind) -> Result<Self> {
        Self::begin(Source::open(path)?, Some(kind))
    }

    /// Reads the header of a file of the kind `kind` in memory. Messages use `name` as its path.
    pub fn of_bytes(
        name: &Path,
        bytes: impl AsRef<[u8]> + Send + 'static,
        kind: Kind,
    ) -> Result<Self> {
        Self::begin(Source::of_bytes(name, bytes), Some(kind))
    }

    fn begin(mut source: Source, expected: Option<Kind>) -> Result<Self> {
        let (kind, provenance) = read_header(&mut source, expected)?;
        if kind == Kind::Part {
            source.digest = None;
        }
        Ok(Self {
            section_offset: source.offset,
            whole_until: source.offset,
            source,
            kind,
            provenance,
            content: ContentHash::default(),
            summary: None,
            finished: false,
            incomplete: false,
            raw: vec![],
            skips_raw: false,
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.source.path
    }

    /// Returns the size of the file in bytes, for progress.
    pub fn bytes(&self) -> u64 {
        self.source.length
    }

    /// Returns the offset of the next byte to read, for progress.
    pub fn bytes_read(&self) -> u64 {
        self.source.offset
    }

    /// Returns the kind of the file.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the provenance of the file.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Returns the file's SHA-256; `None` until the iteration over its sections ends without error.
    pub fn sha256(&self) -> Option<&str> {
        self.summary().map(|summary| summary.sha256.as_str())
    }

    /// Accepts a file without some of its sections: checks neither section count nor file checksum.
    #[must_use]
    pub fn of_part(mut self) -> Self {
        (self.incomplete, self.source.digest) = (true, None);
        self
    }

    /// Returns the place of the next section.
    pub fn place(&self) -> SectionPlace {
        SectionPlace { offset: self.source.offset, before: self.content.sections }
    }

    /// Moves to the section at `place`. The checksum of the whole content is then not checked.
    pub fn go_to(&mut self, place: SectionPlace) -> Result<()> {
        self.incomplete = true;
        self.source.seek(place.offset)?;
        self.content.sections = place.before;
        self.whole_until = place.offset;
        Ok(())
    }

    /// Skips the next section unchecked and returns its name; `None` at an uncompressed section or
    /// the end of the file.
    pub fn skip_section(&mut self) -> Result<Option<String>> {
        self.incomplete = true;
        let (marker, place) = self.read_marker()?;
        if marker != format::SECTION_MARKER {
            self.source.seek(place.offset)?;
            return Ok(None);
        }
        let (name, head, place) = self.read_head(marker)?;
        let stored = format::u64_at(&head, 8);
        self.source.require(stored, &place)?;
        self.source.seek(self.source.offset + stored + format::CHECKSUM_BYTES)?;
        self.content.sections += 1;
        Ok(Some(name))
    }

    /// Reads and checks all remaining sections.
    pub fn check_rest(&mut self) -> Result<()> {
        self.try_for_each(|section| section.map(drop))
    }

    /// Skips the check of raw (uncompressed) content, which the caller must have checked before.
    #[must_use]
    pub fn skipping_raw(self) -> Self {
        Self { skips_raw: true, incomplete: true, ..self }
    }

    /// Returns the places of the uncompressed sections read so far; iteration omits their contents.
    pub fn raw_sections(&self) -> &[RawSection] {
        &self.raw
    }

    /// Returns the file's summary; `None` until the iteration over its sections ends without error.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// Returns an error for the section read last: its checksum is right, but its content is
    /// invalid. `reason` completes the message "section 3 at byte 500 …".
    pub fn meaningless(&self, reason: String) -> FileError {
        let name = format!("section {}", self.content.sections);
        self.source.damaged(&Place { name, offset: self.section_offset }, reason)
    }

    /// Skips damaged bytes after an error, up to an undamaged section. Returns false if none
    /// follows. The checksum of the whole content is then not checked.
    pub fn resynchronize(&mut self) -> Result<bool> {
        self.incomplete = true;
        if !self.finished {
            // The checksum of the last section was right, so reading continues after this section.
            return Ok(true);
        }
        let mut from = self.whole_until + 1;
        while let Some(offset) = self.source.find(format::SECTION_MARKER, from)? {
            self.source.seek(offset)?;
            let (marker, _) = self.read_marker()?;
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

    fn read_frame(&mut self) -> Result<Option<Section>> {
        let (marker, place) = self.read_marker()?;
        let section = match marker.first_chunk() {
            Some(format::SECTION_MARKER) => {
                let section = self.read_section(marker)?;
                match self.incomplete {
                    true => self.content.sections += 1,
                    false => self.content.add(&section.name, &section.content),
                }
                section
            }
            Some(format::RAW_MARKER) => self.read_raw(marker)?,
            Some(format::END_MARKER) => return self.read_end(marker).map(|()| None),
            _ => {
                let reason = "begins neither a section nor the end";
                return Err(self.source.damaged(&place, reason.into()));
            }
        };
        self.section_offset = self.whole_until;
        self.whole_until = self.source.offset;
        Ok(Some(section))
    }

    fn read_marker(&mut self) -> Result<(Vec<u8>, Place)> {
        let place = Place { name: "a frame".into(), offset: self.source.offset };
        Ok((self.source.take(format::MARKER_BYTES, &place)?, place))
    }

    fn read_head(&mut self, mut head: Vec<u8>) -> Result<(String, Vec<u8>, Place)> {
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
        let reason = "has a name that is not text";
        let name = name.map_err(|_| source.damaged(&place, reason.into()))?;
        place.name = format!("section {number} (`{}`)", name.escape_debug());
        Ok((name, head, place))
    }

    fn read_raw(&mut self, marker: Vec<u8>) -> Result<Section> {
        let (name, head, place) = self.read_head(marker)?;
        let bytes = format::u64_at(&head, 16);
        let source = &mut self.source;
        let padding = format::raw_content(source.offset) - source.offset;
        source.require(bytes.saturating_add(padding), &place)?;
        source.take(padding, &place)?;
        let offset = source.offset;
        if self.skips_raw {
            source.seek(offset + bytes + format::CHECKSUM_BYTES)?;
            self.content.sections += 1;
        } else {
            let (mut hash, mut left) = (crc32fast::Hasher::new(), bytes);
            while left > 0 {
                let chunk = source.take(left.min(1 << 20), &place)?;
                hash.update(&chunk);
                left -= chunk.len() as u64;
            }
            let checksum = hash.finalize();
            source.check_sum(checksum, &place)?;
            self.content.add_raw(&name, bytes, checksum);
        }
        self.raw.push(RawSection { name: name.clone(), offset, bytes });
        Ok(Section { name, content: vec![] })
    }

    fn read_section(&mut self, marker: Vec<u8>) -> Result<Section> {
        let (name, head, place) = self.read_head(marker)?;
        let source = &mut self.source;
        let (stored, length) = (format::u64_at(&head, 8), format::u64_at(&head, 16));
        if stored > packing::MAX_STORED_BYTES || length > MAX_CONTENT_BYTES {
            let reason = format!("states {length} bytes; the maximum is {MAX_CONTENT_BYTES}");
            return Err(source.damaged(&place, reason));
        }
        let stored = source.take(stored, &place)?;
        source.check(&stored, &place)?;
        let content = packing::unpack(&stored, length);
        let content = content.map_err(|reason| source.damaged(&place, reason))?;
        Ok(Section { name, content })
    }

    fn read_end(&mut self, mut end: Vec<u8>) -> Result<()> {
        let source = &mut self.source;
        let offset = source.offset - format::MARKER_BYTES;
        let place = Place { name: "the end frame".into(), offset };
        end.extend(source.take(format::END_BYTES - format::MARKER_BYTES, &place)?);
        source.check(&end, &place)?;
        let (sections, content) = (format::u64_at(&end, 4), &end[12..]);
        if self.incomplete {
            return Ok(());
        }
        if sections != self.content.sections as u64 || content != self.content.sha256() {
            return Err(source.damaged(&place, "does not fit the sections before it".into()));
        }
        if source.offset != source.length {
            return Err(source.damaged(&place, "is not the end of the file".into()));
        }
        let (sha256, sections) = (finished(source.digest.take()), self.content.sections);
        self.summary = Some(Summary { sha256, bytes: source.length, sections });
        Ok(())
    }
}

impl Iterator for Reader {
    type Item = Result<Section>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let frame = self.read_frame().transpose();
        self.finished = !matches!(frame, Some(Ok(_)));
        frame
    }
}

fn read_header(source: &mut Source, expected: Option<Kind>) -> Result<(Kind, Provenance)> {
    let path = source.path.clone();
    let place = Place { name: "the header".into(), offset: 0 };
    let mut header = source.take_up_to(8)?;
    let kind = match Kind::find(|kind| *kind.magic() == *header) {
        Some(kind) => kind,
        // This is a file of this program of which at most the first seven bytes are left.
        None if header.len() < 8 && b"OTHELLO".starts_with(&header) => {
            return Err(source.truncated(&place));
        }
        None => {
            let mut keys = [&b"name"[..], b"scalars", b"[[patter"].into_iter();
            let is_set = keys.any(|key| header.starts_with(key));
            let set = "is a pattern set, not weights; `fit --patterns` makes weights for it";
            let set = (is_set && expected == Some(Kind::Weights)).then(|| set.to_owned());
            let expected = expected.map_or("games, positions or weights", Kind::description);
            let found = header.escape_ascii().to_string();
            let conversion = unreadable(&header).or(set);
            return Err(FileError::Foreign { path, expected, found, conversion });
        }
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
    let provenance = Provenance::parse(&header[format::HEADER_BYTES as usize..]);
    let reason = "has a provenance that is not a JSON object";
    let provenance = provenance.ok_or_else(|| source.damaged(&place, reason.into()))?;
    Ok((kind, provenance))
}
