//! `othello-trainer shuffle`: puts games or positions in random order.

use std::path::PathBuf;

use othello_cli::arguments::{Output, number_from};
use othello_cli::{Outcome, Session};
use othello_engine::progress::Progress;

use super::selection::{Files, Selection};
use crate::memory::{MemoryLimit, allowed_bytes};
use crate::records::select::{Selected, Splittable};
use crate::records::sequence::Inputs;
use crate::records::shuffle::shuffle;

/// Arguments of `shuffle`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    memory_mb: Option<u64>,
    #[command(flatten)]
    output: Output,
}

/// Shuffles and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    arguments.files.select(arguments, session)
}

impl Selection for Arguments {
    fn select<R: Splittable>(
        &self,
        inputs: &Inputs<R>,
        progress: &dyn Progress,
    ) -> anyhow::Result<Vec<(PathBuf, Selected)>> {
        let memory = self.memory_mb.map_or(allowed_bytes() / 2, |mb| mb.saturating_mul(1 << 20));
        let (out, existing) = (&self.output.out, self.output.existing());
        let limit = MemoryLimit::beside(out, memory);
        let written = shuffle(&limit, inputs, self.files.seed, out, existing, progress)?;
        Ok(vec![(out.clone(), written)])
    }
}
