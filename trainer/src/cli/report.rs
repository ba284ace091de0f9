use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use othello_cli::arguments::{Output, number_from};
use othello_cli::message::counted;
use othello_cli::{Outcome, Session};
use othello_engine::file::{Existing, check_output, make_folder, plain, read_ordinary};
use othello_engine::progress::Progress as _;
use serde::Serialize;
use serde_json::Value as Json;

use super::picture::Picture;
use crate::fit::side_files;
use crate::report::{Loss, Page, Run};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Weights files to show, with the reports of their fits (.report.json, .metrics.jsonl)
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
    /// Matches to show: files with the output of `match --json`
    #[arg(long = "match", value_name = "FILE", num_args = 1..)]
    matches: Vec<PathBuf>,
    /// Errors to show by number of empty squares: files with the output of `loss --json`
    #[arg(long = "loss", value_name = "FILE", num_args = 1..)]
    losses: Vec<PathBuf>,
    /// Show the weights of the N most frequent classes of configurations of each pattern
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = number_from(0_usize))]
    classes: usize,
    /// Folder to which the page's tables are written as CSV, and charts of their columns as SVG
    #[arg(long, value_name = "DIR")]
    charts: Option<PathBuf>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Written {
    /// The path of the HTML page.
    page: PathBuf,
    /// The number of weights files on the page.
    runs: usize,
    /// The number of shown matches.
    matches: usize,
    /// The number of error reports (outputs of the command `loss`) on the page.
    losses: usize,
    /// The size of the page.
    bytes: usize,
    /// The paths of the tables and charts written to the folder `--charts`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    charts: Vec<PathBuf>,
    /// The weights files without a report of their fit. Their errors and data are not on the page.
    without_report: Vec<PathBuf>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for path in &self.without_report {
            let [_, report] = side_files(path).map(|path| path.display().to_string());
            writeln!(f, "{report} is not there: errors and data of this run are not shown")?;
        }
        let Self { page, runs, matches, losses, bytes, .. } = self;
        let (page, megabytes) = (page.display(), *bytes as f64 / 1e6);
        let [runs, matches] = [counted(*runs, "run"), counted(*matches, "match")];
        write!(f, "{page}: {runs}, {matches}, {}, {megabytes:.1} MB", counted(*losses, "loss"))
    }
}

const LONGEST_PRINTED: u64 = 64 << 20;

/// The names of fields, a description of their valid values, and a function that checks a value.
type Fields = (&'static [&'static str], &'static str, fn(&Json) -> bool);

/// The fields of a match report that the page shows.
const FIELDS: [Fields; 4] = [
    (&["first", "second"], "text", Json::is_string),
    (&["elo_interval"], "pair of numbers", |value| {
        value.as_array().is_some_and(|ends| ends.len() == 2 && ends.iter().all(is_number_or_null))
    }),
    (&["pairs", "wins", "draws", "losses", "mean_discs"], "number", Json::is_number),
    (&["mean_discs_error", "elo", "p_value"], "number", is_number_or_null),
];

fn is_number_or_null(value: &Json) -> bool {
    value.is_number() || value.is_null()
}

fn problem_of(report: &Json) -> Option<String> {
    FIELDS.iter().find_map(|(names, kind, is_right)| {
        let wrong = names.iter().find(|name| !report.get(name).is_some_and(is_right))?;
        Some(format!("`{wrong}` is not there, or is not a {kind}"))
    })
}

pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { runs: paths, output, matches, losses, classes, charts } = arguments;
    let beside = paths.iter().flat_map(|path| side_files(path));
    check_output(&output.out, paths.iter().chain(matches).chain(losses).cloned().chain(beside))?;
    session.progress().begin("report (runs)", 0, paths.len() as u64);
    let mut page = Page { runs: vec![], matches: vec![], losses: vec![] };
    for path in paths {
        page.runs.push(Run::read(path, *classes)?);
        session.progress().advance(1);
    }
    for path in matches {
        let read = printed(path, "match", "elo_interval")?;
        if let Some(problem) = problem_of(&read) {
            bail!("{}: {problem}; expected the output of `match --json`", path.display());
        }
        page.matches.push(read);
    }
    for path in losses {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        page.losses.push(Loss { name, errors: printed(path, "loss", "by_group")? });
    }
    let html = page.html()?;
    let existing = output.existing();
    let charts =
        charts.as_deref().map(|folder| write_charts(&page, folder, existing)).transpose()?;
    plain::write(&output.out, html.as_bytes(), existing)?;
    let without_report = paths.iter().zip(&page.runs).filter(|(_, run)| run.phases.is_none());
    session.print(&Written {
        page: output.out.clone(),
        runs: page.runs.len(),
        matches: page.matches.len(),
        losses: page.losses.len(),
        bytes: html.len(),
        charts: charts.unwrap_or_default(),
        without_report: without_report.map(|(path, _)| path.clone()).collect(),
    })
}

fn write_charts(page: &Page, folder: &Path, existing: Existing) -> anyhow::Result<Vec<PathBuf>> {
    make_folder(folder)?;
    let mut written = vec![];
    let mut write = |name: String, text: String| {
        written.push(folder.join(name));
        plain::write(&written[written.len() - 1], text.as_bytes(), existing)
    };
    for table in page.tables() {
        let [name, across, _, drawn, _] = table.columns;
        write(format!("{name}.csv"), table.csv())?;
        for column in drawn.split(',') {
            let lines = table.lines(column);
            let places = lines.iter().flat_map(|line| line.1.iter().flatten()).map(|point| point.0);
            let x_max = places.fold(1.0, f64::max);
            let unit = match column {
                "positions" | "slope" => "",
                _ if column.ends_with("mse") => ", discs²",
                _ if column.starts_with("met") => ", % of the classes",
                _ => ", discs",
            };
            let y_label = column.replace('_', " ") + unit;
            if !lines.is_empty() {
                let picture =
                    Picture { title: name, x_label: across, y_label: &y_label, x_max, lines };
                write(format!("{name}-{column}.svg"), picture.svg()?)?;
            }
        }
    }
    Ok(written)
}

fn printed(path: &Path, command: &str, field: &str) -> anyhow::Result<Json> {
    let shown = path.display();
    let bytes = read_ordinary(path, LONGEST_PRINTED)?;
    let read: Json = serde_json::from_slice(&bytes)
        .with_context(|| format!("{shown}: expected the output of `{command} --json`"))?;
    ensure!(
        read.get(field).is_some(),
        "{shown}: has no `{field}`; expected the output of `{command} --json`"
    );
    Ok(read)
}
