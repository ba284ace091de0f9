//! Ways to damage a file, drawn by a seed.

use othello_testing::container::{self, Container};
use othello_testing::mutation::{Draws, mutate};

use super::kinds::Kind;

/// A damaged file.
pub(super) struct Damaged {
    pub(super) what: &'static str,
    pub(super) bytes: Vec<u8>,
    /// True if the file must be refused even though it has no checksum, or its checksums are right.
    pub(super) must_be_refused: bool,
    /// True if the file is sound after all, as this kind or another.
    pub(super) sound: bool,
}

/// Damages a sound file in the `number`-th way of a round.
pub(super) fn damage(
    kind: &Kind,
    number: usize,
    everything: &[Vec<u8>],
    draws: &mut Draws,
) -> Damaged {
    let sound = &kind.bytes;
    let at = draws.below(sound.len());
    let (what, bytes): (&'static str, Vec<u8>) = match number % 16 {
        0..4 => ("a changed byte", changed(sound, at, draws)),
        4 | 5 => ("cut off", sound[..at].to_vec()),
        6 => ("longer", [sound, &mutate(b"\0\0\0\0\0\0", sound, draws)[..]].concat()),
        7 => ("foreign", foreign(everything, sound, draws)),
        8 => ("pieces swapped, doubled or taken out", rearranged(kind, draws)),
        9 => ("changed in several places", mutate(sound, sound, draws)),
        10 if number == 10 => ("empty", vec![]),
        _ if kind.magic.is_some() => return lying(kind, draws),
        10 | 11 => ("an enormous number", enormous(kind, draws)),
        _ => {
            ("changed in several places", mutate(sound, &foreign(everything, sound, draws), draws))
        }
    };
    let sound = everything.contains(&bytes);
    Damaged { what, bytes, must_be_refused: false, sound }
}

fn changed(sound: &[u8], at: usize, draws: &mut Draws) -> Vec<u8> {
    let mut bytes = sound.to_vec();
    bytes[at] ^= 1 + draws.below(255) as u8;
    bytes
}

fn foreign(everything: &[Vec<u8>], sound: &[u8], draws: &mut Draws) -> Vec<u8> {
    let foreign = match draws.below(6) {
        0 => b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(),
        1 => b"\x1b[2J\x1b[31mred\x07\n".repeat(20),
        2 => vec![0; 5000],
        3 => (0..draws.below(3000)).map(|_| draws.bits() as u8).collect(),
        _ => everything[draws.below(everything.len())].clone(),
    };
    if foreign == sound { b"somebody's notes\n".to_vec() } else { foreign }
}

/// Returns frames of a container, lines of a text, or records of another file in another order.
fn rearranged(kind: &Kind, draws: &mut Draws) -> Vec<u8> {
    let mut pieces = pieces(kind);
    let (one, other) = (draws.below(pieces.len()), draws.below(pieces.len()));
    match draws.below(3) {
        0 => pieces.swap(one, other),
        1 => pieces.insert(other, pieces[one].clone()),
        _ => drop(pieces.remove(one)),
    }
    pieces.concat()
}

fn pieces(kind: &Kind) -> Vec<Vec<u8>> {
    // Without an end frame, nothing decides the order of whole frames.
    if kind.magic.is_some() && kind.extension != "games.partial" {
        let Container { header, frames, .. } = Container::of(&kind.bytes);
        return std::iter::once(header).chain(frames).collect();
    }
    match kind.extension {
        "games.partial" => kind.bytes.chunks(64).map(<[u8]>::to_vec).collect(),
        "wtb" => kind.bytes.chunks(68).map(<[u8]>::to_vec).collect(),
        "dat" => kind.bytes.chunks(19).map(<[u8]>::to_vec).collect(),
        "txt.zst" => kind.bytes.chunks(64).map(<[u8]>::to_vec).collect(),
        _ => kind.bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect(),
    }
}

/// Returns a file without checksums whose numbers or lines are too large.
fn enormous(kind: &Kind, draws: &mut Draws) -> Vec<u8> {
    let mut bytes = kind.bytes.clone();
    if kind.extension == "wtb" {
        let games = [u32::MAX, 1 << 31, 1 << 20, 5][draws.below(4)];
        bytes[4..8].copy_from_slice(&games.to_le_bytes());
        return bytes;
    }
    let piece = [&b"X"[..], b"[", b"9", b" ", b"\0", b"f5", b"1,", b"\n", b"\xC3"][draws.below(9)];
    let times = [5_000, 70_000, 3_000_000][draws.below(3)];
    let at = draws.below(bytes.len());
    bytes.splice(at..at, piece.repeat(times));
    bytes
}

/// Returns a container whose checksums are right and whose content is not valid.
fn lying(kind: &Kind, draws: &mut Draws) -> Damaged {
    let magic = kind.magic.unwrap();
    let Container { provenance, mut sections, .. } = Container::of(&kind.bytes);
    let section = draws.below(sections.len());
    let one = &mut sections[section];
    let mut version = container::VERSION;
    let what = match draws.below(8) {
        0 => {
            version = [2, 3, 99, u32::MAX][draws.below(4)];
            "a newer version"
        }
        1 => {
            one.stated_stored = [u64::MAX, 1 << 63, 1 << 40, 1 << 30, 1 << 26][draws.below(5)];
            "an enormous stored size"
        }
        2 => {
            one.stated_content = [u64::MAX, 1 << 63, 1 << 40, 1 << 30, 1 << 26][draws.below(5)];
            "an enormous size"
        }
        3 => {
            let bytes = [1 << 26, 1 << 27, 1 << 30][draws.below(3)];
            one.stored = bomb(bytes, [10, 17, 26][draws.below(3)]);
            one.stated_stored = one.stored.len() as u64;
            "a section that unpacks to more than it states"
        }
        4 => {
            let bytes = [1 << 26, 1 << 20, 1 << 20, 1 << 20][draws.below(4)];
            one.stored = bomb(bytes, 17);
            (one.stated_stored, one.stated_content) = (one.stored.len() as u64, bytes as u64);
            one.content = vec![0; bytes];
            "as many zeros as are allowed"
        }
        5 => {
            one.stored = bomb(one.content.len(), [27, 30, 31, 41][draws.below(4)]);
            one.stated_stored = one.stored.len() as u64;
            one.content.fill(0);
            "a window that is too large"
        }
        6 => {
            let end = draws.below(one.stored.len());
            one.stored.truncate(end);
            one.stated_stored = end as u64;
            "a torn section with right checksums"
        }
        _ => {
            one.name = vec![b'n'; draws.below(2) * 300];
            "a name that is none"
        }
    };
    let bytes = if kind.extension.ends_with("partial") {
        container::partial(container::header(magic, version, &provenance), &sections)
    } else {
        container::file(magic, version, &provenance, &sections)
    };
    Damaged { what, bytes, must_be_refused: true, sound: false }
}

/// Returns a zstd frame of a few kilobytes that unpacks to `bytes` zeros and asks for a window of 2
/// to the power of `window` bytes.
fn bomb(bytes: usize, window: u8) -> Vec<u8> {
    const BLOCK: usize = 128 << 10;
    // The magic number; no checksum, no size, no dictionary; the window.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, (window - 10) << 3];
    let block = BLOCK.min(1 << window);
    let mut left = bytes;
    loop {
        let size = left.min(block);
        left -= size;
        // One byte, repeated: the type 1, after the flag for the last block.
        let head = (size as u32) << 3 | 1 << 1 | u32::from(left == 0);
        frame.extend(&head.to_le_bytes()[..3]);
        frame.push(0);
        if left == 0 {
            return frame;
        }
    }
}
