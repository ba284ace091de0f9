//! Prints small histograms as text.

use std::collections::BTreeMap;
use std::fmt;

use othello_engine::text_table::table;

/// A histogram over whole numbers of discs, printed as horizontal bars of text.
pub(super) struct Histogram {
    counts: BTreeMap<i32, u64>,
    /// The plural noun for the counted things, such as `games`.
    counted: &'static str,
}

/// The length of the longest bar, in characters.
const LONGEST: f64 = 50.0;

impl Histogram {
    pub(super) fn of(counted: &'static str) -> Self {
        Self { counts: BTreeMap::new(), counted }
    }

    pub(super) fn add(&mut self, number: i32, count: u64) {
        *self.counts.entry(number).or_default() += count;
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.counts.is_empty() {
            return Ok(());
        }
        let most = self.counts.values().copied().max().unwrap_or(1).max(1) as f64;
        let rows = self.counts.iter().map(|(number, &count)| {
            let bar = "#".repeat((LONGEST * count as f64 / most).ceil() as usize);
            [number.to_string(), count.to_string(), bar]
        });
        let columns = ["discs", self.counted, "<"];
        writeln!(f, "{}", table(columns, rows))
    }
}
