//! Tests of the whole CUDA path without a GPU. The trainer loads a stand-in, a library with the
//! entry points of NVIDIA's driver that runs kernels on the CPU.

mod child;
mod faults;
mod fits;
