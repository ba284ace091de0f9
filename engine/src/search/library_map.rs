//! A trial: hash maps of the standard library in place of the transposition tables. They grow
//! without a bound, and only one thread may use them.

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};
use std::sync::LazyLock;

use crate::board::Position;

/// `OTHELLO_MAP` and `OTHELLO_SHALLOW_MAP` name the hash of the map in place of the table and of
/// the shallow table: `sip`, that of the library, or `product`, that of our table.
pub(super) static MAP: LazyLock<Option<bool>> = LazyLock::new(|| named("OTHELLO_MAP"));
pub(super) static SHALLOW_MAP: LazyLock<Option<bool>> =
    LazyLock::new(|| named("OTHELLO_SHALLOW_MAP"));

fn named(variable: &str) -> Option<bool> {
    match std::env::var(variable).as_deref() {
        Ok("sip") => Some(true),
        Ok("product") => Some(false),
        _ => None,
    }
}

/// Hashes two bitboards by their product, as the transposition table does.
#[derive(Default)]
pub(super) struct Product {
    first: Option<u64>,
    hash: u64,
}

impl Hasher for Product {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a position is two numbers")
    }

    fn write_u64(&mut self, board: u64) {
        match self.first {
            None => self.first = Some(board ^ 0x9E37_79B9_7F4A_7C15),
            Some(first) => {
                let product = u128::from(first) * u128::from(board ^ 0xD1B5_4A32_D192_ED03);
                self.hash = (product >> 64) as u64 ^ product as u64;
            }
        }
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}

#[derive(Debug)]
enum Either<T> {
    Sip(HashMap<Position, T, BuildHasherDefault<DefaultHasher>>),
    Product(HashMap<Position, T, BuildHasherDefault<Product>>),
}

#[derive(Debug)]
pub(super) struct Map<T>(UnsafeCell<Either<T>>);

// SAFETY: the trial runs with one thread.
unsafe impl<T> Sync for Map<T> {}

impl<T: Copy> Map<T> {
    pub(super) fn new(is_sip: bool) -> Self {
        let either =
            if is_sip { Either::Sip(HashMap::default()) } else { Either::Product(HashMap::default()) };
        Self(UnsafeCell::new(either))
    }

    #[inline]
    pub(super) fn get(&self, position: &Position) -> Option<T> {
        // SAFETY: one thread, and no reference outlives a call.
        match unsafe { &*self.0.get() } {
            Either::Sip(map) => map.get(position).copied(),
            Either::Product(map) => map.get(position).copied(),
        }
    }

    #[inline]
    pub(super) fn insert(&self, position: &Position, value: T) {
        // SAFETY: as above.
        match unsafe { &mut *self.0.get() } {
            Either::Sip(map) => map.insert(*position, value),
            Either::Product(map) => map.insert(*position, value),
        };
    }

    /// Changes the value of a position, which is `new` if the map has none.
    #[inline]
    pub(super) fn change(&self, position: &Position, new: T, change: impl FnOnce(&mut T)) {
        // SAFETY: as above.
        change(match unsafe { &mut *self.0.get() } {
            Either::Sip(map) => map.entry(*position).or_insert(new),
            Either::Product(map) => map.entry(*position).or_insert(new),
        });
    }

    pub(super) fn clear(&self) {
        // SAFETY: as above.
        match unsafe { &mut *self.0.get() } {
            Either::Sip(map) => map.clear(),
            Either::Product(map) => map.clear(),
        }
    }
}
