//! The tables of a report page as CSV for other programs, and the chart lines of their columns.

use serde_json::{Value as Json, json};

use super::{Loss, Page};

/// Of each table: its name, the column of the horizontal axis, the column that separates lines, the
/// columns with charts, and the other columns.
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
    columns: [&'static str; 5],
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
    /// Returns the table's name.
    pub fn name(&self) -> &'static str {
        self.columns[0]
    }

    /// Returns the column of the horizontal axis.
    pub fn across(&self) -> &'static str {
        self.columns[1]
    }

    /// Returns the names of the columns that are drawn as charts.
    pub fn charts(&self) -> impl Iterator<Item = &'static str> {
        self.columns[3].split(',')
    }

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

    /// Returns the lines of a column's chart: one for each run, evaluation or match. If the table
    /// has a column that separates lines, such as `phase`, each of its values has its own line.
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
