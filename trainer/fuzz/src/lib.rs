//! Torture tests of the parsers and the programs.
//!
//! * [`TARGETS`]: one function of bytes for each parser, which panics if the parser violates its
//!   specification. libFuzzer calls them (`scripts/torture.sh fuzz`); `tests/corpus.rs` runs them
//!   over their corpora and over changes of these.
//! * [`attack`]: the programs from outside, with damaged files, kills, failing
//!   system calls and hostile arguments. `tests/attack.rs` runs some, `scripts/torture.sh` many.
//!
//! Both draw their changes from [`mutation`], [`damage`] and [`container`].

#[cfg(target_os = "linux")]
pub mod attack;
pub mod container;
pub mod corpus;
pub mod damage;
pub mod mutation;
mod targets;

pub use targets::{TARGETS, Target};
