//! Weights and games in the formats of other programs.

pub mod npz;
pub mod wthor;
