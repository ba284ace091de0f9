//! A CUDA driver and NVRTC for tests without a GPU.
//!
//! The shared library has the entry points of `libcuda` and `libnvrtc` that the trainer uses. A test
//! puts it into `LD_LIBRARY_PATH` of a child process under their names ([`install`]); the child
//! then runs as on a GPU, as far as its own code can tell:
//!
//! | of a GPU | here |
//! |---|---|
//! | device memory | memory of the process behind addresses that only the driver can use; garbage until written |
//! | kernels | the same sources, built by the C compiler ([`othello_kernels::host`]) |
//! | NVRTC | the real one where it can be loaded; the source goes along in comments of the PTX |
//! | streams | queues, run by one thread in an order that the events allow and a seed decides |
//! | copies | read their source and write their target when their turn comes, from ordinary memory too |
//! | limits | of threads, grids, shared memory, memory, handles, contexts, PTX versions |
//!
//! Work on two streams that uses the same memory in no order that the events prescribe is counted
//! and named on standard error: [`order`]. Every entry point can be made to fail: [`settings`].
//!
//! The stand-in shows neither speed, nor what a GPU's threads do to each other inside a kernel, nor what
//! the real driver does beyond its documentation.

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
