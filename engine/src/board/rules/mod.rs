//! Legal moves and flips: one file per instruction set, chosen here at compile time.

mod portable;

pub(super) use portable::{flips, moves};
