//! Weights, games and positions in the formats of other programs.

pub mod arrays;
pub mod edax;
pub mod egaroucid;
mod finer;
pub mod from_arrays;
pub mod positions;
pub mod program;
pub mod raw;
pub mod read_npz;
mod stages;
pub mod tables;
pub mod weights;
pub mod wthor;
pub mod zebra;
