//! `othello-trainer split`: divides games or positions into training, validation and test.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::bail;
use othello_engine::cli::arguments::{existing, number_in};
use othello_engine::cli::{Outcome, Session};
use othello_engine::record::{Game, ScoredPosition};

use super::selection::{Files, report};
use crate::dataset::{Part, Split};
use crate::records::select::{Splittable, split};

/// Arguments of `split`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,

    /// Beginning of the names of the files to write: NAME.training.games, NAME.validation.games and
    /// NAME.test.games, or .positions
    #[arg(long, value_name = "NAME")]
    out: PathBuf,

    /// Share of the validation
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = number_in(0..=100_u8))]
    validation_percent: u8,

    /// Share of the test
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = number_in(0..=100_u8))]
    test_percent: u8,

    /// Replace outputs that were made from something else
    #[arg(long)]
    force: bool,
}

/// Splits and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    if arguments.files.are_games()? {
        split_records::<Game>(arguments, session)
    } else {
        split_records::<ScoredPosition>(arguments, session)
    }
}

fn split_records<R: Splittable>(
    arguments: &Arguments,
    session: &Session,
) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let &Arguments { validation_percent, test_percent, .. } = arguments;
    if validation_percent + test_percent > 100 {
        bail!("--validation-percent and --test-percent are more than 100 together");
    }
    let by = Split { validation_percent, test_percent, ..Split::new(arguments.files.seed) };
    let inputs = arguments.files.inputs::<R>(session)?;
    let outs = Part::ALL.map(|part| {
        let mut name = arguments.out.clone().into_os_string();
        name.push(format!(".{part}.{}", R::PLURAL));
        (part, PathBuf::from(name))
    });
    let written = split(&inputs, by, &outs, existing(arguments.force), session.progress())?;
    let files = outs.into_iter().map(|(_, path)| path).zip(written).collect();
    report(&inputs, files, begun, session)?;
    Ok(Outcome::Done)
}
