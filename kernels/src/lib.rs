//! CUDA sources.
