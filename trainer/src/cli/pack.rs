use std::path::PathBuf;

use anyhow::{Context as _, bail};
use othello_cli::{Outcome, Session};
use othello_engine::eval::Weights;
use othello_engine::file::{Existing, Kind, Summary};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, ScoredPosition};
use othello_engine::run::Run;
use othello_engine::{openings, selfplay};
use serde::Serialize;

use crate::arena;
use crate::dataset::DatasetFolder;
use crate::fit;
use crate::records::sequence;

#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Output file to make, which the shards also had as --out; their parts are in `OUT.parts`
    #[arg(value_name = "OUT")]
    out: PathBuf,
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,
    /// Remove the folder of parts, `OUT.parts`, when the output is complete
    #[arg(long)]
    clean: bool,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{parts} parts packed, {summary}, {seconds:.2} s")]
pub(in crate::cli) struct Report {
    /// The number of parts (files of finished work) that were packed.
    parts: u64,
    #[serde(flatten)]
    summary: Summary,
    /// The wall time of the command.
    seconds: f64,
}

pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let (run, done) = Run::to_pack(&arguments.out)?;
    let summary = done.map_or_else(|| pack(&run, arguments, session.progress()), Ok)?;
    let parts = run.count()?;
    if arguments.clean {
        run.clean()?;
    }
    session.print(&Report { parts, summary, seconds: session.seconds() })
}

fn pack(run: &Run, arguments: &Arguments, progress: &dyn Progress) -> anyhow::Result<Summary> {
    let command = run.plan.provenance.get("command").and_then(serde_json::Value::as_str);
    let summary = match (command.unwrap_or_default(), run.plan.kind) {
        ("selfplay", _) => selfplay::pack(run, progress)?.summary,
        ("openings", _) => Some(openings::pack(run, progress)?),
        ("fit", _) => {
            let initial = arguments.init.as_deref().map(Weights::read).transpose()?;
            fit::pack(run, initial.as_ref(), progress)?.summary
        }
        ("relabel" | "leaves", Some(Kind::Games)) => sequence::pack::<Game>(run, progress)?.summary,
        ("relabel" | "leaves", _) => sequence::pack::<ScoredPosition>(run, progress)?.summary,
        ("match", _) => Some(arena::pack(run, progress)?),
        ("dataset", _) => Some(pack_dataset(run, progress)?),
        (command, _) => bail!(
            "{}: `pack` cannot make the output of `{command}`; run that command again, which also \
             packs",
            run.output.display()
        ),
    };
    summary.context("the run is not packed")
}

fn pack_dataset(run: &Run, progress: &dyn Progress) -> anyhow::Result<Summary> {
    DatasetFolder::pack(run, Existing::Keep, progress)?;
    let sha256 = DatasetFolder::sha256(&run.output)?;
    let sizes = std::fs::read_dir(&run.output)?.map(|entry| Ok(entry?.metadata()?.len()));
    let sizes = sizes.collect::<std::io::Result<Vec<u64>>>()?;
    Ok(Summary { sha256, bytes: sizes.iter().sum(), sections: sizes.len() })
}
