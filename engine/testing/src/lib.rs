//! Helpers for the tests of all crates: they run programs, make files, kill and resume commands,
//! run the commands of guides, check flags, and count skipped tests.

#[cfg(target_os = "linux")]
pub mod disk;
pub mod flags;
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

pub use stop_after::StopFit;
pub use threads::on_threads;
