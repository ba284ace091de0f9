//! Arguments that several subcommands share, and parsers for their values.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::bail;
use clap::ValueEnum;

use crate::eval::Evaluate;
use crate::file::Existing;
use crate::search::{Selection, Selectivity};

/// The most threads that `--threads` takes: more than a machine has cores, less than a system
/// refuses to start.
const MAX_THREADS: usize = 1024;

/// The options of every subcommand, flattened into the binary's arguments.
#[derive(clap::Args, Debug)]
pub struct Common {
    /// Number of threads to work with, 1 to 1024 [default: all cores]
    #[arg(long, value_name = "N", global = true, value_parser = number_in(1..=MAX_THREADS))]
    pub threads: Option<usize>,

    /// Print one JSON object to standard output instead of a summary
    #[arg(long, global = true)]
    pub json: bool,
}

/// What searches before perfect play go by.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum SearchBy {
    /// All lines as many moves far
    #[default]
    Depth,
    /// Likely lines further than unlikely ones: depth D ends a line where its probability is 4^-D or less
    Realization,
}

impl SearchBy {
    /// The selection of such searches by an evaluation, as sure as the selectivity says.
    pub fn selection(
        self,
        selectivity: Selectivity,
        evaluator: &impl Evaluate,
    ) -> anyhow::Result<Selection> {
        match self {
            Self::Depth => Ok(Selection::new(evaluator, selectivity)?),
            Self::Realization if selectivity != Selectivity::Full => bail!(
                "--selectivity is for searches by depth; leave it out with `--search realization`"
            ),
            Self::Realization => Ok(Selection::by_probability(evaluator)?),
        }
    }
}

impl Display for SearchBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Depth => "depth",
            Self::Realization => "realization",
        })
    }
}

/// The output file of a subcommand that resumes, flattened into its arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct Output {
    /// File to write; an interrupted one is resumed
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Replace an output that was made from something else
    #[arg(long)]
    pub force: bool,
}

impl Output {
    /// What to do with a file that stands there already.
    pub fn existing(&self) -> Existing {
        existing(self.force)
    }
}

/// What `--force` says about a file that stands there already.
pub fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

/// A type of numbers that an argument can have. Signed ones are none, so that the compiler does not
/// take a bound without a type for an `i32`: clap finds at run time only that an argument has another
/// type than its parser.
pub trait Number: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static {}

impl Number for u8 {}
impl Number for u32 {}
impl Number for u64 {}
impl Number for usize {}

/// A parser of whole numbers from the first bound to the last, both included. The bounds have the type
/// of the argument: `number_in(1..=60_u32)`.
pub fn number_in<T: Number>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (first, last) = (range.start(), range.end());
        number.ok_or_else(|| format!("expected a whole number from {first} to {last}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `--threads 4294967296` started threads without end.
    #[test]
    fn the_number_of_threads_has_an_end() {
        let parse = number_in(1..=MAX_THREADS);
        assert_eq!((parse("1"), parse("1024")), (Ok(1), Ok(1024)));
        for text in ["0", "1025", "4294967296", "18446744073709551616", "-1", "", "two"] {
            assert_eq!(parse(text).unwrap_err(), "expected a whole number from 1 to 1024");
        }
    }
}
