//! `othello-trainer split`: divides games or positions into training, validation and test.

use othello_engine::file::Existing;
use std::path::PathBuf;

use anyhow::bail;
use othello_cli::arguments::number_in;
use othello_cli::{Outcome, Session};
use othello_engine::progress::Progress;

use super::selection::{Files, Selection};
use crate::dataset::{Split, Subset};
use crate::records::select::{Selected, Splittable, split};
use crate::records::sequence::Inputs;

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
    #[arg(long)]
    force: bool,
}

/// Splits and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    if arguments.validation_percent + arguments.test_percent > 100 {
        bail!("--validation-percent and --test-percent are more than 100 together");
    }
    arguments.files.select(arguments, session)
}

impl Selection for Arguments {
    fn select<R: Splittable>(
        &self,
        inputs: &Inputs<R>,
        progress: &dyn Progress,
    ) -> anyhow::Result<Vec<(PathBuf, Selected)>> {
        let &Self { validation_percent, test_percent, .. } = self;
        let by = Split { validation_percent, test_percent, ..Split::new(self.files.seed) };
        let outs = Subset::ALL.map(|part| {
            let mut name = self.out.clone().into_os_string();
            name.push(format!(".{part}.{}", R::PLURAL));
            (part, PathBuf::from(name))
        });
        let written = split(inputs, by, &outs, Existing::by_force(self.force), progress)?;
        Ok(outs.into_iter().map(|(_, path)| path).zip(written).collect())
    }
}
