//! The shallow table: a transposition table for nodes near the leaves, so small that it mostly
//! stays in the processor's cache.

use std::alloc::{Layout, handle_alloc_error};

use super::slot::prefetch;
use crate::board::{Discs, Position};

/// Positions with at least this number of empty squares have their entries in the upper half of the
/// table. These entries save the most nodes, but the many entries of positions with fewer empty
/// squares would soon overwrite them if both shared one half.
const FAR_EMPTIES: u32 = 10;
/// The binary logarithm of the number of entries in each half. The whole table has 1 MiB, so that
/// it stays in a processor's level-2 cache.
const HALF_LOG2: u32 = 14;
const ENTRIES: usize = 2 << HALF_LOG2;

#[derive(Clone, Copy, Debug, bytemuck::Zeroable)]
#[repr(C, align(32))]
struct Entry {
    player: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
    /// The table's generation when the entry was written; 0 if it was never written. Searches
    /// ignore entries of earlier generations.
    generation: u8,
}

type Entries = [Entry; ENTRIES];

/// A table of bounds on exact scores. A new entry always replaces the old entry in its slot.
#[derive(Debug)]
pub(super) struct ShallowTable {
    entries: Box<Entries>,
    generation: u8,
}

impl ShallowTable {
    pub(super) fn new() -> Self {
        let entries = bytemuck::allocation::try_zeroed_box();
        let entries = entries.unwrap_or_else(|()| handle_alloc_error(Layout::new::<Entries>()));
        Self { entries, generation: 1 }
    }

    pub(super) fn step_generation(&mut self) {
        if self.generation == u8::MAX {
            self.entries.fill(bytemuck::Zeroable::zeroed());
            self.generation = 0;
        }
        self.generation += 1;
    }

    #[inline]
    pub(super) fn prefetch(&self, slot: ShallowSlot) {
        prefetch(&self.entries[slot.index()]);
    }

    /// Returns the bounds (lower, upper) of the position's score; `None` without an entry.
    #[inline]
    pub(super) fn probe(&self, slot: ShallowSlot, position: Position) -> Option<(Discs, Discs)> {
        let entry = &self.entries[slot.index()];
        let is_there = entry.player == position.player()
            && entry.opponent == position.opponent()
            && entry.generation == self.generation;
        is_there.then(|| (entry.lower.into(), entry.upper.into()))
    }

    #[inline]
    pub(super) fn store(
        &mut self,
        slot: ShallowSlot,
        position: Position,
        (lower, upper): (Discs, Discs),
    ) {
        self.entries[slot.index()] = Entry {
            player: position.player(),
            opponent: position.opponent(),
            lower: lower as i8,
            upper: upper as i8,
            generation: self.generation,
        };
    }
}

#[derive(Clone, Copy)]
pub(super) struct ShallowSlot(u32);

impl ShallowSlot {
    #[inline(always)]
    pub(super) fn of(position: Position, empties: u32) -> Self {
        let player = position.player().wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let opponent = position.opponent().wrapping_mul(0xD1B5_4A32_D192_ED03);
        let half = u32::from(empties >= FAR_EMPTIES) << HALF_LOG2;
        Self(half + ((player ^ opponent) >> (64 - HALF_LOG2)) as u32)
    }

    /// Returns the slot's index. The explicit limit lets the compiler omit bounds checks.
    #[inline(always)]
    fn index(self) -> usize {
        (self.0 as usize).min(ENTRIES - 1)
    }
}
