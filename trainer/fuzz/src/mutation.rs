//! Random changes of inputs, drawn from a seed, so that they are the same on every machine.

/// A random generator (SplitMix64) for tests, independent of the random generator of the programs.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ bits >> 31
    }

    /// Draws a number from 0 to `bound` − 1; returns 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.bits() % bound as u64) as usize }
    }

    pub(crate) fn one<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }
}

/// Returns `input` after one to four random changes, which may insert pieces of `other`.
pub(crate) fn mutate(input: &[u8], other: &[u8], draws: &mut Draws) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=draws.below(4) {
        let at = draws.below(bytes.len());
        let length = draws.below((bytes.len() - at).min(64) + 1);
        match draws.below(8) {
            _ if bytes.is_empty() => bytes.push(draws.bits() as u8),
            0 => bytes[at] ^= 1 << draws.below(8),
            1 => bytes[at] = draws.bits() as u8,
            2 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF, b' ', b'\n', b'9'][draws.below(8)],
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(at..at + length)),
            5 => {
                let piece = bytes[at..at + length].to_vec();
                let to = draws.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            6 => {
                let from = draws.below(other.len());
                let piece = &other[from..(from + length).min(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            _ => {
                let word = [0, 1, 0xFF, 0xFFFF, 1 << 31, 0xFFFF_FFFF, u64::MAX, 1 << 63];
                let word = word[draws.below(8)].to_le_bytes();
                let end = (at + 1 + draws.below(8)).min(bytes.len());
                bytes[at..end].copy_from_slice(&word[..end - at]);
            }
        }
    }
    bytes
}
