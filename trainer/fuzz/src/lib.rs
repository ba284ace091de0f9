//! Torture tests of the parsers and the programs.
//!
//! * [`TARGETS`] contains one function for each parser, which takes any bytes, and panics if the
//!   parser violates its specification. libFuzzer calls these functions (`scripts/torture.sh
//!   fuzz`); `tests/corpus.rs` runs them over their corpora and over changed inputs.
//! * [`attack`] runs the programs as child processes, with damaged files, kills, failing system
//!   calls and hostile arguments. `tests/attack.rs` runs some attacks, `scripts/torture.sh` many.
//!
//! Targets and attacks change inputs and files by [`mutation`], [`damage`] and [`container`].

#[cfg(target_os = "linux")]
pub mod attack;
pub mod container;
pub mod corpus;
pub mod damage;
pub mod mutation;
mod targets;

pub use targets::{TARGETS, Target};
