//! Othello trainer: fits pattern weights for 60 phases, and measures them.
//!
//! [`source`] → [`dataset`] → [`fit`] with [`model`] and [`backend`] → a weights file that the
//! engine embeds. [`measure`] computes the errors of its values, [`study`] decides if one recipe is
//! better than another.

pub mod arena;
pub mod backend;
pub mod bench;
pub mod benchmark;
pub mod calibrate;
pub mod cli;
pub mod dataset;
pub mod export;
pub mod fit;
pub mod measure;
pub mod memory;
pub mod model;
pub mod records;
pub mod report;
pub mod shards;
pub mod source;
pub mod study;
