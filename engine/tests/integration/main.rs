//! Tests of the crate and its program from outside, in one binary, because linking takes long.
//! `tests/kill.rs` is a separate binary, as it measures the processor time of all child processes.

#![allow(clippy::unwrap_used, reason = "a test")]

use othello_testing::folder::Folder;

mod command_line;
mod conformance;
#[cfg(target_os = "linux")]
mod embedding;
mod evaluation;
mod levels;
mod library;
#[cfg(target_os = "linux")]
mod no_memory;
mod protocols;
mod published;
mod readers;
mod readme;
mod system;
mod vectors;

fn folder() -> Folder {
    Folder::of(env!("CARGO_BIN_EXE_othello-engine"))
}
