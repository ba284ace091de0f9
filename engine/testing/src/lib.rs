//! The parts that the tests of all crates share: games of random moves, damaged files, kills, work
//! that stops, small disks, the blocks of the guides, messages of programs, and the count of tests
//! that were skipped.

pub mod container;
pub mod corpus;
#[cfg(target_os = "linux")]
pub mod disk;
pub mod guides;
pub mod json_page;
#[cfg(target_os = "linux")]
pub mod kill;
pub mod mutation;
pub mod program;
pub mod random_games;
pub mod scratch;
pub mod skipped;
mod stop_after;

pub use stop_after::StopAfter;
