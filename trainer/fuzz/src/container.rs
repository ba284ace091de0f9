//! Writes the container format of `datasets/formats.md` without the program's writer, so that files
//! can contain wrong numbers with valid checksums.

use sha2::{Digest, Sha256};

/// The letters of the file kinds. The magic number of a file ends with the letter of its kind.
pub const KINDS: [u8; 5] = *b"WGPOC";

/// The only version of the format.
pub const VERSION: u32 = 1;

/// A section of a container: a name, and a content, with lengths that may be wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The name of the section. In a readable file, the name is a text of 1 to 255 bytes.
    pub name: Vec<u8>,
    /// The uncompressed content of the section, which the checksum of the whole container covers.
    pub content: Vec<u8>,
    /// The bytes that the file stores for the content. Readers accept only a single zstd frame.
    pub stored: Vec<u8>,
    /// The length that the section states for its stored bytes; it may be wrong.
    pub stated_stored: u64,
    /// The length that the section states for its content; it may be wrong.
    pub stated_content: u64,
}

impl Section {
    /// Returns a valid section with this name and content.
    pub fn new(name: &str, content: &[u8]) -> Self {
        let stored = zstd::bulk::compress(content, 1).expect("memory can be compressed");
        Self::stored(name, content, stored)
    }

    /// Returns a section with the given stored bytes, which need not decompress to the content.
    pub fn stored(name: &str, content: &[u8], stored: Vec<u8>) -> Self {
        Self {
            name: name.into(),
            content: content.to_vec(),
            stated_stored: stored.len() as u64,
            stated_content: content.len() as u64,
            stored,
        }
    }

    fn frame(&self) -> Vec<u8> {
        let mut head = b"SECT".to_vec();
        head.extend((self.name.len() as u32).to_le_bytes());
        head.extend(self.stated_stored.to_le_bytes());
        head.extend(self.stated_content.to_le_bytes());
        head.extend(&self.name);
        [checksummed(head), checksummed(self.stored.clone())].concat()
    }
}

/// Returns a file header: the magic number of `kind`, version, provenance and valid checksum.
pub fn header(kind: u8, version: u32, provenance: &[u8]) -> Vec<u8> {
    let mut header = b"OTHELLO".to_vec();
    header.push(kind);
    header.extend(version.to_le_bytes());
    header.extend((provenance.len() as u32).to_le_bytes());
    header.extend(provenance);
    checksummed(header)
}

/// Returns the bytes of a complete file of the kind with the letter `kind`, with valid checksums.
pub fn file(kind: u8, version: u32, provenance: &[u8], sections: &[Section]) -> Vec<u8> {
    let mut bytes = partial(header(kind, version, provenance), sections);
    let mut digest = Sha256::new();
    for section in sections {
        for part in [&section.name, &section.content] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    let mut end = b"END.".to_vec();
    end.extend((sections.len() as u64).to_le_bytes());
    end.extend(digest.finalize());
    bytes.extend(checksummed(end));
    bytes
}

/// Returns the bytes of an unfinished file: the header and the sections, without an end frame.
pub fn partial(mut header: Vec<u8>, sections: &[Section]) -> Vec<u8> {
    sections.iter().for_each(|section| header.extend(section.frame()));
    header
}

fn checksummed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// An undamaged container file, split into its header and frames so that they can be recombined.
#[derive(Clone)]
pub struct Container {
    /// The letter of the file's kind, with which its magic number ends.
    pub kind: u8,
    /// The bytes before the first section.
    pub header: Vec<u8>,
    /// The provenance in the header, as the bytes of its JSON.
    pub provenance: Vec<u8>,
    /// The bytes of each section's frame, followed by those of the end frame, if there is one.
    pub frames: Vec<Vec<u8>>,
    /// The decoded sections, which tests change to build invalid files.
    pub sections: Vec<Section>,
}

impl Container {
    /// Splits the bytes of an undamaged container file, complete or not, into its parts. An
    /// incomplete last frame becomes the last element of `frames`.
    pub fn of(bytes: &[u8]) -> Self {
        let eight = |at: usize| bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        let number = |at: usize| u64::from_le_bytes(eight(at).unwrap_or_default()) as usize;
        let length = number(8) >> 32;
        let (header, provenance) = (bytes[..20 + length].to_vec(), bytes[16..16 + length].to_vec());
        let (mut at, mut frames, mut sections) = (20 + length, vec![], vec![]);
        while bytes[at..].starts_with(b"SECT") {
            let (name, stored, content) = (number(at) >> 32, number(at + 8), number(at + 16));
            let name_at = at + 24;
            let stored_at = name_at + name + 4;
            let Some(packed) = bytes.get(stored_at..stored_at + stored) else { break };
            let Ok(unpacked) = zstd::bulk::decompress(packed, content) else { break };
            let name = String::from_utf8_lossy(&bytes[name_at..name_at + name]);
            sections.push(Section::stored(&name, &unpacked, packed.to_vec()));
            frames.push(bytes[at..stored_at + stored + 4].to_vec());
            at = stored_at + stored + 4;
        }
        frames.extend((at < bytes.len()).then(|| bytes[at..].to_vec()));
        Self { kind: bytes[7], header, provenance, frames, sections }
    }

    /// Returns the bytes of a file of this version with the provenance and the sections, and with
    /// valid checksums. The file has an end frame if the original file had one.
    pub fn bytes(&self, version: u32) -> Vec<u8> {
        if self.frames.last().is_some_and(|frame| frame.starts_with(b"END.")) {
            file(self.kind, version, &self.provenance, &self.sections)
        } else {
            partial(header(self.kind, version, &self.provenance), &self.sections)
        }
    }
}
