//! The shallow table: a small transposition table for nodes near the leaves. It stays in the
//! processor's cache; the large table does not.

use super::prefetch::prefetch;
use crate::board::{Discs, Position, Square};

/// The base-2 logarithm of the number of entries in each half of the table. Each half takes 256
/// KiB.
const ENTRIES_LOG2: u32 = 13;

/// The least number of empty squares of positions in the second half of the table. Such positions
/// are few and save most nodes. Without a separate half, the many positions with fewer empty
/// squares would replace them.
const FAR_EMPTIES: u32 = 10;

/// The square number that stands for no move.
const NO_SQUARE: u8 = 64;

/// A position and the known bounds on its score, in discs.
#[derive(Clone, Copy, Debug, bytemuck::Zeroable)]
#[repr(C, align(32))]
struct Entry {
    player: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
    best: u8,
    /// The generation in which the entry was written; 0 if it was never written.
    generation: u8,
}

/// The known bounds on a score, in discs, and the last best move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) lower: Discs,
    pub(super) upper: Discs,
    pub(super) best: Option<Square>,
}

/// A table with one entry for each hash value; a new entry replaces the old one. It only stores
/// scores, so entries have no depth.
#[derive(Debug)]
pub(super) struct ShallowTable {
    entries: Box<[Entry; 2 << ENTRIES_LOG2]>,
    generation: u8,
}

impl ShallowTable {
    /// Creates an empty table.
    pub(super) fn new() -> Self {
        Self { entries: bytemuck::zeroed_box(), generation: 1 }
    }

    /// Empties the table by advancing the generation; clears the memory only when that wraps
    /// around.
    pub(super) fn step_generation(&mut self) {
        if self.generation == u8::MAX {
            self.entries.fill(bytemuck::Zeroable::zeroed());
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// Prefetches the entry that a probe will read.
    #[inline]
    pub(super) fn prefetch(&self, slot: ShallowSlot) {
        prefetch(&self.entries[slot.index()]);
    }

    /// Returns the bounds and the best move that `slot` stores for a position; otherwise `None`.
    #[inline]
    pub(super) fn probe(&self, slot: ShallowSlot, position: Position) -> Option<Known> {
        let entry = &self.entries[slot.index()];
        let is_there = entry.player == position.player()
            && entry.opponent == position.opponent()
            && entry.generation == self.generation;
        is_there.then(|| Known {
            lower: entry.lower.into(),
            upper: entry.upper.into(),
            best: Square::new(entry.best),
        })
    }

    /// Stores bounds on the score and the best move, in place of the old entry.
    #[inline]
    pub(super) fn store(
        &mut self,
        slot: ShallowSlot,
        position: Position,
        (lower, upper): (Discs, Discs),
        best: Option<Square>,
    ) {
        self.entries[slot.index()] = Entry {
            player: position.player(),
            opponent: position.opponent(),
            lower: lower as i8,
            upper: upper as i8,
            best: best.map_or(NO_SQUARE, |square| square.index() as u8),
            generation: self.generation,
        };
    }
}

/// The slot of a position's entry, computed once and used to prefetch, probe and store.
#[derive(Clone, Copy)]
pub(super) struct ShallowSlot(u16);

const _: () = assert!(2 << ENTRIES_LOG2 <= 1 << u16::BITS);

impl ShallowSlot {
    /// Returns the slot of a position with `empties` empty squares. It is a hash: the upper bits of
    /// two products, which depend on all bits of the boards.
    #[inline(always)]
    pub(super) fn of(position: Position, empties: u32) -> Self {
        let player = position.player().wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let opponent = position.opponent().wrapping_mul(0xD1B5_4A32_D192_ED03);
        let half = u16::from(empties >= FAR_EMPTIES) << ENTRIES_LOG2;
        Self(half | ((player ^ opponent) >> (64 - ENTRIES_LOG2)) as u16)
    }

    /// Returns the index of the entry; the mask makes a bounds check unnecessary.
    #[inline(always)]
    fn index(self) -> usize {
        usize::from(self.0) & ((2 << ENTRIES_LOG2) - 1)
    }
}
