//! The tables of a page, for other programs, and the lines of their charts.

use serde_json::{Value as Json, json};

use super::{Loss, Page};

const TABLES: [[&str; 4]; 4] = [
    [
        "phases",
        "phase",
        "train_mse,validation_mse,validation_mae,test_mse,test_mae",
        "positions,validation_positions,test_positions,epochs,best_epoch",
    ],
    ["epochs", "epoch", "train_mse,validation_mse,validation_mae", "phase,learning_rate"],
    ["losses", "phase", "mae,mse", "empties,positions,bias,bias_error"],
    ["matches", "elo", "", "elo_error,p_value,pairs,wins,draws,losses,mean_discs,mean_discs_error"],
];

/// A table. Each row has the name of its run, loss or match.
pub struct Table {
    /// The table's name, the column of the horizontal axis, the columns with charts, other columns.
    pub columns: [&'static str; 4],
    rows: Vec<(String, Json)>,
}

/// A line: its name, and its points from left to right; `None` is a gap.
pub type Line = (String, Vec<Option<(f64, f64)>>);

impl Page {
    /// Returns the tables that are not empty.
    pub fn tables(&self) -> Vec<Table> {
        let (mut phases, mut epochs, mut losses) = (vec![], vec![], vec![]);
        for run in &self.runs {
            let name = || run.name.clone();
            let rows = run.phases.iter().flat_map(|report| &report.0);
            phases.extend(rows.map(|row| (name(), json!(row))));
            epochs.extend(run.metrics.iter().flatten().map(|row| (name(), json!(row))));
        }
        for Loss { name, errors } in &self.losses {
            let rows = errors["phases"].as_array().into_iter().flatten();
            losses.extend(rows.map(|row| (name.clone(), row.clone())));
        }
        let matches = self.matches.iter().map(|it| {
            let players = ["first", "second"].map(|field| it[field].as_str().unwrap_or_default());
            (players.join(" against "), it.clone())
        });
        let rows = [phases, epochs, losses, matches.collect()];
        let tables = TABLES.into_iter().zip(rows).filter(|(_, rows)| !rows.is_empty());
        tables.map(|(columns, rows)| Table { columns, rows }).collect()
    }
}

impl Table {
    /// Returns the table as CSV; a missing number is an empty cell.
    pub fn csv(&self) -> String {
        let [_, across, charts, others] = self.columns;
        let columns = [across, others, charts].join(",");
        let columns = columns.trim_end_matches(',');
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

    /// Returns a column's lines: one for each name or, in table `epochs`, for each name and phase.
    pub fn lines(&self, column: &str) -> Vec<Line> {
        let [table, across, ..] = self.columns;
        let mut lines: Vec<Line> = vec![];
        for (name, row) in &self.rows {
            let phase =
                if table == "epochs" { format!(", phase {}", row["phase"]) } else { String::new() };
            let name = format!("{name}{phase}");
            if lines.last().is_none_or(|last| last.0 != name) {
                lines.push((name, vec![]));
            }
            let point = row[across].as_f64().zip(row[column].as_f64());
            lines.iter_mut().last().into_iter().for_each(|line| line.1.push(point));
        }
        lines.retain(|(_, points)| points.iter().any(Option::is_some));
        lines
    }
}
