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
    /// The text by which the user specified the player.
    pub player: String,
    /// The kind of the player: `weights`, `gtp` or `nboard`.
    pub kind: String,
    /// The checksum of the weights, or the name and version that a program reports, if any.
    pub identity: Option<String>,
    /// The errors of the player's values on games between strong searches (`--strong`). There is
    /// one entry for each search depth; depth 0 has static values.
    pub strong: Vec<ValueErrors>,
    /// The test files that were also among the training data of the weights.
    pub fitted_to: Vec<String>,
    /// The moves that the player chose in the benchmark's hard positions, compared with the best
    /// moves. There is one entry for each search depth.
    pub hard: Vec<BestMoves>,
    /// The errors of the player's values on positions with exact scores. There is one entry for
    /// each file and search depth; depth 0 has static values.
    pub exact: Vec<ValueErrors>,
    /// The results of solving the endgame problems, if this part was measured.
    pub suite: Option<Solved>,
    /// The moves that an external program chose in the endgame problems. Null for an evaluation, or
    /// if this part of the benchmark was omitted.
    pub suite_moves: Option<BestMoves>,
    /// The match against the reference player; null if there was none.
    #[serde(rename = "match")]
    pub played: Option<MatchReport>,
    /// The wall time in which the player was measured, in seconds.
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
    /// Creates an entry for a benchmark part omitted for `player`; `None` means for all players.
    pub fn new(part: Part, player: Option<&str>, reason: impl Into<String>) -> Self {
        Self { part: part.to_string(), player: player.map(str::to_owned), reason: reason.into() }
    }
}

impl Data {
    pub(super) fn new(part: Part, file: &Path, sha256: &str) -> Self {
        let (file, sha256) = (file.display().to_string(), sha256.to_owned());
        Self { part: part.to_string(), file, sha256 }
    }
}

/// A table column: the index of its benchmark part, its order within the part, and its heading.
type Column = (usize, usize, String);

type Cells = BTreeMap<Column, String>;

/// A table row: the labels at its left, such as the player's name, and the cells by column.
type TableRow = (Vec<String>, Cells);

const SHOWN_OF_SHA256: usize = 12;

impl Row {
    fn short_identity(&self) -> String {
        let identity = self.identity.as_deref().unwrap_or("-");
        let is_checksum = identity.len() == 64 && identity.bytes().all(|b| b.is_ascii_hexdigit());
        identity[..if is_checksum { SHOWN_OF_SHA256 } else { identity.len() }].to_owned()
    }

    fn cells(&self) -> Cells {
        let mut cells = Cells::new();
        let strong = self.strong.iter().map(|errors| (0, "strong", errors));
        let exact = self.exact.iter().map(|errors| (2, file_name(&errors.file), errors));
        for (number, (part, name, errors)) in strong.chain(exact).enumerate() {
            let heading = format!("{name}, {}", depth_name(errors.depth));
            cells.insert((part, number, heading), error_cell(&errors.all));
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
    let failures = found.failures.len();
    let failed = (failures > 0).then(|| format!(", {failures} no move"));
    let more: String = [lost, mae, failed].into_iter().flatten().collect();
    format!("{} of {stated}{more}", found.agreement.best_found.unwrap_or_default())
}

impl fmt::Display for BenchmarkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |row: &Row| (vec![row.player.clone(), row.short_identity()], row.cells());
        let rows: Vec<_> = self.players.iter().map(row).collect();
        writeln!(f, "{}\n\n{LEGEND}", table(&["player", "identity"], &rows))?;
        for ((_, file), rows) in self.error_tables() {
            if rows.iter().any(|(_, cells)| !cells.is_empty()) {
                let title = format!("{}, by empty squares", file_name(file));
                writeln!(f, "\n{}", table(&[&title], &rows))?;
            }
        }
        for Row { player, fitted_to, .. } in &self.players {
            for file in fitted_to {
                let remark = "its errors on this file are not test errors";
                writeln!(f, "\n{player} was fitted to {file}: {remark}")?;
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
    /// Returns tables of the players' errors, with a column for each number (or range) of empty
    /// squares. The key is `(0, "strong test")` for games between strong searches, and `(1, path)`
    /// for a file of positions with exact scores.
    fn error_tables(&self) -> BTreeMap<(usize, &str), Vec<TableRow>> {
        let mut tables = BTreeMap::<_, Vec<TableRow>>::new();
        for row in &self.players {
            let name = |depth: u32| vec![format!("{}, {}", row.player, depth_name(depth))];
            for ValueErrors { depth, by_group, .. } in &row.strong {
                let groups = by_group.iter().enumerate();
                let cells = groups.map(|(n, it)| ((0, n, it.name.clone()), error_cell(&it.errors)));
                tables.entry((0, "strong test")).or_default().push((name(*depth), cells.collect()));
            }
            for ValueErrors { file, depth, by_empties, .. } in &row.exact {
                let column = |empties: usize| (0, empties, empties.to_string());
                let cells =
                    by_empties.iter().map(|it| (column(it.empties), error_cell(&it.errors)));
                tables.entry((1, file)).or_default().push((name(*depth), cells.collect()));
            }
        }
        tables
    }
}

fn table(first: &[&str], rows: &[TableRow]) -> String {
    let columns: BTreeSet<&Column> = rows.iter().flat_map(|(_, cells)| cells.keys()).collect();
    let named = columns.iter().map(|column| &*column.2);
    let headings: Vec<&str> = first.iter().copied().chain(named).collect();
    let rows = rows.iter().map(|(names, cells)| {
        let cell = |column| cells.get(column).map_or("-", String::as_str).to_owned();
        names.iter().cloned().chain(columns.iter().copied().map(cell)).collect::<Vec<String>>()
    });
    markdown(&headings, rows)
}

/// A part of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, derive_more::Display)]
pub enum Part {
    /// Errors of a player's values on positions of games that strong searches played
    #[display("strong test")]
    Strong,
    /// Number of best moves that a player finds in positions in which searches have large errors
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
