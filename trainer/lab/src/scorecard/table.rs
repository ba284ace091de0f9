use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use clap::ValueEnum;
use othello_engine::text_table::markdown;
use othello_fit::metrics::GroupErrors;
use serde::{Deserialize, Serialize};

use super::choices::{BestMoves, Solved, ValueErrors};
use crate::arena::MatchReport;

/// The report of a benchmark.
#[derive(Serialize, schemars::JsonSchema)]
pub struct BenchmarkReport {
    /// The results of the players, in the order in which the user named them.
    pub players: Vec<Row>,
    /// The parts of the benchmark that were omitted, for one player or for all.
    pub left_out: Vec<LeftOut>,
    /// The files that the players were measured on.
    pub data: Vec<Data>,
    /// The version of this program.
    pub version: &'static str,
    /// The number of threads on which the benchmark ran.
    pub threads: usize,
    /// The command line with which the benchmark ran.
    pub command: String,
    /// The wall time of the benchmark in seconds.
    pub seconds: f64,
}

/// The results of a player.
#[derive(Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Row {
    /// The player as the user specified it.
    pub player: String,
    /// The kind of the player: `weights`, `gtp` or `nboard`.
    pub kind: String,
    /// The checksum of the weights, or the name and version that a program reports, if any.
    pub identity: Option<String>,
    /// The errors of the player's values against the exact scores in `--strong` (games between
    /// strong searches): one entry for each depth to which it searches (0: static values).
    pub strong: Vec<ValueErrors>,
    /// Those files of the benchmark that were among the training data of the weights.
    pub fitted_to: Vec<String>,
    /// The moves that the player chose in the benchmark's hard positions, compared with the best
    /// moves; one entry for each search depth.
    pub hard: Vec<BestMoves>,
    /// The errors of the player's values on positions with exact scores, one entry for each file
    /// and each depth to which the player searches (0: static values).
    pub exact: Vec<ValueErrors>,
    /// The results of solving the endgame problems, if this part was measured.
    pub suite: Option<Solved>,
    /// If the player is an external program, which reports no scores: the moves that it chose in
    /// the endgame problems. Null for other players, or if this part of the benchmark was omitted.
    pub suite_moves: Option<BestMoves>,
    /// The match against the reference player; null if there was none.
    #[serde(rename = "match")]
    pub played: Option<MatchReport>,
    /// The elapsed wall time in seconds.
    pub seconds: f64,
}

/// A part of the benchmark that was omitted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LeftOut {
    /// The part of the benchmark that was omitted.
    pub part: String,
    /// The player for which this part of the benchmark was omitted; null for all players.
    pub player: Option<String>,
    /// The reason for which this part of the benchmark was omitted.
    pub reason: String,
}

/// A file that players were measured on.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, schemars::JsonSchema)]
pub struct Data {
    /// The part of the benchmark that uses `file`.
    pub part: String,
    /// The path of the file on which players were measured.
    pub file: String,
    /// The SHA-256 of `file`, as `sha256sum` prints it.
    pub sha256: String,
}

impl LeftOut {
    /// Creates the entry for a part omitted for one player or, if `player` is `None`, for all.
    pub fn new(part: Part, player: Option<&str>, reason: impl Into<String>) -> Self {
        Self { part: part.to_string(), player: player.map(str::to_owned), reason: reason.into() }
    }
}

impl Data {
    /// Creates the entry for a file that a part of the benchmark uses.
    pub fn new(part: Part, file: &Path, sha256: &str) -> Self {
        let (file, sha256) = (file.display().to_string(), sha256.to_owned());
        Self { part: part.to_string(), file, sha256 }
    }
}

/// A column of the tables: the index of its benchmark part; a number that orders the columns of
/// this part, such as a search depth; its heading.
type Column = (usize, usize, String);

type Cells = BTreeMap<Column, String>;

const SHOWN_OF_SHA256: usize = 12;

impl Row {
    fn short_identity(&self) -> String {
        let identity = self.identity.as_deref().unwrap_or("-");
        let is_checksum = identity.len() == 64 && identity.bytes().all(|b| b.is_ascii_hexdigit());
        identity[..if is_checksum { SHOWN_OF_SHA256 } else { identity.len() }].to_owned()
    }

    fn cells(&self) -> Cells {
        let mut cells = Cells::new();
        let numbered = |errors: &ValueErrors| (errors.all, depth_name(errors.depth));
        for (number, (errors, depth)) in self.strong.iter().map(numbered).enumerate() {
            cells.insert((0, number, format!("strong, {depth}")), error_cell(&errors));
        }
        for found in &self.hard {
            let (number, name) = match (found.depth, found.selectivity) {
                (Some(depth), Some(percent)) => {
                    (depth as usize, format!("hard, depth {depth} at {percent} %"))
                }
                (Some(depth), None) => (depth as usize, format!("hard, given depth {depth}")),
                (None, _) => (usize::MAX, "hard, by GTP".to_owned()),
            };
            cells.insert((1, number, name), choice_cell(found));
        }
        for (number, errors) in self.exact.iter().enumerate() {
            let heading = format!("{}, {}", file_name(&errors.file), depth_name(errors.depth));
            cells.insert((2, number, heading), error_cell(&errors.all));
        }
        if let Some(Solved { stated, right, nodes, seconds, .. }) = self.suite {
            let nodes = nodes as f64 / 1e6;
            let cell = format!("{right} of {stated} right, {nodes:.1} M nodes, {seconds:.2} s");
            cells.insert((3, 0, "suite, solved".to_owned()), cell);
        }
        if let Some(moves) = &self.suite_moves {
            cells.insert((3, 1, "suite, moves".to_owned()), choice_cell(moves));
        }
        if let Some(played) = &self.played {
            let heading = format!("against {}", played.terms());
            cells.insert((4, 0, heading), played.difference());
        }
        cells
    }
}

fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

fn depth_name(depth: u32) -> String {
    if depth == 0 { "static".to_owned() } else { format!("{depth} plies") }
}

fn error_cell(errors: &GroupErrors) -> String {
    let pair = errors.mae.zip(errors.bias);
    pair.map_or("-".to_owned(), |(mae, bias)| format!("{mae:.2} ({bias:+.2})"))
}

fn choice_cell(found: &BestMoves) -> String {
    let stated = found.agreement.best_stated.unwrap_or_default() + found.failures.len() as u64;
    let lost = found.agreement.discs_lost.map(|lost| format!(", {lost:.2} lost"));
    let mae = found.agreement.mae.map(|mae| format!(", MAE {mae:.2}"));
    let failed =
        (!found.failures.is_empty()).then(|| format!(", {} no move", found.failures.len()));
    let more: String = [lost, mae, failed].into_iter().flatten().collect();
    format!("{} of {stated}{more}", found.agreement.best_found.unwrap_or_default())
}

impl fmt::Display for BenchmarkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |row: &Row| (vec![row.player.clone(), row.short_identity()], row.cells());
        let rows: Vec<_> = self.players.iter().map(row).collect();
        writeln!(f, "{}\n\n{LEGEND}", table(&["player", "identity"], &rows))?;
        self.write_groups(f)?;
        self.write_empties(f)?;
        for Row { player, fitted_to, .. } in &self.players {
            for file in fitted_to {
                writeln!(
                    f,
                    "\n{player} was fitted to {file}: its errors on this file are not test errors"
                )?;
            }
        }
        for LeftOut { part, player, reason } in &self.left_out {
            let player = player.as_ref().map_or(String::new(), |player| format!(" of {player}"));
            writeln!(f, "\nskipped: {part}{player}: {reason}")?;
        }
        for Data { part, file, sha256 } in &self.data {
            writeln!(f, "\n{part}: {file}, sha256 {sha256}")?;
        }
        let Self { version, threads, command, seconds, .. } = self;
        let program = format!("othello-trainer {version}, {threads} threads, {seconds:.0} s");
        write!(f, "\n{program}:\n\n```text\n{command}\n```")
    }
}

const LEGEND: &str = "Errors are mean absolute errors in discs, with the bias in brackets; best \
    moves are counted,\nwith the mean loss of the chosen moves in discs; Elo has a 95 % interval.";

impl BenchmarkReport {
    fn write_groups(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let measured = self.measured(|row| &row.strong);
        write_errors(f, "strong test", measured, |errors| {
            let groups = errors.by_group.iter().enumerate();
            let column = |number, name: &str| (0, number, name.to_owned());
            groups.map(|(n, group)| (column(n, &group.name), error_cell(&group.errors))).collect()
        })
    }

    fn write_empties(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: BTreeSet<&str> =
            self.measured(|row| &row.exact).map(|(_, e)| &*e.file).collect();
        for file in files {
            let measured = self.measured(|row| &row.exact).filter(|(_, e)| e.file == file);
            write_errors(f, file_name(file), measured, |errors| {
                let rows = errors.by_empties.iter();
                let column = |empties: usize| (0, empties, empties.to_string());
                rows.map(|row| (column(row.empties), error_cell(&row.errors))).collect()
            })?;
        }
        Ok(())
    }

    fn measured<'a>(
        &'a self,
        of: impl Fn(&'a Row) -> &'a Vec<ValueErrors>,
    ) -> impl Iterator<Item = (&'a Row, &'a ValueErrors)> {
        self.players.iter().flat_map(move |row| of(row).iter().map(move |errors| (row, errors)))
    }
}

fn table(first: &[&str], rows: &[(Vec<String>, Cells)]) -> String {
    let columns: BTreeSet<&Column> = rows.iter().flat_map(|(_, cells)| cells.keys()).collect();
    let named = columns.iter().map(|column| &*column.2);
    let headings: Vec<&str> = first.iter().copied().chain(named).collect();
    let rows = rows.iter().map(|(names, cells)| {
        let cell = |column| cells.get(column).map_or("-", String::as_str).to_owned();
        names.iter().cloned().chain(columns.iter().copied().map(cell)).collect::<Vec<String>>()
    });
    markdown(&headings, rows)
}

fn write_errors<'a>(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    measured: impl Iterator<Item = (&'a Row, &'a ValueErrors)>,
    groups: impl Fn(&ValueErrors) -> Cells,
) -> fmt::Result {
    let name = |row: &Row, depth| vec![format!("{}, {}", row.player, depth_name(depth))];
    let rows = measured.map(|(row, errors)| (name(row, errors.depth), groups(errors)));
    let rows: Vec<_> = rows.collect();
    if rows.iter().all(|(_, cells)| cells.is_empty()) {
        return Ok(());
    }
    writeln!(f, "\n{}", table(&[&format!("{title}, by empty squares")], &rows))
}

/// A part of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, derive_more::Display)]
pub enum Part {
    /// Errors of values on positions of games between strong searches
    #[display("strong test")]
    Strong,
    /// How often a player finds a best move in hard positions, in which searches have large errors
    #[display("hard part")]
    Hard,
    /// Errors of values on positions with exact scores, from a file that the user supplies
    #[display("exact positions")]
    Exact,
    /// Problems solved to the end of the game
    #[display("suite")]
    Suite,
    /// A match in equal time against the reference player
    #[display("match")]
    Match,
}
