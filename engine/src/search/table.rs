//! The transposition table: the bounds and best moves that earlier searches found for positions.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::board::{Position, Square};
use crate::eval::Value;

use super::Selectivity;
use super::slot::{Content, Slot, prefetch};

const WAYS: usize = 2;
const CLUSTER_BYTES: usize = size_of::<Cluster>();
const NO_SQUARE: u8 = 64;

/// Two slots in one cache line, so that a probe costs one memory access. The slots store boards.
/// With hashes, three slots would fit, but the table could mistake one position for another.
#[derive(Debug, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Cluster([Slot; WAYS]);

/// The depth and the pruning of a search. With them, the table decides for which other searches the
/// bounds from this search are valid.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Effort {
    /// The depth in plies or, in a search by realization probability, the cost limit of a line: the
    /// line ends once its moves cost so much. A move of probability p costs −4 log₂ p.
    depth: u8,
    /// 1 + the search's [`Selectivity`] as a number; [`BY_PROBABILITY`] in a search by probability.
    sureness: u8,
}

const BY_PROBABILITY: u8 = 0;

impl Effort {
    #[inline]
    pub(super) fn new(depth: u32, selectivity: Selectivity) -> Self {
        Self { depth: depth as u8, sureness: 1 + selectivity as u8 }
    }

    #[inline]
    pub(super) fn by_probability(reach: i32) -> Self {
        Self { depth: reach as u8, sureness: BY_PROBABILITY }
    }

    /// Returns the rank of this search's bounds, which never replace bounds of a higher rank.
    #[inline]
    fn rank(self) -> (bool, u8, u8) {
        (self.sureness != BY_PROBABILITY, self.depth, self.sureness)
    }
}

/// The known bounds on a position's value, in steps of 1/32 disc, and its best moves.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Entry {
    lower: i16,
    upper: i16,
    effort: Effort,
    best: u8,
    second: u8,
}

impl Entry {
    /// Returns the entry's bounds if valid for a search of this effort, otherwise ±64 discs.
    #[inline]
    pub(super) fn bounds(&self, effort: Effort) -> (Value, Value) {
        let holds = if effort.sureness == BY_PROBABILITY {
            self.effort.sureness == BY_PROBABILITY && self.effort.depth >= effort.depth
        } else {
            self.effort.depth == effort.depth && self.effort.sureness >= effort.sureness
        };
        if holds {
            (Value::clamped(self.lower.into()), Value::clamped(self.upper.into()))
        } else {
            (Value::MIN, Value::MAX)
        }
    }

    pub(super) fn value(&self) -> Option<Value> {
        (self.lower == self.upper).then(|| Value::clamped(self.lower.into()))
    }

    #[inline]
    pub(super) fn depth(&self) -> u32 {
        if self.effort.sureness == BY_PROBABILITY { 0 } else { self.effort.depth.into() }
    }

    /// Returns the last two best moves that searches to any depth stored in this entry, the latest
    /// first.
    #[inline]
    pub(super) fn best(&self) -> [Option<Square>; 2] {
        [Square::new(self.best), Square::new(self.second)]
    }
}

/// The error for a transposition table that does not fit into memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "not enough memory for a transposition table of {megabytes} MB; choose a smaller one, or fewer \
     --threads"
)]
pub struct TableError {
    /// The requested size of the table, in MiB.
    pub megabytes: usize,
}

/// The transposition table, in clusters of two entries. In a full cluster, a new entry replaces an
/// outdated one (of an earlier generation) or, if there is none, the one of lower depth. Threads
/// read and write concurrently.
#[derive(Debug)]
pub(super) struct Table {
    clusters: Vec<Cluster>,
    generation: AtomicU32,
}

impl Table {
    pub(super) fn new(megabytes: usize) -> Result<Self, TableError> {
        let clusters = megabytes.checked_mul((1 << 20) / CLUSTER_BYTES);
        clusters.and_then(Self::with_clusters).ok_or(TableError { megabytes })
    }

    pub(super) fn with_clusters(clusters: usize) -> Option<Self> {
        let clusters = bytemuck::allocation::try_zeroed_vec(clusters.max(1)).ok()?;
        Some(Self { clusters, generation: AtomicU32::new(1) })
    }

    /// Empties the table by a new generation: searches ignore and replace the entries of earlier
    /// generations. No other thread may use the table at the same time.
    pub(super) fn step_generation(&self) {
        let mut generation = self.generation();
        if generation == u32::MAX {
            for slot in self.clusters.iter().flat_map(|cluster| &cluster.0) {
                let seen = slot.read();
                seen.into_iter().for_each(|seen| slot.replace(Content { generation: 0, ..seen }));
            }
            generation = 0;
        }
        self.generation.store(generation + 1, Ordering::Relaxed);
    }

    /// Returns the number of the current generation of entries. A relaxed load is enough: the table
    /// passes to another thread through a lock or a new task, which also makes earlier changes of
    /// this number visible.
    #[inline]
    fn generation(&self) -> u32 {
        self.generation.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn probe(&self, position: &Position) -> Option<Entry> {
        let slots = &self.clusters[self.place(position)].0;
        let generation = self.generation();
        slots.iter().find_map(|slot| slot.find(position, generation)).map(bytemuck::cast)
    }

    #[inline]
    pub(super) fn prefetch(&self, position: &Position) {
        prefetch(&self.clusters[self.place(position)]);
    }

    /// Stores bounds and a best move. Does nothing if the table has an entry of the position with a
    /// higher rank ([`Effort::rank`]), or while another thread writes to the same cluster.
    pub(super) fn store(
        &self,
        position: &Position,
        effort: Effort,
        (lower, upper): (Option<Value>, Option<Value>),
        best: Option<Square>,
    ) {
        let generation = self.generation();
        let slots = &self.clusters[self.place(position)].0;
        let [Some(first), Some(second)] = [slots[0].read(), slots[1].read()] else { return };
        let seen = [first, second];
        let way = seen.iter().position(|content| content.is_of(position, generation));
        let mut entry: Entry = way.map_or(EMPTY, |way| bytemuck::cast(seen[way].entry));
        if entry.effort.rank() > effort.rank() {
            return;
        }
        if entry.effort.rank() < effort.rank() {
            entry = Entry { effort, best: entry.best, second: entry.second, ..EMPTY };
        }
        // A value in steps of 1/32 disc fits into 16 bits.
        if let Some(lower) = lower {
            entry.lower = entry.lower.max(lower.steps() as i16);
        }
        if let Some(upper) = upper {
            entry.upper = entry.upper.min(upper.steps() as i16);
        }
        // If every move failed low, `best` is no better than the old best move, which is kept.
        if let Some(square) = best
            && (lower.is_some() || entry.best == NO_SQUARE)
            && entry.best != square.index() as u8
        {
            (entry.second, entry.best) = (entry.best, square.index() as u8);
        }
        // A lower bound without a move: perhaps the old best move does not attain it.
        if best.is_none() && lower.is_some() && entry.best != NO_SQUARE {
            (entry.second, entry.best) = (entry.best, NO_SQUARE);
        }

        let depth = |way: usize| bytemuck::cast::<u64, Entry>(seen[way].entry).effort.depth;
        let worth = |&way: &usize| (seen[way].generation == generation).then(|| depth(way));
        let way = way.or_else(|| (0..WAYS).min_by_key(worth)).unwrap_or(0);
        let (player, opponent) = (position.player(), position.opponent());
        let entry = bytemuck::cast(entry);
        slots[way].replace(Content { player, opponent, entry, generation, ..seen[way] });
    }

    #[inline]
    fn place(&self, position: &Position) -> usize {
        let player = position.player() ^ 0x9E37_79B9_7F4A_7C15;
        let opponent = position.opponent() ^ 0xD1B5_4A32_D192_ED03;
        let product = u128::from(player) * u128::from(opponent);
        let hash = (product >> 64) as u64 ^ product as u64;
        ((u128::from(hash) * self.clusters.len() as u128) >> 64) as usize
    }
}

const EMPTY: Entry = Entry {
    lower: Value::MIN.steps() as i16,
    upper: Value::MAX.steps() as i16,
    effort: Effort { depth: 0, sureness: BY_PROBABILITY },
    best: NO_SQUARE,
    second: NO_SQUARE,
};

#[cfg(test)]
mod tests {
    use super::*;

    fn effort(depth: u32) -> Effort {
        Effort::new(depth, Selectivity::Full)
    }

    fn position(number: u64) -> Position {
        Position::new(number, !number & 0xFFFF).unwrap()
    }

    fn square(name: &str) -> Option<Square> {
        Some(name.parse().unwrap())
    }

    fn steps(steps: i32) -> Value {
        Value::from_steps(steps).unwrap()
    }

    #[test]
    fn bounds_of_one_depth_close_in_and_those_of_another_are_not_used() {
        let table = Table::with_clusters(8).unwrap();
        assert!(table.probe(&position(1)).is_none());
        table.store(&position(1), effort(6), (Some(steps(25)), None), square("a1"));
        table.store(&position(1), effort(6), (None, Some(steps(25))), square("b1"));
        let entry = table.probe(&position(1)).unwrap();
        assert_eq!(entry.bounds(effort(6)), (steps(25), steps(25)));
        assert_eq!(entry.bounds(effort(5)), (Value::MIN, Value::MAX));
        assert_eq!(entry.best(), [square("a1"), None]);
        table.store(&position(1), effort(7), (Some(steps(3)), None), square("c1"));
        table.store(&position(1), effort(6), (Some(steps(4)), None), square("d1"));
        let entry = table.probe(&position(1)).unwrap();
        assert_eq!(entry.bounds(effort(7)), (steps(3), Value::MAX));
        assert_eq!(entry.best(), [square("c1"), square("a1")]);
    }

    #[test]
    fn of_three_positions_in_one_cluster_the_shallower_goes() {
        let table = Table::with_clusters(1).unwrap();
        for (number, depth) in [(1, 9), (2, 3), (3, 7)] {
            table.store(&position(number), effort(depth), (Some(steps(1)), None), None);
        }
        let found = |table: &Table| -> Vec<u64> {
            (1..=3).filter(|&number| table.probe(&position(number)).is_some()).collect()
        };
        assert_eq!(found(&table), [1, 3]);
        table.step_generation();
        assert!(found(&table).is_empty());
        table.store(&position(2), effort(1), (Some(steps(1)), None), None);
        assert_eq!(found(&table), [2]);
    }

    #[test]
    fn threads_never_find_what_was_stored_of_another_position() {
        let table = Table::with_clusters(3).unwrap();
        let known = |number: u64| {
            let value = steps((number * 7 % 4000) as i32 - 2000);
            (effort(number as u32 % 50), value, Square::new((number * 5 % 64) as u8))
        };
        let visit = |thread: u64| {
            let mut found = 0;
            // So many steps reveal a missing sequence number. Miri is slow, so it does fewer.
            for step in 0..if cfg!(miri) { 40_000 } else { 1_500_000_u64 } {
                let number = (step * (2 * thread + 1)) % 40;
                let (effort, value, best) = known(number);
                if let Some(entry) = table.probe(&position(number)) {
                    assert_eq!(entry.bounds(effort), (value, value));
                    assert_eq!(entry.best(), [best, None]);
                    found += 1;
                }
                table.store(&position(number), effort, (Some(value), Some(value)), best);
            }
            found
        };
        std::thread::scope(|scope| {
            let threads = [0, 1, 2, 3].map(|thread| {
                let visit = &visit;
                scope.spawn(move || visit(thread))
            });
            for thread in threads {
                assert!(thread.join().unwrap() > 0);
            }
        });
    }

    #[test]
    fn no_generation_sees_another_one_when_the_count_wraps() {
        let mut table = Table::with_clusters(1).unwrap();
        table.store(&position(1), effort(1), (Some(steps(1)), None), None);
        table.generation = AtomicU32::new(u32::MAX - 1);
        for number in [1, 2, 1] {
            table.step_generation();
            assert!(table.probe(&position(1)).is_none());
            assert!(table.probe(&position(2)).is_none());
            table.store(&position(number), effort(1), (Some(steps(1)), None), None);
        }
    }
}
