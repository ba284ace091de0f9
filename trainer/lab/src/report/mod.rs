//! Reports the results of runs as one page: charts of errors, data, weights, matches and biases.
//!
//! The page contains its numbers as JSON, and the library uPlot, which draws them.

mod run;
mod weights;

use serde::Serialize;
use serde_json::Value as Json;

pub use run::Run;
pub use weights::WeightsSummary;

/// The content of a page: runs side by side, matches, and errors on data.
#[derive(Serialize)]
pub struct Page {
    /// The runs, in the order in which they are compared.
    pub runs: Vec<Run>,
    /// The matches, as `match --json` reports them.
    pub matches: Vec<Json>,
    /// The errors of evaluations on data.
    pub losses: Vec<Loss>,
}

/// The errors of an evaluation on some data.
#[derive(Serialize)]
pub struct Loss {
    /// The name of the evaluation and data for readers.
    pub name: String,
    /// The errors, as `loss --json` reports them.
    pub errors: Json,
}

impl Page {
    /// Returns the page in HTML.
    pub fn html(&self) -> Result<String, serde_json::Error> {
        // No HTML tag or comment may occur inside a script: `</script>` ends it, and after
        // `<!--<script>` nothing does. In JSON `<` occurs only in texts.
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
        // Nothing is loaded from elsewhere.
        assert!(!html.contains("src=") && !html.contains("<link"));
    }
}
