//! What the fuzz targets check, as ordinary functions of bytes: `trainer/tests/fuzz.rs` calls the
//! same ones over the corpus, with the stable compiler.

#[path = "../../../engine/fuzz/src/lib.rs"]
pub mod engine;
pub mod targets;
