//! What the tests of all crates share: games of random moves, damaged files, kills, small disks, and
//! the count of the tests that could not run.

pub mod container;
pub mod corpus;
#[cfg(target_os = "linux")]
pub mod disk;
#[cfg(target_os = "linux")]
pub mod kill;
pub mod mutation;
pub mod random_games;
pub mod scratch;
pub mod skipped;
