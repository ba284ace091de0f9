//! Ways to damage a file: changed bytes, and invalid numbers or content under valid checksums.

use std::collections::BTreeSet;

use crate::container::{self, Container, Section};
use crate::mutation::{Draws, mutate};

pub(crate) struct Damaged {
    pub(crate) what: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) fate: Fate,
}

/// The required reaction of a reader to a damaged file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// The reader must refuse the file, and name it and the place of the damage.
    Refused,
    /// The reader may accept the file, which has no checksum. If it refuses the file, it must name
    /// the file and the place of the damage.
    RefusedByPlace,
    /// The reader may accept or refuse the file, which is undamaged or has valid checksums.
    Any,
}

/// The number of ways to damage a container file, and the number of ways for any other file.
const WAYS: [usize; 2] = [27, 10];

/// Returns a damaged copy of the file `sound`; `number` selects the kind of damage. Some kinds copy
/// content from other undamaged files, which are in `everything`.
pub(crate) fn damage(
    sound: &[u8],
    number: usize,
    everything: &[Vec<u8>],
    draws: &mut Draws,
) -> Damaged {
    let is_container = sound.starts_with(b"OTHELLO");
    let at = draws.below(sound.len());
    let way = number % if is_container { WAYS[0] } else { WAYS[1] };
    let (what, bytes): (&'static str, Vec<u8>) = match way {
        0 | 1 => ("a changed byte", changed(sound, at, draws)),
        2 => ("cut off", sound[..at].to_vec()),
        3 => ("longer", [sound, &mutate(b"\0\0\0\0\0\0", sound, draws)[..]].concat()),
        4 => ("foreign", foreign(everything, sound, draws)),
        5 => ("pieces swapped, doubled or removed", rearranged(sound, draws)),
        6 => ("changed in several places", mutate(sound, sound, draws)),
        7 if draws.below(8) == 0 => ("empty", vec![]),
        7 => ("control characters", mutate(sound, b"\x1b[2J\0\xff 9999999999", draws)),
        _ if is_container && way < 16 => return lying(&Container::of(sound), way - 8, draws),
        _ if is_container => return forged(&Container::of(sound), way - 16, draws),
        8 => ("an enormous number or line", enormous(sound, draws)),
        _ => ("mixed", mutate(sound, &foreign(everything, sound, draws), draws)),
    };
    let fate = match is_container {
        _ if everything.contains(&bytes) => Fate::Any,
        true => Fate::Refused,
        false => Fate::RefusedByPlace,
    };
    Damaged { what, bytes, fate }
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
        _ if everything.is_empty() => vec![],
        _ => everything[draws.below(everything.len())].clone(),
    };
    if foreign == sound { b"somebody's notes\n".to_vec() } else { foreign }
}

fn rearranged(sound: &[u8], draws: &mut Draws) -> Vec<u8> {
    let chunks = |length| sound.chunks(length).map(<[u8]>::to_vec).collect();
    let mut pieces: Vec<Vec<u8>> = if sound.starts_with(b"OTHELLO") {
        let Container { header, frames, .. } = Container::of(sound);
        std::iter::once(header).chain(frames).collect()
    } else if str::from_utf8(sound).is_ok() {
        sound.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
    } else {
        // The lengths in bytes of a WTHOR game and an Egaroucid board, and one arbitrary length.
        chunks(*draws.one(&[68, 19, 64]))
    };
    let (one, other) = (draws.below(pieces.len()), draws.below(pieces.len()));
    match draws.below(3) {
        0 => pieces.swap(one, other),
        1 => pieces.insert(other, pieces[one].clone()),
        _ => drop(pieces.remove(one)),
    }
    pieces.concat()
}

fn enormous(sound: &[u8], draws: &mut Draws) -> Vec<u8> {
    let mut bytes = sound.to_vec();
    if str::from_utf8(sound).is_err() && sound.len() > 8 && draws.below(2) == 0 {
        // In a WTHOR file, these bytes of the header are the number of games.
        let games = *draws.one(&[u32::MAX, 1 << 31, 1 << 20, 5]);
        bytes[4..8].copy_from_slice(&games.to_le_bytes());
        return bytes;
    }
    let pieces = b"X|[|9| |\0|f5|1,|\n|\xC3|ping 7\n".split(|&byte| byte == b'|');
    let piece = *draws.one(&pieces.collect::<Vec<_>>());
    let times = *draws.one(&[5_000, 70_000, 3_000_000]);
    let at = draws.below(bytes.len());
    bytes.splice(at..at, piece.repeat(times));
    bytes
}

/// Returns a copy of `sound` with valid checksums and one fault, such as a wrong size: number `way`
/// (from 0) of the list `WHAT`.
fn lying(sound: &Container, way: usize, draws: &mut Draws) -> Damaged {
    const SIZES: [u64; 5] = [u64::MAX, 1 << 63, 1 << 40, 1 << 30, 1 << 26];
    const WHAT: &str = "a newer version|an enormous stored size|an enormous size|\
        a section that unpacks to more than it states|as many zeros as are allowed|\
        a window that is too large|a torn section|a name of 0 or 300 bytes";
    let mut lying = sound.clone();
    let section = draws.below(lying.sections.len());
    let one = &mut lying.sections[section];
    let (mut version, length) = (container::VERSION, one.content.len());
    match way {
        0 => version = *draws.one(&[2, 3, 99, u32::MAX]),
        1 => one.stated_stored = *draws.one(&SIZES),
        2 => one.stated_content = *draws.one(&SIZES),
        3 => one.stored = bomb(*draws.one(&[1 << 26, 1 << 27, 1 << 30]), *draws.one(&[10, 17, 26])),
        4 => {
            let bytes = *draws.one(&[1 << 26, 1 << 20, 1 << 20, 1 << 20]);
            (one.stored, one.stated_content) = (bomb(bytes, 17), bytes as u64);
            one.content = vec![0; bytes];
        }
        5 => {
            one.stored = bomb(length, *draws.one(&[27, 30, 31, 41]));
            one.content.fill(0);
        }
        6 => one.stored.truncate(draws.below(one.stored.len())),
        _ => one.name = vec![b'n'; draws.below(2) * 300],
    }
    if (3..7).contains(&way) {
        one.stated_stored = one.stored.len() as u64;
    }
    let what = WHAT.split('|').nth(way).unwrap_or_default();
    Damaged { what, bytes: lying.bytes(version), fate: Fate::Refused }
}

/// Draws the index of a section, so that every kind of section is equally likely. The kind of a
/// section is its name without a number at the end.
fn place_of_a_kind(container: &Container, draws: &mut Draws) -> usize {
    let kind = |section: &Section| {
        let name = String::from_utf8_lossy(&section.name).into_owned();
        name.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned()
    };
    let all: Vec<String> = container.sections.iter().map(kind).collect();
    let kinds: Vec<&String> = all.iter().collect::<BTreeSet<_>>().into_iter().collect();
    let wanted = kinds[draws.below(kinds.len())];
    let places: Vec<usize> = (0..all.len()).filter(|&at| all[at] == *wanted).collect();
    places[draws.below(places.len())]
}

/// Returns a copy of `sound` with valid checksums but changed content. The change is number `way`
/// (from 0) of the list `WHAT`.
fn forged(sound: &Container, way: usize, draws: &mut Draws) -> Damaged {
    const WHAT: &str = "a changed section|a section of one byte|a short section|\
        a section of one number|a section of 16 MB of zeros|a section dropped|a section doubled|\
        sections swapped|other provenance|a section by another name|\
        provenance with control characters";
    let mut forged = sound.clone();
    let (place, other) = (place_of_a_kind(sound, draws), draws.below(sound.sections.len()));
    let section = &sound.sections[place];
    let content = &section.content;
    let renewed =
        |content: &[u8]| Section { name: section.name.clone(), ..Section::new("", content) };
    let sections = &mut forged.sections;
    match way {
        0 => sections[place] = renewed(&mutate(content, b"\xff\xff\x7f\x80\0\0", draws)),
        1 => sections[place] = renewed(&vec![*draws.one(&[0, 0x7F, 0x80, 0xFF]); content.len()]),
        2 => sections[place] = renewed(&content[..draws.below(content.len())]),
        3 => {
            let step = draws.one(&[60_000_u16, 65_535, 1]).to_le_bytes();
            let mut steps = content.clone();
            steps.iter_mut().skip(2).zip(step.iter().cycle()).for_each(|(to, from)| *to = *from);
            sections[place] = renewed(&steps);
        }
        4 => sections[place] = renewed(&vec![0; 1 << 24]),
        5 => drop(sections.remove(place)),
        6 => sections.insert(*draws.one(&[place, other]), section.clone()),
        7 => sections.swap(place, other),
        8 => forged.provenance = mutate(&sound.provenance, b"{}[]\":,0-9e309null", draws),
        9 => {
            let name = String::from_utf8_lossy(&section.name);
            let other = draws.one(&["0", "+", " ", "\u{1b}[2J", "<!--<script>"]);
            let at = name.rfind(' ').map_or(0, |at| at + 1);
            sections[place].name = format!("{}{other}{}", &name[..at], &name[at..]).into_bytes();
        }
        _ => {
            let long = "\u{1b}]0;k\u{9b}2J<!--<script>".repeat(5000);
            let provenance = serde_json::json!({"command": long, long.as_str(): long});
            forged.provenance = provenance.to_string().into_bytes();
        }
    }
    let what = WHAT.split('|').nth(way).unwrap_or_default();
    Damaged { what, bytes: forged.bytes(container::VERSION), fate: Fate::Any }
}

/// Damages `bytes`, a file from which an unfinished run resumes. Also returns true if the run can
/// detect the damage, so that its result must be that of an undisturbed run.
pub(crate) fn damage_unfinished(bytes: &[u8], draws: &mut Draws) -> (Damaged, bool) {
    let sound = Container::of(bytes);
    // Ways 5 to 7 remove, duplicate or swap sections, which must not change the result.
    let way = match draws.below(3) {
        way if way == 0 || sound.sections.is_empty() => {
            return (damage(bytes, draws.below(3), &[], draws), true);
        }
        1 => 5 + draws.below(3),
        _ => draws.below(11),
    };
    (forged(&sound, way, draws), (5..8).contains(&way))
}

/// Returns a small zstd frame that unpacks to `bytes` zeros, with a window of 2^`window` bytes.
fn bomb(bytes: usize, window: u8) -> Vec<u8> {
    const BLOCK: usize = 128 << 10;
    // The frame header: magic number, a descriptor (no checksum, size, dictionary), window size.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, (window - 10) << 3];
    let block = BLOCK.min(1 << window);
    let mut left = bytes;
    loop {
        let size = left.min(block);
        left -= size;
        // The header of a block: size, type 1 (one repeated byte), and the flag of the last block.
        let head = (size as u32) << 3 | 1 << 1 | u32::from(left == 0);
        frame.extend(&head.to_le_bytes()[..3]);
        frame.push(0);
        if left == 0 {
            return frame;
        }
    }
}
