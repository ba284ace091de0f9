//! The parts that the tests of all crates share: folders in which programs run, games of random
//! moves, files of records, kills, work that stops, small disks, the blocks of the
//! guides, and the count of tests that were skipped.

#[cfg(target_os = "linux")]
pub mod disk;
pub mod folder;
pub mod guides;
#[cfg(target_os = "linux")]
pub mod kill;
pub mod program;
pub mod random_games;
pub mod records;
pub mod scratch;
pub mod skipped;
mod stop_after;
mod threads;

pub use stop_after::StopAfter;
pub use threads::on_threads;
