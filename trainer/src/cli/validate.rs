use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use othello_cli::{Outcome, Session};
use othello_engine::file::{self, Existing, Kind, Summary};
use othello_engine::progress::Progress;
use othello_engine::record::{RecordFolder, record_files};
use serde::Serialize;

use crate::arena::MatchFile;
use crate::records::validate::{self, Validation, repair};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files, or folders of records, to check. Checks every game and position of records and
    /// matches, and every section of other files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// List the files of a folder of records, each with its checksum, in `records.json` in this
    /// folder. Afterwards, the folder can be named instead of its files. Files that are already
    /// listed are not validated again
    #[arg(long, group = "writes")]
    manifest: bool,
    /// Write the intact records of a damaged file to this file
    #[arg(long, value_name = "OUT", group = "writes")]
    repair: Option<PathBuf>,
    /// With `--repair`, replace OUT even if it was made from another file. With `--manifest`,
    /// update the entries of changed files and remove the entries of missing files
    #[arg(long, requires = "writes")]
    force: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report {
    /// The result for each checked file.
    files: Vec<Validation>,
    /// The number of damaged files.
    damaged: usize,
    /// The repaired file, with `--repair`.
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<Summary>,
    /// The wall time of the command.
    seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Validation { path, frames, games, positions, damage } in &self.files {
            let verdict = if damage.is_empty() { "sound" } else { "DAMAGED" };
            let records = format!("{games} games, {positions} positions");
            writeln!(f, "{path}: {verdict}, {frames} whole frames, {records}")?;
            damage.iter().try_for_each(|damage| writeln!(f, "  {damage}"))?;
        }
        if let Some(summary) = &self.repaired {
            writeln!(f, "intact records were copied: {summary}")?;
        }
        write!(f, "{} files, {} damaged, {:.2} s", self.files.len(), self.damaged, self.seconds)
    }
}

/// Reads a whole file, and returns the damage found in it. Also replays the games of a match file.
fn validate(path: &Path, progress: &dyn Progress) -> Result<Validation> {
    let mut found = validate::validate(path, progress)?;
    if found.damage.is_empty()
        && file::kind_of(path)? == Kind::Match
        && let Err(error) = MatchFile::read(path)
    {
        found.damage.push(error.to_string());
    }
    Ok(found)
}

/// Validates the files of a folder that are not listed in its `records.json`, and lists them there.
/// If a listed file has changed, validates it again if `anew`, otherwise fails.
fn list(folder: &Path, anew: bool, progress: &dyn Progress) -> Result<Vec<Validation>> {
    let mut files = vec![];
    let listed = RecordFolder::list(folder, anew, |path| -> Result<u64> {
        let found = validate(path, progress)?;
        let records = if found.games > 0 { found.games } else { found.positions };
        if let Some(damage) = found.damage.first() {
            let remedy = "move it away, or copy its intact records with --repair";
            bail!("{damage}; it is not listed: {remedy}");
        }
        files.push(found);
        Ok(records)
    })?;
    let records: u64 = listed.entries().map(|entry| entry.records).fold(0, u64::saturating_add);
    progress.message(&format!(
        "{}: {} files are listed, {} of them new; {records} games or positions",
        folder.display(),
        listed.entries().count(),
        files.len()
    ));
    Ok(files)
}

pub fn run(arguments: &Arguments, session: &Session) -> Result<Outcome> {
    let progress = session.progress();
    let (mut files, mut repaired) = (vec![], None);
    match (&arguments.repair, &arguments.files[..]) {
        (None, folders) if arguments.manifest => {
            for folder in folders {
                files.extend(list(folder, arguments.force, progress)?);
            }
        }
        (None, paths) => {
            let found = record_files(paths)?.into_iter().map(|path| validate(&path, progress));
            files = found.collect::<Result<_, _>>()?;
        }
        (Some(out), [path]) => {
            let existing = Existing::by_force(arguments.force);
            let (found, summary) = repair(path, out, existing, progress)?.unzip();
            files.push(found.map_or_else(|| validate(path, progress), Ok)?);
            repaired = summary;
        }
        (Some(_), paths) => bail!("--repair takes one file; {} are named", paths.len()),
    }
    let damaged = files.iter().filter(|file| !file.damage.is_empty()).count();
    let seconds = session.seconds();
    session.print(&Report { files, damaged, repaired, seconds })?;
    Ok(Outcome::wrong_if(damaged > 0))
}
