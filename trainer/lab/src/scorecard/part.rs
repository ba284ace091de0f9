//! The parts of the benchmark.

use clap::ValueEnum;

/// A part of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Part {
    /// Errors of values in games between strong searches
    Strong,
    /// Best moves in positions that searches find hard
    Hard,
    /// Errors of values on exact positions of your own
    Exact,
    /// Problems solved to the end of the game
    Suite,
    /// A match in equal time against a reference
    Match,
}

impl Part {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Strong => "strong test",
            Self::Hard => "hard part",
            Self::Exact => "exact positions",
            Self::Suite => "suite",
            Self::Match => "match",
        }
    }
}
