//! The benchmark: the same tests for any weights and any program.
//!
//! A [`Subject`] is a player that is measured. A [`Benchmark`] has the data and the settings; each
//! subject makes a [`Row`] of a [`BenchmarkReport`], whose tables are in Markdown.

mod choices;
mod error;
mod measuring;
mod problems;
mod subject;
mod table;

pub use choices::{BestMoves, Solved, ValueErrors};
pub use error::BenchmarkError;
pub use measuring::{Benchmark, EqualTime};
pub use problems::Problems;
pub use subject::Subject;
pub use table::{BenchmarkReport, Data, LeftOut, Part, Row};
