//! Trainer.
pub mod backend;
pub mod cli;
pub mod dataset;
pub mod fit;
pub mod model;
pub mod source;
