//! Torture tests of the parsers and the programs.
//!
//! * [`TARGETS`] has functions that each test one parser with any bytes, and panic at a fault.
//!   `scripts/torture.sh fuzz` calls these functions by libFuzzer, `tests/corpus.rs` directly.
//! * [`attack`] runs the programs as child processes, with damaged files, kills, failing system
//!   calls and hostile arguments. `tests/attack.rs` runs some attacks, `scripts/torture.sh` many.
//!
//! The modules `mutation`, `damage` and `container` change the inputs of targets and the files of
//! attacks.

#[cfg(target_os = "linux")]
pub mod attack;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "the attacks need Linux"))]
mod container;
pub mod corpus;
#[cfg(target_os = "linux")]
mod damage;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "the attacks need Linux"))]
mod mutation;
mod targets;

pub use targets::{TARGETS, Target};
