//! The whole CUDA path without a GPU: the trainer with a driver that stands in for NVIDIA's.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test")]

mod child;
mod faults;
mod fits;
