//! A slot of the transposition table: written and read by several threads at once without a lock that
//! anyone waits for.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crate::board::Position;

/// The content of a slot: a position, by its bitboards, and what is known about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Content {
    pub(super) player: u64,
    pub(super) opponent: u64,
    /// The bounds and moves, packed.
    pub(super) entry: u64,
    /// 0 in a slot that was never written.
    pub(super) generation: u32,
}

/// The state of a slot when it was read: nothing is written over what came later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen(u32);

/// A sequence lock. Who writes makes the sequence odd, and even again afterwards; who reads takes what
/// lies between two equal even numbers, so that no content is ever put together from two. Where two
/// threads meet, one of them gives up: a table may forget. (A reader would have to sleep through
/// exactly 2³² steps of one slot to be misled.)
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
    /// The content; `None` where it is being written.
    #[inline]
    pub(super) fn read(&self) -> Option<(Content, Seen)> {
        let before = self.sequence.load(Ordering::Acquire);
        let content = Content {
            player: self.player.load(Ordering::Relaxed),
            opponent: self.opponent.load(Ordering::Relaxed),
            entry: self.entry.load(Ordering::Relaxed),
            generation: self.generation.load(Ordering::Relaxed),
        };
        // What was read above was read before the sequence is read again.
        fence(Ordering::Acquire);
        let after = self.sequence.load(Ordering::Relaxed);
        (before == after && before & 1 == 0).then_some((content, Seen(before)))
    }

    /// The packed entry of a position of this generation, if it is here.
    #[inline]
    pub(super) fn find(&self, position: &Position, generation: u32) -> Option<u64> {
        let (content, _) =
            self.read().filter(|(content, _)| content.is_of(position, generation))?;
        Some(content.entry)
    }

    /// Writes over what was seen; does nothing where another thread wrote meanwhile.
    #[inline]
    pub(super) fn replace(&self, Seen(seen): Seen, content: Content) {
        let odd = seen.wrapping_add(1);
        let taken = self.sequence.compare_exchange(seen, odd, Ordering::Acquire, Ordering::Relaxed);
        if taken.is_err() {
            return;
        }
        // Whoever reads anything of what is written below finds the sequence odd, or later.
        fence(Ordering::Release);
        self.player.store(content.player, Ordering::Relaxed);
        self.opponent.store(content.opponent, Ordering::Relaxed);
        self.entry.store(content.entry, Ordering::Relaxed);
        self.generation.store(content.generation, Ordering::Relaxed);
        self.sequence.store(seen.wrapping_add(2), Ordering::Release);
    }
}

impl Content {
    /// Whether this is about a position, and of this generation.
    #[inline]
    pub(super) fn is_of(&self, position: &Position, generation: u32) -> bool {
        self.player == position.player()
            && self.opponent == position.opponent()
            && self.generation == generation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable as _;
    use std::sync::atomic::AtomicBool;

    /// A content whose words all follow from one number.
    fn content(number: u32) -> Content {
        let word = |factor: u64| u64::from(number).wrapping_mul(factor);
        Content {
            player: word(0x9E37_79B9_7F4A_7C15),
            opponent: word(0xD1B5_4A32_D192_ED03),
            entry: word(0xA24B_AED4_963E_E407),
            generation: number,
        }
    }

    #[test]
    fn what_is_read_was_written_by_one_thread_at_once() {
        let (slot, done) = (Slot::zeroed(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..3u32)
                .map(|first| {
                    let slot = &slot;
                    scope.spawn(move || {
                        for number in (first..60_000).step_by(3) {
                            if let Some((_, seen)) = slot.read() {
                                slot.replace(seen, content(number));
                            }
                        }
                    })
                })
                .collect();
            let readers = [(); 2].map(|()| {
                scope.spawn(|| {
                    let mut different = 0;
                    let mut last = 0;
                    loop {
                        let is_last = done.load(Ordering::Acquire);
                        if let Some((found, _)) = slot.read() {
                            assert_eq!(found, content(found.generation));
                            different += u32::from(found.generation != last);
                            last = found.generation;
                        }
                        if is_last {
                            break different;
                        }
                    }
                })
            });
            let wrote = writers.into_iter().map(std::thread::ScopedJoinHandle::join);
            let wrote: Vec<_> = wrote.collect();
            done.store(true, Ordering::Release);
            wrote.into_iter().for_each(|result| result.unwrap());
            let different: u32 = readers.map(|reader| reader.join().unwrap()).iter().sum();
            assert!(different > 0);
        });
    }

    #[test]
    fn nothing_is_written_over_what_came_later() {
        let slot = Slot::zeroed();
        let (_, seen) = slot.read().unwrap();
        slot.replace(seen, content(1));
        slot.replace(seen, content(2));
        assert_eq!(slot.read().unwrap().0, content(1));
    }
}
