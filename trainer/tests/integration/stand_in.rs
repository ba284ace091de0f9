//! The whole CUDA path without a GPU: the trainer with a driver that stands in for NVIDIA's.

mod child;
mod faults;
mod fits;
