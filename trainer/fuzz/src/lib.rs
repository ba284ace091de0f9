//! The checks of the fuzz targets as ordinary functions of bytes. `tests/corpus.rs` runs the same
//! functions over the corpus, with the stable compiler.

pub mod targets;
