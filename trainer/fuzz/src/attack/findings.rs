//! Counts of attacks, and the findings.

use std::collections::BTreeMap;
use std::fmt;

/// The counts of one command in one round.
#[derive(Default)]
struct Row {
    runs: usize,
    done: usize,
    refused: usize,
    stopped: usize,
    findings: usize,
}

/// The end of an attack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The command ended with a result.
    Done,
    /// The command ended with a message.
    Refused,
    /// The command was killed, as intended.
    Stopped,
}

/// All counts and findings.
#[derive(Default)]
pub(super) struct Findings {
    /// The name of the current round.
    round: &'static str,
    rows: BTreeMap<(&'static str, String), Row>,
    /// The findings, each with its number and the first attack that showed it.
    found: BTreeMap<String, (usize, String)>,
}

impl Findings {
    /// Begins a round.
    pub(super) fn begin(&mut self, round: &'static str) {
        self.round = round;
    }

    fn row(&mut self, name: &str) -> &mut Row {
        let row = self.rows.entry((self.round, name.to_owned())).or_default();
        row.runs += 1;
        row
    }

    /// Counts an attack that did no harm.
    fn count(&mut self, name: &str, end: End) {
        let row = self.row(name);
        match end {
            End::Done => row.done += 1,
            End::Refused => row.refused += 1,
            End::Stopped => row.stopped += 1,
        }
    }

    /// Counts an attack that did harm: `what` is wrong, and `how` shows it again.
    fn report(&mut self, name: &str, what: &str, how: &str) {
        self.row(name).findings += 1;
        let what: String = what.chars().take(300).collect();
        let what = format!("{}: {name}: {what}", self.round);
        let first = |what: &str| {
            let how: String = how.chars().take(600).collect();
            eprintln!("FOUND {what}\n  {how}");
            (0, how)
        };
        self.found.entry(what).or_insert_with_key(|what| first(what)).0 += 1;
    }

    /// Counts an attack: one that did harm if something is `wrong`.
    pub(super) fn note(&mut self, name: &str, wrong: Option<String>, end: End, how: &str) {
        match wrong {
            Some(wrong) => self.report(name, &wrong, how),
            None => self.count(name, end),
        }
    }

    pub(super) fn are_none(&self) -> bool {
        self.found.is_empty()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<10}{:<40}{:>7}{:>7}{:>9}{:>9}{:>10}",
            "round", "command", "runs", "done", "refused", "stopped", "findings"
        )?;
        let mut all = Row::default();
        for ((round, name), row) in &self.rows {
            let Row { runs, done, refused, stopped, findings } = row;
            writeln!(
                f,
                "{round:<10}{name:<40}{runs:>7}{done:>7}{refused:>9}{stopped:>9}{findings:>10}"
            )?;
            all.runs += runs;
            all.done += done;
            all.refused += refused;
            all.stopped += stopped;
            all.findings += findings;
        }
        let Row { runs, done, refused, stopped, findings } = all;
        writeln!(f, "{:<50}{runs:>7}{done:>7}{refused:>9}{stopped:>9}{findings:>10}", "all")?;
        for (what, (times, how)) in &self.found {
            writeln!(f, "\nFOUND {times} times: {what}\n  {how}")?;
        }
        Ok(())
    }
}
