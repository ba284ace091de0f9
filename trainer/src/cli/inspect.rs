use std::fmt;
use std::path::PathBuf;

use othello_cli::arguments::number_from;
use othello_cli::{Outcome, Session};
use othello_engine::record::record_files;
use othello_engine::text::excerpt;
use othello_engine::text_table::table;
use serde::Serialize;

use super::picture::histogram;
use crate::memory::{MemoryLimit, bytes_of};
use crate::records::inspect::{FileReport, GamesReport, PositionsReport, RecordsReport, inspect};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files of games, positions or openings, or folders of such files; duplicates are counted
    /// across all files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    memory_mb: Option<u64>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Inspection {
    /// The contents of each file.
    files: Vec<FileReport>,
    /// The number of games in all files together, duplicates included.
    games: u64,
    /// The number of positions in all files together, duplicates included.
    positions: u64,
    /// The wall time of the command.
    seconds: f64,
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            let FileReport { path, frames, bytes, sha256, provenance, .. } = file;
            match &file.records {
                RecordsReport::Games(games) => show_games(f, path, games)?,
                RecordsReport::Positions(it) | RecordsReport::Openings(it) => {
                    show_positions(f, path, it)?;
                }
            }
            writeln!(f, "{frames} frames, {bytes} bytes, sha256 {sha256}\nmade from")?;
            for (key, value) in provenance {
                let value = value.to_string();
                let end = value.char_indices().nth(100).map_or(value.len(), |(end, _)| end);
                let more = if end < value.len() { "…" } else { "" };
                writeln!(f, "  {}: {}{more}", excerpt(key), &value[..end])?;
            }
            writeln!(f)?;
        }
        let (files, games, positions) = (self.files.len(), self.games, self.positions);
        write!(f, "{files} files, {games} games, {positions} positions, {:.2} s", self.seconds)
    }
}

fn show_games(f: &mut fmt::Formatter<'_>, path: &str, report: &GamesReport) -> fmt::Result {
    let GamesReport { games, distinct, distinct_up_to_symmetry, incomplete, .. } = report;
    writeln!(f, "{path}: {games} games, {incomplete} of them incomplete")?;
    writeln!(f, "{distinct} distinct, {distinct_up_to_symmetry} up to symmetry")?;
    let GamesReport { positions, bytes_per_game, solved, valued, .. } = report;
    writeln!(f, "{positions} positions, {bytes_per_game:.1} bytes a game")?;
    writeln!(f, "{solved} with a solved position, {valued} with values\n")?;
    let GamesReport {
        positions_by_ply, random_plies, solved_plies, values_by_ply, lengths, ..
    } = report;
    let counts = [positions_by_ply, random_plies, solved_plies, values_by_ply, lengths];
    let rows = (0..lengths.len()).map(|ply| {
        let [positions, random, solved, values, ends] = counts.map(|counts| counts[ply]);
        [ply as u64, positions, random, solved, values, ends]
    });
    let rows = rows.filter(|counts| counts[1..].iter().any(|&count| count > 0));
    let columns = ["ply", "positions", "random", "solved", "values", "ends"];
    writeln!(f, "{}", table(columns, rows))?;
    writeln!(f, "\nresults for black, in discs")?;
    // Game results are counted in bins of eight discs; the middle bin is centred on a draw.
    let bin = |(&score, &games): (&i32, &u64)| ((score + 4).div_euclid(8) * 8, games);
    writeln!(f, "{}", histogram("games", report.results.iter().map(bin)))
}

fn show_positions(f: &mut fmt::Formatter<'_>, path: &str, report: &PositionsReport) -> fmt::Result {
    let PositionsReport { positions, distinct_up_to_symmetry, occurrences, .. } = report;
    let distinct = distinct_up_to_symmetry;
    writeln!(f, "{path}: {positions} positions, {distinct} distinct up to symmetry")?;
    writeln!(f, "{occurrences} occurrences, {:.1} bytes a position\n", report.bytes_per_position)?;
    let rows = report.plies.iter().map(|row| {
        let (mean, deviation) =
            (format!("{:+.2}", row.mean_label), format!("{:.2}", row.deviation));
        [row.ply.to_string(), row.positions.to_string(), mean, deviation]
    });
    let columns = ["ply", "positions", "mean label", "deviation"];
    writeln!(f, "{}\n", table(columns, rows))
}

pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let memory = bytes_of(arguments.memory_mb);
    let limit = MemoryLimit { bytes: memory, folder: std::env::temp_dir() };
    let files = inspect(&record_files(&arguments.files)?, &limit, session.progress())?;
    let counts = files.iter().map(|file| match &file.records {
        RecordsReport::Games(report) => (report.games, report.positions),
        RecordsReport::Positions(report) | RecordsReport::Openings(report) => (0, report.positions),
    });
    let (games, positions) = counts.fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    session.print(&Inspection { files, games, positions, seconds: session.seconds() })
}
