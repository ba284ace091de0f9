//! Weights, games and positions in the formats of other programs.

pub mod arrays;
pub mod edax;
pub mod egaroucid;
pub mod from_arrays;
pub mod positions;
pub mod raw;
pub mod read_npz;
pub mod safetensors;
pub mod tables;
pub mod weights;
pub mod wthor;
