//! Counts attacks, and collects findings: the faults that attacks reveal.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Done,
    /// The command refused its input, or asked the user to try again.
    Refused,
    Stopped,
}

const COUNTS: [&str; 5] = ["runs", "done", "refused", "stopped", "findings"];

#[derive(Default)]
pub(super) struct Findings {
    round: &'static str,
    /// For each round and command, the numbers of runs by their ends, in the order of [`COUNTS`].
    rows: BTreeMap<(&'static str, String), [usize; 5]>,
    /// For each finding, its number of occurrences, and how to reproduce the first one.
    found: BTreeMap<String, (usize, String)>,
}

impl Findings {
    pub(super) fn begin(&mut self, round: &'static str) {
        self.round = round;
    }

    /// Counts an attack on command `name`. Keeps its fault `wrong`, if any, and `how` to repeat it.
    pub(super) fn note(&mut self, name: &str, wrong: Option<String>, end: End, how: &str) {
        let row = self.rows.entry((self.round, name.to_owned())).or_default();
        row[0] += 1;
        row[wrong.as_ref().map_or(1 + end as usize, |_| 4)] += 1;
        let Some(wrong) = wrong else { return };
        let begin = |text: &str, letters| text.chars().take(letters).collect::<String>();
        let what = format!("{}: {name}: {}", self.round, begin(&wrong, 300));
        let first = |what: &String| {
            let how = begin(how, 600);
            eprintln!("FOUND {what}\n  {how}");
            (0, how)
        };
        self.found.entry(what).or_insert_with_key(first).0 += 1;
    }

    pub(super) fn are_none(&self) -> bool {
        self.found.is_empty()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |round: &str, name: &str, row: [String; 5]| {
            write!(f, "{round:<10}{name:<40}")?;
            writeln!(f, "{:>7}{:>7}{:>9}{:>9}{:>10}", row[0], row[1], row[2], row[3], row[4])
        };
        line("round", "command", COUNTS.map(str::to_owned))?;
        let mut all = [0; 5];
        for ((round, name), row) in &self.rows {
            line(round, name, row.map(|count| count.to_string()))?;
            all.iter_mut().zip(row).for_each(|(all, count)| *all += count);
        }
        line("all", "", all.map(|count| count.to_string()))?;
        for (what, (times, how)) in &self.found {
            writeln!(f, "\nFOUND {times} times: {what}\n  {how}")?;
        }
        Ok(())
    }
}
