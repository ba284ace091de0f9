//! The arguments that several subcommands share, and parsers for argument values.

use std::ffi::OsString;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, Parser, ValueEnum};

use othello_core::file::Existing;

use crate::flags;
use crate::message::quoted;

const MAX_THREADS: usize = 1024;

/// The options of every subcommand. A program includes them in its arguments by clap's `flatten`.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = flags::GLOBAL)]
pub struct Common {
    /// Work with N threads, 1 to 1024 [default: all cores]
    #[arg(long, value_name = "N", global = true, value_parser = number_in(1..=MAX_THREADS))]
    pub threads: Option<usize>,

    /// Print one JSON object to standard output instead of a summary
    #[arg(long, global = true)]
    pub json: bool,

    /// Write progress and messages to standard error as text, or as JSON, one object a line
    #[arg(long, value_name = "FORM", global = true, value_enum, default_value_t)]
    #[arg(hide_possible_values = true)]
    pub log: Log,

    /// Write the latest progress to this file, as one JSON object, for other programs to read
    #[arg(long, value_name = "FILE", global = true)]
    pub progress_file: Option<PathBuf>,
}

/// The format of messages on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Log {
    /// Progress bars on a terminal, lines of text elsewhere
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// The output file of a subcommand, `--out`, and whether it may replace an existing one, `--force`.
#[derive(clap::Args, Clone, Debug)]
#[allow(missing_docs, reason = "a doc comment would be the help, which the table of flags has")]
pub struct Output {
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    #[arg(long)]
    pub force: bool,
}

impl Output {
    /// Returns [`Existing::Replace`] with the flag `--force`, and otherwise [`Existing::Keep`].
    pub fn existing(&self) -> Existing {
        Existing::by_force(self.force)
    }
}

/// An unsigned integer type that an argument can have. `i32` is not included, so that the compiler
/// rejects a range without a type, such as `1..=60` in place of `1..=60_u32`.
pub trait Number: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static {
    /// The greatest number of the type.
    const MAX: Self;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(impl Number for $type {
        const MAX: Self = Self::MAX;
    })*};
}

numbers!(u8, u32, u64, usize);

/// Returns a parser that accepts only whole numbers in `range`, for example `1..=60_u32`.
pub fn number_in<T: Number>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (first, last) = (range.start(), range.end());
        let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        number.ok_or_else(|| match *last == T::MAX && !is_whole {
            true => format!("expected a whole number in digits, {first} or more"),
            false => format!("expected a whole number from {first} to {last}"),
        })
    }
}

/// Returns a parser that accepts only whole numbers ≥ `first`, for example `1_u64`.
pub fn number_from<T: Number>(
    first: T,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    number_in(first..=T::MAX)
}

/// Parses a finite number above 0.
pub fn above_0(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number.is_finite() && number > 0.0);
    number.ok_or_else(|| "expected a number above 0, such as 0.5".to_owned())
}

/// Returns the clap command of a program. Shared flags get their help texts from `flags.txt`.
pub fn command<P: Parser>() -> Command {
    flags::prepared(P::command())
}

/// Parses a command line as [`parse_words`] does. On an error or `--help`, prints the error message
/// or the help, and exits.
pub fn parse_or_exit<P: Parser>(words: impl IntoIterator<Item = OsString>) -> P {
    parse_words(words).unwrap_or_else(|error| error.exit())
}

/// Parses a command line; the first of its words is the name of the program.
pub fn parse_words<P: Parser>(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<P, clap::Error> {
    let matches = command::<P>().try_get_matches_from(words);
    let parsed = matches.and_then(|matches| P::from_arg_matches(&matches));
    parsed.map_err(|error| with_replacement(with_arguments_quoted(error)))
}

const REPLACED: [(&str, &str); 8] = [
    ("--end-selectivity", "--ends EMPTIES:PERCENT,..."),
    ("--part", "--subset"),
    ("--second-depth", "the second player as PLAYER:depth=D"),
    ("--second-nodes", "the second player as PLAYER:nodes=N"),
    ("--second-search", "the second player as PLAYER:search=WAY"),
    ("--second-selectivity", "the second player as PLAYER:selectivity=PERCENT"),
    ("--white-depth", "--white PLAYER:depth=D"),
    ("--white-weights", "--white PLAYER"),
];

fn with_replacement(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(refused)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let flag = refused.split('=').next().unwrap_or_default();
    let Some((flag, by)) = REPLACED.iter().find(|(old, _)| *old == flag) else { return error };
    let tip = format!("{flag} was replaced: write {by}");
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// Escapes and shortens the user's arguments in an error message. Keeps tips and usage unchanged.
fn with_arguments_quoted(mut error: clap::Error) -> clap::Error {
    let shown = |text: &String| quoted(text).into_owned();
    let told = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(shown(text)))),
        ContextValue::Strings(texts) => {
            Some((kind, ContextValue::Strings(texts.iter().map(shown).collect())))
        }
        _ => None,
    });
    for (kind, value) in told.collect::<Vec<_>>() {
        error.insert(kind, value);
    }
    error
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn a_flag_of_an_earlier_version_is_refused_with_its_replacement() {
        let command = || Command::new("match").arg(Arg::new("seconds").long("seconds"));
        let refusal = |flag: &str| {
            let error = command().try_get_matches_from(["match", flag, "8"]).unwrap_err();
            with_replacement(error).to_string()
        };
        for (flag, by) in REPLACED {
            for written in [flag.to_owned(), format!("{flag}=8")] {
                let told = refusal(&written);
                assert!(told.contains(&format!("tip: {flag} was replaced: write {by}")), "{told}");
                assert_eq!(told.matches("tip:").count(), 1, "{told}");
            }
        }
        assert!(!refusal("--other").contains("replaced"));
    }
}
