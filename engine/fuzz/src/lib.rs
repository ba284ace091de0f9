//! What the fuzz targets check, as ordinary functions of bytes: `engine/tests/fuzz.rs` calls the
//! same ones over the corpus, with the stable compiler.

pub mod container;
pub mod corpus;
pub mod mutation;
pub mod scratch;
pub mod targets;
