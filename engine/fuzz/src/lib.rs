//! The checks of the fuzz targets as ordinary functions of bytes. `tests/corpus.rs` calls the same
//! functions for the corpus, with the stable compiler.

pub mod targets;
