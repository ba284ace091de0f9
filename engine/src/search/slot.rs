use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crate::board::Position;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Content {
    pub(super) player: u64,
    pub(super) opponent: u64,
    pub(super) entry: u64,
    /// The table's generation when the slot was written; 0 if it was never written. Searches ignore
    /// entries of earlier generations.
    pub(super) generation: u32,
    /// The slot's sequence number when it was read, by which a later write is detected.
    pub(super) sequence: u32,
}

/// A slot of the transposition table, protected by a sequence lock. A writer makes the sequence
/// number odd, writes, and makes it even again. A reader accepts content only if the number is even
/// and does not change during the read. If two threads write at once, the second entry is lost.
/// (A reader accepts wrong content only if the number advances by exactly 2³² during the read.)
#[derive(Debug, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Slot {
    player: AtomicU64,
    opponent: AtomicU64,
    entry: AtomicU64,
    generation: AtomicU32,
    sequence: AtomicU32,
}

impl Slot {
    #[inline]
    pub(super) fn read(&self) -> Option<Content> {
        let sequence = self.sequence.load(Ordering::Acquire);
        let content = Content {
            player: self.player.load(Ordering::Relaxed),
            opponent: self.opponent.load(Ordering::Relaxed),
            entry: self.entry.load(Ordering::Relaxed),
            generation: self.generation.load(Ordering::Relaxed),
            sequence,
        };
        // All reads above must happen before the sequence number is read again.
        fence(Ordering::Acquire);
        let after = self.sequence.load(Ordering::Relaxed);
        (sequence == after && sequence & 1 == 0).then_some(content)
    }

    #[inline]
    pub(super) fn find(&self, position: &Position, generation: u32) -> Option<u64> {
        let content = self.read().filter(|content| content.is_of(position, generation))?;
        Some(content.entry)
    }

    /// Writes `content`, unless another thread has written since `content.sequence` was read.
    #[inline]
    pub(super) fn replace(&self, content: Content) {
        let (seen, odd) = (content.sequence, content.sequence.wrapping_add(1));
        let taken = self.sequence.compare_exchange(seen, odd, Ordering::Acquire, Ordering::Relaxed);
        if taken.is_err() {
            return;
        }
        // Whoever reads a value stored below also reads an odd or a later sequence number.
        fence(Ordering::Release);
        self.player.store(content.player, Ordering::Relaxed);
        self.opponent.store(content.opponent, Ordering::Relaxed);
        self.entry.store(content.entry, Ordering::Relaxed);
        self.generation.store(content.generation, Ordering::Relaxed);
        self.sequence.store(seen.wrapping_add(2), Ordering::Release);
    }
}

impl Content {
    #[inline]
    pub(super) fn is_of(&self, position: &Position, generation: u32) -> bool {
        self.player == position.player()
            && self.opponent == position.opponent()
            && self.generation == generation
    }
}

#[inline]
pub(super) fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing; SSE is part of x86-64.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(what).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable as _;

    #[test]
    fn nothing_is_written_over_what_came_later() {
        let slot = Slot::zeroed();
        let seen = slot.read().unwrap();
        slot.replace(Content { generation: 1, ..seen });
        slot.replace(Content { generation: 2, ..seen });
        assert_eq!(slot.read().unwrap().generation, 1);
    }
}
