//! Tests in one binary, because linking is slow. `kill.rs` is separate, because it measures the
//! processor time of all child processes, which includes those of other tests in its binary.

#![allow(clippy::unwrap_used, reason = "a test")]

#[cfg(unix)]
mod benchmark;
mod checksums;
mod devices;
mod examples;
mod export;
#[cfg(unix)]
mod external;
mod fit;
mod folder;
mod loss;
#[cfg(target_os = "linux")]
mod outputs;
mod readme;
mod recipes;
#[cfg(target_os = "linux")]
mod second_start;
#[cfg(target_os = "linux")]
mod stand_in;
mod study;
mod system;
mod tables;
mod the_loop;
