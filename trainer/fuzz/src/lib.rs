//! What the fuzz targets check, as ordinary functions of bytes: `tests/corpus.rs` calls the same ones
//! over the corpus, with the stable compiler.

pub mod targets;
