//! The parts of the benchmark.

use clap::ValueEnum;

/// A part of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, derive_more::Display)]
pub enum Part {
    /// Errors of values in games between strong searches
    #[display("strong test")]
    Strong,
    /// Best moves in positions that searches find hard
    #[display("hard part")]
    Hard,
    /// Errors of values on exact positions of your own
    #[display("exact positions")]
    Exact,
    /// Problems solved to the end of the game
    #[display("suite")]
    Suite,
    /// A match in equal time against a reference
    #[display("match")]
    Match,
}
