//! The container as `datasets/formats.md` describes it, byte by byte and apart from the program's
//! own writer: so that its numbers can lie while its checksums are right.

use sha2::{Digest, Sha256};

/// The letter of each kind at the end of its magic number.
pub const KINDS: [u8; 5] = *b"WGPOC";

/// The first and the only version of the format.
pub const VERSION: u32 = 1;

/// A named part of a container.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// 1 to 255 bytes of text, if it is to be read.
    pub name: Vec<u8>,
    /// The content as the checksum of the whole has it.
    pub content: Vec<u8>,
    /// What is stored for it: one zstd frame, if it is to be read.
    pub stored: Vec<u8>,
    /// How long the stored bytes are said to be.
    pub stated_stored: u64,
    /// How long the content is said to be.
    pub stated_content: u64,
}

impl Section {
    /// A sound section.
    pub fn new(name: &str, content: &[u8]) -> Self {
        let stored = zstd::bulk::compress(content, 1).expect("memory can be compressed");
        Self::stored(name, content, stored)
    }

    /// A section whose stored bytes are these, whatever they unpack to.
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

/// A header: magic of the kind with this letter, version, provenance, checksum.
pub fn header(kind: u8, version: u32, provenance: &[u8]) -> Vec<u8> {
    let mut header = b"OTHELLO".to_vec();
    header.push(kind);
    header.extend(version.to_le_bytes());
    header.extend((provenance.len() as u32).to_le_bytes());
    header.extend(provenance);
    checksummed(header)
}

/// A whole file of the kind with this letter.
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

/// A header and sections without an end.
pub fn partial(mut header: Vec<u8>, sections: &[Section]) -> Vec<u8> {
    sections.iter().for_each(|section| header.extend(section.frame()));
    header
}

fn checksummed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}
