//! The benchmark measures evaluation weights and external Othello programs by the same tests.
//!
//! A [`Subject`] is a player that is measured. A [`Benchmark`] has the test data and the settings.
//! A [`BenchmarkReport`] has a [`Row`] of results for each subject, and prints Markdown tables.

mod choices;
mod measuring;
mod table;

pub use choices::{BestMoves, Problems, Solved, ValueErrors};
pub use measuring::{Benchmark, EqualTime, Subject};
pub use table::{BenchmarkReport, Data, LeftOut, Part, Row};
