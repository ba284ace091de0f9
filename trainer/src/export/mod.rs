//! Weights and games in the formats of other programs.

pub mod edax;
pub mod egaroucid;
pub mod npz;
pub mod raw;
pub mod read_npz;
pub mod tables;
pub mod wthor;
