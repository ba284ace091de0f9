//! The predictions of a weights file as tables.

use std::fmt;

use crate::eval::Prediction;
use crate::search::Predictions;
use crate::text_table::table;

fn cells(Prediction { slope, offset, error }: Prediction) -> [String; 3] {
    [format!("{slope:.3}"), format!("{offset:+.2}"), format!("{error:.2}")]
}

impl fmt::Display for Predictions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = ["slope", "offset", "deviation"];
        if !self.probcut.is_empty() {
            let rows = self.probcut.iter().map(|row| {
                let [slope, offset, deviation] = cells(row.predicted);
                let [ply, shallow, deep] = [row.ply, row.shallow, row.deep].map(|n| n.to_string());
                [ply, shallow, deep, slope, offset, deviation]
            });
            let [slope, offset, deviation] = headings;
            let columns = ["ply", "known depth", "depth", slope, offset, deviation];
            let rows = table(columns, rows);
            write!(f, "\nvalues of deeper searches, in discs\n{rows}\n")?;
        }
        if !self.ends.is_empty() {
            let rows = self.ends.iter().map(|row| {
                let [slope, offset, deviation] = cells(row.predicted);
                [row.empties.to_string(), row.shallow.to_string(), slope, offset, deviation]
            });
            let [slope, offset, deviation] = headings;
            let columns = ["empty squares", "known depth", slope, offset, deviation];
            let rows = table(columns, rows);
            write!(f, "\nscores, in discs\n{rows}\n")?;
        }
        Ok(())
    }
}
