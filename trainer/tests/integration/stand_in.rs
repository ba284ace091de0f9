//! Tests of the whole CUDA path without a GPU: the trainer runs with a stand-in for NVIDIA's
//! driver.

mod child;
mod faults;
mod fits;
