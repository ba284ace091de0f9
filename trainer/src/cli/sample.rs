//! `othello-trainer sample`: draws some games or positions from many.

use std::path::PathBuf;

use othello_cli::arguments::{Output, number_from};
use othello_cli::{Outcome, Session};
use othello_engine::progress::Progress;

use super::selection::{Files, Selection};
use crate::records::select::{Selected, Splittable, sample};
use crate::records::sequence::Inputs;

/// Arguments of `sample`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,
    #[arg(long, value_name = "N", value_parser = number_from(0_u64))]
    count: u64,
    #[command(flatten)]
    output: Output,
}

/// Samples and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    arguments.files.select(arguments, session)
}

impl Selection for Arguments {
    fn select<R: Splittable>(
        &self,
        inputs: &Inputs<R>,
        progress: &dyn Progress,
    ) -> anyhow::Result<Vec<(PathBuf, Selected)>> {
        let (out, existing) = (&self.output.out, self.output.existing());
        let written = sample(inputs, self.count, self.files.seed, out, existing, progress)?;
        Ok(vec![(out.clone(), written)])
    }
}
