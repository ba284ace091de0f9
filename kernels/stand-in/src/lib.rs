//! A CUDA driver and NVRTC for tests without a GPU.
//!
//! The shared library has the entry points of `libcuda` and `libnvrtc` that the trainer uses. A
//! test puts it under their names into the `LD_LIBRARY_PATH` of a child process ([`install()`]).
//! The child then runs as on a GPU, as far as its own code can tell:
//!
//! | of a GPU | here |
//! |---|---|
//! | device memory | process memory at addresses that only the driver can use; garbage at first |
//! | kernels | the same sources, built by the C compiler ([`othello_kernels::host`]) |
//! | NVRTC | the real one where it can be loaded; the source goes along in comments of the PTX |
//! | streams | queues, run by one thread in an order that the events allow and a seed decides |
//! | copies | read and write when their turn comes; ordinary host memory too |
//! | limits | of threads, grids, memory, handles, contexts, PTX versions |
//!
//! If work on two streams uses the same memory, and no event orders it, this is counted and
//! reported on standard error: [`order`]. Every entry point can be made to fail: [`settings`].
//!
//! The stand-in does not show speed, the interaction of a GPU's threads inside a kernel, or
//! behaviour of the real driver beyond its documentation.

mod calls;
mod codes;
mod device;
mod entries;
mod install;
mod launch;
mod memory;
mod module;
mod nvrtc;
pub mod order;
mod queue;
mod report;
pub mod settings;
mod worker;

pub use codes::ERRORS;
pub use entries::ENTRIES;
pub use install::{Installed, install};
