//! Writes an HTML page with charts of fits: errors, data, weights, matches and biases. The page
//! contains its numbers as JSON, and the JavaScript library uPlot, which draws the charts.

mod weights;

use std::path::Path;

use othello_engine::eval::{Weights, WeightsError, WeightsFile};
use othello_engine::file::{FileError, read_ordinary};
use othello_fit::fit::{FitReport, Metrics, side_files};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use weights::WeightsSummary;

/// The content of a report page.
#[derive(Serialize)]
pub struct Page {
    /// The fits to compare, in the order in which the page shows them.
    pub runs: Vec<Run>,
    /// The matches, as `match --json` reports them.
    pub matches: Vec<Json>,
    /// The errors of evaluations on records, one entry for each output of `loss --json`.
    pub losses: Vec<Loss>,
}

/// The errors of an evaluation on data.
#[derive(Serialize)]
pub struct Loss {
    /// The label on the page, which names the evaluation and the data.
    pub name: String,
    /// The errors, as the JSON object that `othello-trainer loss --json` prints.
    pub errors: Json,
}

impl Page {
    /// Returns the page as HTML that loads nothing from other files or servers.
    pub fn html(&self) -> Result<String, serde_json::Error> {
        // HTML gives `</script>` and `<!--<script>` a meaning inside a script. In JSON, `<` occurs
        // only in strings, so it can be escaped.
        let data = serde_json::to_string(self)?.replace('<', "\\u003c");
        let parts = [
            ("/* library style */", include_str!("page/uPlot.min.css")),
            ("/* style */", include_str!("page/style.css")),
            ("/* data */", &data),
            ("/* licence */", include_str!("page/uPlot.LICENSE")),
            ("/* library */", include_str!("page/uPlot.iife.min.js")),
            ("/* charts */", include_str!("page/charts.js")),
            ("/* patterns */", include_str!("page/patterns.js")),
            ("/* script */", include_str!("page/report.js")),
        ];
        let mut html = String::new();
        let mut rest = include_str!("page/report.html");
        for (place, content) in parts {
            let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
            html += before;
            html += content;
            rest = after;
        }
        Ok(html + rest)
    }
}

/// The weights file of a fit, with the report and the metrics of the fit.
#[derive(Serialize)]
pub struct Run {
    name: String,
    sha256: String,
    provenance: Map<String, Json>,
    /// The report of the fit; `None` if its file is missing.
    pub phases: Option<FitReport>,
    metrics: Option<Vec<Metrics>>,
    weights: WeightsSummary,
}

#[derive(Deserialize)]
struct Stored {
    phases: FitReport,
}

impl Run {
    /// Reads the weights file `path` of a fit, and the fit's report and metrics if they exist. The
    /// page lists the `classes` most frequent classes of configurations of each pattern.
    pub fn read(path: &Path, classes: usize) -> Result<Self, WeightsError> {
        let WeightsFile { weights, provenance, sha256 } = Weights::read(path)?;
        let [metrics, report] = side_files(path);
        Ok(Self {
            name: path.display().to_string(),
            sha256,
            provenance: provenance.as_map().clone(),
            phases: read_beside(&report, |text| {
                serde_json::from_str(text).map(|stored: Stored| stored.phases)
            })?,
            metrics: read_beside(&metrics, |text| {
                text.lines().skip(1).map(serde_json::from_str).collect()
            })?,
            weights: WeightsSummary::new(&weights, classes),
        })
    }
}

fn read_beside<T>(
    path: &Path,
    parse: impl FnOnce(&str) -> serde_json::Result<T>,
) -> Result<Option<T>, WeightsError> {
    let unreadable = |reason: String| {
        let remedy = "remove it to have the page without it";
        FileError::refused(path, format!("cannot be read: {reason}; {remedy}"))
    };
    let bytes = match read_ordinary(path, LONGEST) {
        Err(error) if error.is_missing() => return Ok(None),
        bytes => bytes?,
    };
    let text = str::from_utf8(&bytes).map_err(|error| unreadable(error.to_string()))?;
    Ok(Some(parse(text).map_err(|error| unreadable(error.to_string()))?))
}

/// The size limit of a report or metrics file in bytes; 100,000 epochs of every phase need less.
const LONGEST: u64 = 1 << 30;

/// The name and columns of each table of a report page, as in [`Table::columns`].
const TABLES: [[&str; 5]; 7] = [
    [
        "phases",
        "phase",
        "",
        "train_mse,validation_mse,validation_mae,test_mse,test_mae,positions",
        "validation_positions,test_positions,epochs,best_epoch",
    ],
    ["epochs", "epoch", "phase", "train_mse,validation_mse,validation_mae", "learning_rate"],
    ["coverage", "phase", "pattern", "met_once,met_10_times,met_100_times,mean_weight", "classes"],
    ["probcut", "ply", "deep", "deviation,offset,slope", "shallow"],
    ["ends", "empties", "", "deviation,offset,slope", "shallow"],
    ["losses", "phase", "", "mae,mse,bias", "empties,positions,bias_error"],
    [
        "matches",
        "elo",
        "",
        "",
        "elo_error,p_value,pairs,wins,draws,losses,mean_discs,mean_discs_error",
    ],
];

/// A table of a report page. Each row has the name of its run, evaluation or match.
pub struct Table {
    /// Five texts: the table's name; the column on the x axis of its charts; the column that groups
    /// rows into lines, or an empty text; the columns on the y axis, one chart each; the columns
    /// without a chart. Commas separate columns.
    pub columns: [&'static str; 5],
    rows: Vec<(String, Json)>,
}

/// A line of a chart: its name, and its points from left to right; `None` interrupts the line.
pub type Line = (String, Vec<Option<(f64, f64)>>);

impl Page {
    /// Returns the tables that are not empty.
    pub fn tables(&self) -> Vec<Table> {
        let (mut phases, mut epochs, mut losses) = (vec![], vec![], vec![]);
        let (mut coverage, mut probcut, mut ends) = (vec![], vec![], vec![]);
        for run in &self.runs {
            let name = || run.name.clone();
            let rows = run.phases.iter().flat_map(|report| &report.0);
            phases.extend(rows.map(|row| (name(), json!(row))));
            epochs.extend(run.metrics.iter().flatten().map(|row| (name(), json!(row))));
            coverage.extend(run.weights.coverage().map(|row| (name(), row)));
            let models = &run.weights.predictions;
            probcut.extend(models.probcut.iter().map(|row| (name(), json!(row))));
            ends.extend(models.ends.iter().map(|row| (name(), json!(row))));
        }
        for Loss { name, errors } in &self.losses {
            let rows = errors["phases"].as_array().into_iter().flatten();
            losses.extend(rows.map(|row| (name.clone(), row.clone())));
        }
        let matches = self.matches.iter().map(|it| {
            let players = ["first", "second"].map(|field| it[field].as_str().unwrap_or_default());
            (players.join(" against "), it.clone())
        });
        let rows = [phases, epochs, coverage, probcut, ends, losses, matches.collect()];
        let tables = TABLES.into_iter().zip(rows).filter(|(_, rows)| !rows.is_empty());
        tables.map(|(columns, rows)| Table { columns, rows }).collect()
    }
}

impl Table {
    /// Returns the table as CSV; a missing number is an empty cell.
    pub fn csv(&self) -> String {
        let [_, across, by, charts, others] = self.columns;
        let columns = [across, by, others, charts].into_iter().filter(|some| !some.is_empty());
        let columns = columns.collect::<Vec<_>>().join(",");
        let cell = |row: &Json, column: &str| match &row[column] {
            Json::Null => ",".to_owned(),
            value => format!(",{value}"),
        };
        let line = |(name, row): &(String, Json)| {
            let cells: String = columns.split(',').map(|column| cell(row, column)).collect();
            format!("\"{}\"{cells}\n", name.replace('"', "\"\""))
        };
        let rows: String = self.rows.iter().map(line).collect();
        format!("name,{columns}\n{rows}")
    }

    /// Returns the lines of the chart with `column` on the y axis. Each run, evaluation or match
    /// has one line or, with a grouping column such as `phase`, one for each value of that column.
    pub fn lines(&self, column: &str) -> Vec<Line> {
        let [_, across, by, ..] = self.columns;
        let mut lines: Vec<Line> = vec![];
        for (name, row) in &self.rows {
            let name = match &row[by] {
                Json::Null => name.clone(),
                Json::String(content) => format!("{name}, {by} {content}"),
                number => format!("{name}, {by} {number}"),
            };
            let point = row[across].as_f64().zip(row[column].as_f64());
            match lines.iter_mut().find(|line| line.0 == name) {
                Some(line) => line.1.push(point),
                None => lines.push((name, vec![point])),
            }
        }
        lines.retain(|(_, points)| points.iter().any(Option::is_some));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_place_and_data_cannot_end_their_script() {
        let matches = vec![serde_json::json!({ "first": "</script><b><!--<script>" })];
        let html = Page { runs: vec![], matches, losses: vec![] }.html().unwrap();
        let escaped = r#""first":"\u003c/script>\u003cb>\u003c!--\u003cscript>""#;
        assert!(html.contains(escaped));
        assert!(html.contains("uPlot") && html.ends_with("</html>\n"));
        for place in
            ["/* library", "/* script */", "/* charts */", "/* patterns */", "/* licence */"]
        {
            assert!(!html.contains(place), "{place}");
        }
        assert!(!html.contains("src=") && !html.contains("<link"));
    }
}
