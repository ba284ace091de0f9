//! `othello-trainer validate`: whether files are what was written.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::bail;
use othello_engine::cli::arguments::existing;
use othello_engine::cli::{Outcome, Session};
use othello_engine::file::Summary;
use serde::Serialize;

use crate::records::validate::{Validation, repair, validate};

/// Arguments of `validate`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files to check: of records every game and position, of weights every section, of checkpoints
    /// the checksums
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// File to copy what is good of a damaged file of records to
    #[arg(long, value_name = "OUT")]
    repair: Option<PathBuf>,

    /// Replace an output that was made from something else
    #[arg(long, requires = "repair")]
    force: bool,
}

#[derive(Serialize)]
struct Report {
    files: Vec<Validation>,
    /// The number of damaged files.
    damaged: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<Repaired>,
    seconds: f64,
}

#[derive(Serialize)]
struct Repaired {
    bytes: u64,
    sha256: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Validation { path, frames, games, positions, damage } in &self.files {
            let verdict = if damage.is_empty() { "sound" } else { "DAMAGED" };
            writeln!(
                f,
                "{path}: {verdict}, {frames} whole frames, {games} games, {positions} positions"
            )?;
            damage.iter().try_for_each(|damage| writeln!(f, "  {damage}"))?;
        }
        if let Some(Repaired { bytes, sha256 }) = &self.repaired {
            writeln!(f, "what is good was copied: {bytes} bytes, sha256 {sha256}")?;
        }
        write!(f, "{} files, {} damaged, {:.2} s", self.files.len(), self.damaged, self.seconds)
    }
}

/// Validates, repairs where told, and reports; exit status 1 where something is damaged.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let progress = session.progress();
    let (mut files, mut repaired) = (vec![], None);
    match (&arguments.repair, &arguments.files[..]) {
        (None, paths) => {
            for path in paths {
                files.push(validate(path, progress)?);
            }
        }
        (Some(out), [path]) => match repair(path, out, existing(arguments.force), progress)? {
            None => files.push(validate(path, progress)?),
            Some((found, Summary { bytes, sha256, .. })) => {
                files.push(found);
                repaired = Some(Repaired { bytes, sha256 });
            }
        },
        (Some(_), paths) => bail!("--repair takes one file; {} are named", paths.len()),
    }
    let damaged = files.iter().filter(|file| !file.damage.is_empty()).count();
    let seconds = begun.elapsed().as_secs_f64();
    session.print(&Report { files, damaged, repaired, seconds })?;
    Ok(Outcome::wrong_if(damaged > 0))
}
