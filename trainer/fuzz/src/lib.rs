//! Torture tests of the parsers and the programs.
//!
//! * [`TARGETS`] has a function for each parser. The function takes any bytes, and panics if the
//!   parser errs. `scripts/torture.sh fuzz` calls it by libFuzzer, `tests/corpus.rs` directly.
//! * [`attack`] runs the programs as child processes, with damaged files, kills, failing system
//!   calls and hostile arguments. `tests/attack.rs` runs some attacks, `scripts/torture.sh` many.
//!
//! The targets and the attacks change inputs and files by `mutation`, `damage` and `container`.

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
