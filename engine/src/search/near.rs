//! The small table near the leaves: it stays in the processor's cache, where the large one does not.

use crate::board::{Discs, Position, Square};

/// As a power of two. 256 KiB of entries.
const ENTRIES_LOG2: u32 = 13;
/// Stands for no move.
const NO_SQUARE: u8 = 64;

/// What is known of the score of a position.
#[derive(Clone, Copy, Debug, bytemuck::Zeroable)]
#[repr(C, align(32))]
struct Entry {
    player: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
    best: u8,
}

/// Bounds on a score, and the move that was best last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) lower: Discs,
    pub(super) upper: Discs,
    pub(super) best: Option<Square>,
}

/// One entry for each hash; the last one stays. Scores only, so that no depth is kept.
#[derive(Debug)]
pub(super) struct NearTable {
    entries: Vec<Entry>,
    /// Searches far from the leaves write nothing: there is nothing to clear then, and clearing
    /// would take longer than a static value or a shallow search.
    written: bool,
}

impl NearTable {
    /// An empty table.
    pub(super) fn new() -> Self {
        Self { entries: bytemuck::zeroed_vec(1 << ENTRIES_LOG2), written: false }
    }

    /// Forgets everything. No position has two empty bitboards, so that zeros match none.
    pub(super) fn clear(&mut self) {
        if self.written {
            self.entries.fill(bytemuck::Zeroable::zeroed());
            self.written = false;
        }
    }

    /// What is known of a position.
    #[inline]
    pub(super) fn probe(&self, position: Position) -> Option<Known> {
        let entry = &self.entries[place(position)];
        (entry.player == position.player() && entry.opponent == position.opponent()).then(|| {
            Known {
                lower: entry.lower.into(),
                upper: entry.upper.into(),
                best: Square::new(entry.best),
            }
        })
    }

    /// Records bounds on the score and the best move, over whatever was there.
    #[inline]
    pub(super) fn store(
        &mut self,
        position: Position,
        lower: Discs,
        upper: Discs,
        best: Option<Square>,
    ) {
        self.written = true;
        self.entries[place(position)] = Entry {
            player: position.player(),
            opponent: position.opponent(),
            lower: lower as i8,
            upper: upper as i8,
            best: best.map_or(NO_SQUARE, |square| square.index() as u8),
        };
    }
}

/// The upper bits of two products, which depend on all bits of the boards.
#[inline]
fn place(position: Position) -> usize {
    let player = position.player().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let opponent = position.opponent().wrapping_mul(0xD1B5_4A32_D192_ED03);
    ((player ^ opponent) >> (64 - ENTRIES_LOG2)) as usize
}
