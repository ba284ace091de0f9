//! Weights in the formats of other programs.

pub mod npz;
