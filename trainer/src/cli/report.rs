//! `othello-trainer report`: a page of what runs came to.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use othello_engine::cli::{Outcome, Session};
use othello_engine::file::{Existing, check_output, plain};
use othello_engine::progress::Progress as _;
use serde::Serialize;
use serde_json::Value as Json;

use crate::fit::side_files;
use crate::report::{Loss, Page, Run};

/// Arguments of `report`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Weights files; what their fits left beside them (.report.json, .metrics.jsonl) is shown, too
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Write the page here
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Matches to show: files of what `match --json` printed
    #[arg(long = "match", value_name = "FILE", num_args = 1..)]
    matches: Vec<PathBuf>,
    /// Errors to show by number of empty squares: files of what `loss --json` printed
    #[arg(long = "loss", value_name = "FILE", num_args = 1..)]
    losses: Vec<PathBuf>,
    /// Number of classes of each pattern whose weights the page holds, those met most
    #[arg(long, value_name = "N", default_value_t = 500)]
    classes: usize,
    /// Replace the page that is there
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Written {
    page: PathBuf,
    runs: usize,
    matches: usize,
    losses: usize,
    bytes: usize,
    /// Runs without the report of their fit beside them: of these, errors and data are not shown.
    without_report: Vec<PathBuf>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for path in &self.without_report {
            let [_, report] = side_files(path);
            writeln!(
                f,
                "{} is not there: errors and data of this run are not shown",
                report.display()
            )?;
        }
        let Self { page, runs, matches, losses, bytes, .. } = self;
        let (page, megabytes) = (page.display(), *bytes as f64 / 1e6);
        write!(f, "{page}: {runs} runs, {matches} matches, {losses} losses, {megabytes:.1} MB")
    }
}

/// Reads the runs and writes the page.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { runs: paths, out, matches, losses, classes, force } = arguments;
    check_output(out, paths.iter().chain(matches).chain(losses))?;
    session.progress().begin("report (runs)", 0, paths.len() as u64);
    let mut page = Page { runs: vec![], matches: vec![], losses: vec![] };
    for path in paths {
        page.runs.push(Run::read(path, *classes)?);
        session.progress().advance(1);
    }
    for path in matches {
        page.matches.push(printed(path, "match", "elo_interval")?);
    }
    for path in losses {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        page.losses.push(Loss { name, errors: printed(path, "loss", "by_group")? });
    }
    let html = page.html()?;
    let existing = if *force { Existing::Replace } else { Existing::Keep };
    plain::write(out, html.as_bytes(), existing)?;
    let without_report = paths.iter().zip(&page.runs).filter(|(_, run)| !run.has_report());
    session.print(&Written {
        page: out.clone(),
        runs: page.runs.len(),
        matches: page.matches.len(),
        losses: page.losses.len(),
        bytes: html.len(),
        without_report: without_report.map(|(path, _)| path.clone()).collect(),
    })?;
    Ok(Outcome::Done)
}

/// Reads the JSON object that a command printed into a file; it has a field by which it is known.
fn printed(path: &Path, command: &str, field: &str) -> anyhow::Result<Json> {
    let shown = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{shown}: cannot read it"))?;
    let read: Json = serde_json::from_str(&text)
        .with_context(|| format!("{shown}: expected what `{command} --json` printed"))?;
    ensure!(
        read.get(field).is_some(),
        "{shown}: has no `{field}`; expected what `{command} --json` printed"
    );
    Ok(read)
}
