//! Tests of the code for NVIDIA GPUs without a GPU. The trainer loads a stand-in: a library with
//! the entry points of NVIDIA's driver, which runs kernels on the CPU.

mod child;
mod faults;
mod fits;
