//! A stand-in for the CUDA driver and NVRTC, for tests without a GPU.
//!
//! This shared library has the entry points of `libcuda` and `libnvrtc` that the trainer uses. A
//! test installs the library under these names in a folder on the `LD_LIBRARY_PATH` of a child
//! process ([`install()`]). To the child process, the stand-in then behaves like a GPU:
//!
//! | of a GPU | here |
//! |---|---|
//! | device memory | process memory at addresses that only the driver can use; garbage at first |
//! | kernels | the same sources, built by the C compiler ([`othello_kernels::host`]) |
//! | NVRTC | gives the source itself as PTX |
//! | streams | queues, run by one thread in an order that the events allow and a seed decides |
//! | copies | access host memory when their turn in the stream comes, page-locked or not |
//! | limits | wrong sizes of blocks, grids or memory, and wrong handles or contexts, are errors |
//!
//! If operations on two streams use the same memory and no event orders them, the stand-in counts
//! this fault and reports it on standard error (`order.rs`). The [`settings`] can make any call of
//! any entry point fail.
//!
//! The stand-in does not imitate the speed of a GPU or the interaction of threads inside a kernel.

mod calls;
mod codes;
mod device;
mod entries;
mod install;
mod launch;
mod memory;
mod module;
mod nvrtc;
mod order;
mod queue;
mod report;
pub mod settings;
mod worker;

pub use codes::errors;
pub use install::install;

/// The names of the driver's entry points that the stand-in defines.
pub const ENTRIES: &[&str] = entries::ENTRIES;
