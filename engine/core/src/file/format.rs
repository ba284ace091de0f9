//! The bytes of the container format, as `datasets/formats.md` describes them. Integers are
//! little-endian.

use sha2::{Digest, Sha256};

use super::Provenance;
use super::packing::{self, MAX_CONTENT_BYTES};

/// The version of the format in written files, and the newest version that can be read.
pub const VERSION: u32 = 1;

pub(super) const MAX_PROVENANCE_BYTES: u32 = 1 << 20;
pub(super) const MAX_NAME_BYTES: u32 = 255;

pub(super) const SECTION_MARKER: &[u8; 4] = b"SECT";
pub(super) const RAW_MARKER: &[u8; 4] = b"RAWS";
pub(super) const END_MARKER: &[u8; 4] = b"END.";

/// The length of a header's fixed part: magic number, version, and the length of the provenance.
pub(super) const HEADER_BYTES: u64 = 16;
pub(super) const MARKER_BYTES: u64 = 4;
/// The length of a section's fixed part: marker, and lengths of name, stored bytes and content.
pub(super) const SECTION_BYTES: u64 = 24;
/// The length of the end frame without its checksum: marker, section count, SHA-256 of the content.
pub(super) const END_BYTES: u64 = 44;
pub(super) const CHECKSUM_BYTES: u64 = 4;

/// The kind of a file's content. Each kind has its own magic number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Evaluation weights.
    Weights,
    /// Game records.
    Games,
    /// Scored positions.
    Positions,
    /// All positions up to some ply, with scores: data for training, never for validation.
    Openings,
    /// Scored positions, each with its game's number and its subset (training, validation, test).
    Placed,
    /// The pairs of games of a match between two players.
    Match,
    /// The results of one part of a long command's work, or a snapshot of an unfinished part.
    Part,
}

/// For each kind of file, in the order of the variants: the kind, its magic number, its usual
/// extension, its name in messages, and its zstd compression level. Files of random games are 10 %
/// smaller at level 15 than at 9. Factor vectors of weights are not smaller above level 1.
const KINDS: [(Kind, &[u8; 8], &str, &str, i32); 7] = [
    (Kind::Weights, b"OTHELLOW", "weights", "a weights file", 1),
    (Kind::Games, b"OTHELLOG", "games", "a file of games", 15),
    (Kind::Positions, b"OTHELLOP", "positions", "a file of positions", 15),
    (Kind::Openings, b"OTHELLOO", "openings", "a file of openings", 15),
    (Kind::Placed, b"OTHELLOS", "placed", "a file of positions with games", 15),
    (Kind::Match, b"OTHELLOM", "match", "the file of a match", 15),
    (Kind::Part, b"OTHELLOR", "part", "a part of a run", 1),
];

impl Kind {
    pub(crate) fn find(is_wanted: impl Fn(Self) -> bool) -> Option<Self> {
        KINDS.iter().map(|row| row.0).find(|&kind| is_wanted(kind))
    }

    pub(super) const fn magic(self) -> &'static [u8; 8] {
        KINDS[self as usize].1
    }

    pub(crate) const fn name(self) -> &'static str {
        KINDS[self as usize].2
    }

    pub(super) const fn description(self) -> &'static str {
        KINDS[self as usize].3
    }

    /// Returns true for kinds whose files consist of records: games, or scored positions.
    pub const fn is_of_records(self) -> bool {
        matches!(self, Self::Games | Self::Positions | Self::Openings | Self::Placed)
    }
}

pub(super) fn header(kind: Kind, provenance: &Provenance) -> Result<Vec<u8>, String> {
    let json = provenance.canonical();
    let length = u32::try_from(json.len()).ok().filter(|&bytes| bytes <= MAX_PROVENANCE_BYTES);
    let length = length.ok_or_else(|| {
        format!("has {} bytes of JSON; the most is {MAX_PROVENANCE_BYTES}", json.len())
    })?;
    let mut bytes = kind.magic().to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(json.as_bytes());
    append_checksum(&mut bytes, 0);
    Ok(bytes)
}

pub(super) fn section(kind: Kind, name: &str, content: &[u8]) -> Result<Vec<u8>, String> {
    if content.len() as u64 > MAX_CONTENT_BYTES {
        return Err(format!("{} bytes; the most is {MAX_CONTENT_BYTES}", content.len()));
    }
    let level = KINDS[kind as usize].4;
    let stored = packing::pack(content, level).map_err(|error| error.to_string())?;
    let mut bytes = head(SECTION_MARKER, name, [stored.len() as u64, content.len() as u64])?;
    let stored_from = bytes.len();
    bytes.extend(stored);
    append_checksum(&mut bytes, stored_from);
    Ok(bytes)
}

/// Returns the offset at which uncompressed content begins: the first multiple of 64 ≥ `head_end`.
pub(super) const fn raw_content(head_end: u64) -> u64 {
    head_end.next_multiple_of(64)
}

/// Returns the bytes of a section's head. `lengths` are the numbers of stored (compressed) bytes
/// and of content bytes.
pub(super) fn head(marker: &[u8; 4], name: &str, lengths: [u64; 2]) -> Result<Vec<u8>, String> {
    let name_length = u32::try_from(name.len()).ok().filter(|n| (1..=MAX_NAME_BYTES).contains(n));
    let name_length =
        name_length.ok_or_else(|| format!("its name must have 1 to {MAX_NAME_BYTES} bytes"))?;
    let mut bytes = marker.to_vec();
    bytes.extend(name_length.to_le_bytes());
    bytes.extend(lengths.map(u64::to_le_bytes).as_flattened());
    bytes.extend(name.as_bytes());
    append_checksum(&mut bytes, 0);
    Ok(bytes)
}

pub(super) fn end(content: &ContentHash) -> Vec<u8> {
    let mut bytes = END_MARKER.to_vec();
    bytes.extend((content.sections as u64).to_le_bytes());
    bytes.extend(content.sha256());
    append_checksum(&mut bytes, 0);
    bytes
}

fn append_checksum(bytes: &mut Vec<u8>, from: usize) {
    let checksum = crc32fast::hash(&bytes[from..]);
    bytes.extend(checksum.to_le_bytes());
}

#[derive(Clone, Default)]
pub(super) struct ContentHash {
    digest: Sha256,
    pub(super) sections: usize,
}

impl ContentHash {
    pub(super) fn add(&mut self, name: &str, content: &[u8]) {
        for part in [name.as_bytes(), content] {
            self.digest.update((part.len() as u64).to_le_bytes());
            self.digest.update(part);
        }
        self.sections += 1;
    }

    pub(super) fn add_raw(&mut self, name: &str, length: u64, checksum: u32) {
        self.add(name, &[&length.to_le_bytes()[..], &checksum.to_le_bytes()].concat());
    }

    pub(super) fn sha256(&self) -> [u8; 32] {
        self.digest.clone().finalize().into()
    }
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |&field| u32::from_le_bytes(field))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |&field| u64::from_le_bytes(field))
}
