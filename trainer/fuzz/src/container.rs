//! Makes files in the container format (`datasets/formats.md`) that have valid checksums, but may
//! have wrong numbers, such as lengths.

use sha2::{Digest, Sha256};

/// The letters of the file kinds from which the fuzz target `container` chooses. The magic number
/// of a file ends with the letter of its kind.
pub(crate) const KINDS: [u8; 5] = *b"WGPOC";

pub(crate) const VERSION: u32 = 1;

/// A section of a container file. Its stated lengths and its stored bytes may be wrong on purpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Section {
    /// The name; readers accept only a text of 1 to 255 bytes.
    pub(crate) name: Vec<u8>,
    /// The uncompressed content, which the checksum of the container covers.
    pub(crate) content: Vec<u8>,
    /// The section's bytes in the file; readers accept only exactly one zstd frame.
    pub(crate) stored: Vec<u8>,
    pub(crate) stated_stored: u64,
    pub(crate) stated_content: u64,
}

impl Section {
    pub(crate) fn new(name: &str, content: &[u8]) -> Self {
        let stored = zstd::bulk::compress(content, 1).expect("memory can be compressed");
        Self::stored(name, content, stored)
    }

    /// Creates a section with the given stored bytes, even if they do not decompress to `content`.
    pub(crate) fn stored(name: &str, content: &[u8], stored: Vec<u8>) -> Self {
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

pub(crate) fn header(kind: u8, version: u32, provenance: &[u8]) -> Vec<u8> {
    let mut header = b"OTHELLO".to_vec();
    header.push(kind);
    header.extend(version.to_le_bytes());
    header.extend((provenance.len() as u32).to_le_bytes());
    header.extend(provenance);
    checksummed(header)
}

/// Returns the bytes of a complete file with valid checksums.
pub(crate) fn file(kind: u8, version: u32, provenance: &[u8], sections: &[Section]) -> Vec<u8> {
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

/// Returns the bytes of an incomplete file: a header and sections, but not the end frame.
pub(crate) fn partial(mut header: Vec<u8>, sections: &[Section]) -> Vec<u8> {
    sections.iter().for_each(|section| header.extend(section.frame()));
    header
}

fn checksummed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// The parts of an undamaged container file.
#[derive(Clone)]
pub(crate) struct Container {
    pub(crate) kind: u8,
    pub(crate) header: Vec<u8>,
    pub(crate) provenance: Vec<u8>,
    /// The bytes of each section in the file, then of the end frame, if there is one.
    pub(crate) frames: Vec<Vec<u8>>,
    pub(crate) sections: Vec<Section>,
}

impl Container {
    /// Splits a file into its parts. The file must be undamaged, but its last frame may be cut off.
    pub(crate) fn of(bytes: &[u8]) -> Self {
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

    /// Returns the bytes of a file with these sections and valid checksums. The file has an end
    /// frame if `frames` has one.
    pub(crate) fn bytes(&self, version: u32) -> Vec<u8> {
        if self.frames.last().is_some_and(|frame| frame.starts_with(b"END.")) {
            file(self.kind, version, &self.provenance, &self.sections)
        } else {
            partial(header(self.kind, version, &self.provenance), &self.sections)
        }
    }
}
