//! Tests of record files: written, read, resumed and damaged.

mod games;
mod positions;
