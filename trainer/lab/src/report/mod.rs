//! Writes an HTML page with charts of fits: errors, data, weights, matches and biases.
//!
//! The page contains its numbers as JSON, and the JavaScript library uPlot, which draws the charts.

mod tables;
mod weights;

use std::fmt::Display;
use std::path::Path;

use othello_engine::eval::{Weights, WeightsError, WeightsFile};
use othello_engine::file::{FileError, read_ordinary};
use othello_fit::fit::{FitReport, Metrics, side_files};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

pub use tables::{Line, Table};
pub use weights::WeightsSummary;

/// The content of a report page.
#[derive(Serialize)]
pub struct Page {
    /// The fits to compare, in order.
    pub runs: Vec<Run>,
    /// The matches, as `match --json` reports them.
    pub matches: Vec<Json>,
    /// The errors of evaluations on data.
    pub losses: Vec<Loss>,
}

/// The errors of an evaluation on data.
#[derive(Serialize)]
pub struct Loss {
    /// The label on the page, which names the evaluation and the data.
    pub name: String,
    /// The errors, as `loss --json` reports them.
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

/// A weights file, with the report and the metrics of its fit.
#[derive(Serialize)]
pub struct Run {
    name: String,
    sha256: String,
    provenance: Map<String, Json>,
    /// The report of the fit; `None` if its file is missing.
    pub phases: Option<FitReport>,
    /// The metrics of all epochs; `None` if their file is missing.
    metrics: Option<Vec<Metrics>>,
    weights: WeightsSummary,
}

#[derive(Deserialize)]
struct Stored {
    phases: FitReport,
}

impl Run {
    /// Reads a weights file, and the report and the metrics next to it. The summary contains the
    /// weights of the `classes` most frequent classes of each pattern.
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
    let unreadable = |reason: &dyn Display| {
        let remedy = "remove it to have the page without it";
        FileError::refused(path, format!("cannot be read: {reason}; {remedy}"))
    };
    let bytes = match read_ordinary(path, LONGEST) {
        Err(error) if error.is_missing() => return Ok(None),
        bytes => bytes?,
    };
    let text = str::from_utf8(&bytes).map_err(|error| unreadable(&error))?;
    Ok(Some(parse(text).map_err(|error| unreadable(&error))?))
}

/// The size limit of report and metrics files, in bytes; 100,000 epochs of every phase need less.
const LONGEST: u64 = 1 << 30;

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
