//! `othello-engine stats`: statistics of enumerated openings, and of recorded or random games.

use std::fmt;
use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;

use super::{Outcome, Session};
use crate::openings::{MAX_PLIES, enumerate};
use crate::progress::Progress;
use crate::random::random_game;
use crate::record::{Game, GameReader, RecordError, record_files};
use crate::statistics::{GameStatistics, PlyStatistics, of_positions};
use crate::text_table::table;
use othello_cli::arguments::{number_from, number_in};

/// Arguments of `stats`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files of games, or folders of them [default: random games]
    games: Vec<PathBuf>,
    #[arg(long, value_name = "P", default_value_t = 8, value_parser = number_in(0..=MAX_PLIES))]
    plies: u32,

    /// Number of random games to play if no file is named
    #[arg(long, value_name = "N", default_value_t = 100_000, conflicts_with = "games", value_parser = number_from(0_u64))]
    random: u64,
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "games", value_parser = number_from(0_u64))]
    seed: u64,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Statistics {
    /// The statistics of openings for each ply from 0 to `--plies`: of all positions that can arise
    /// at the ply. Symmetric positions are counted once.
    openings: Vec<Opening>,
    /// The number of games.
    games: u64,
    /// The number of moves in all games.
    moves: u64,
    /// The mean number of discs that a move flips; null without moves.
    flips: Option<f64>,
    /// The standard deviation of the number of discs that a move flips; null without moves.
    flips_deviation: Option<f64>,
    /// The mean number of legal moves in a position; null without positions.
    branching: Option<f64>,
    /// The mean number of passes in a game.
    passes_per_game: f64,
    /// The finished game with the fewest moves; null if no game is finished.
    shortest: Option<Shortest>,
    /// The statistics of the games by ply.
    plies: Vec<Ply>,
    /// The wall time of the command.
    seconds: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Opening {
    /// The number of different positions at the ply, with symmetric ones counted once.
    unique: usize,
    #[serde(flatten)]
    ply: Ply,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Ply {
    /// The ply: discs on the board − 4.
    ply: usize,
    /// In games, the number of positions in which a move was played. In enumerated openings, the
    /// number of positions with a legal move.
    positions: u64,
    /// The mean number of legal moves in a position; null without positions.
    branching: Option<f64>,
    /// The mean number of discs that a move flips; null without moves.
    flips: Option<f64>,
    /// The standard deviation of the number of discs that a move flips; null without moves.
    flips_deviation: Option<f64>,
    /// The number of positions in which the player must pass.
    passes: u64,
    /// The number of positions in which the game is over.
    ends: u64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Shortest {
    /// The number of moves in the shortest game.
    moves: usize,
    /// The transcript of the shortest game.
    transcript: String,
}

impl Ply {
    fn new(ply: usize, found: &PlyStatistics) -> Self {
        let flips = found.flips();
        Self {
            ply,
            positions: found.positions,
            branching: found.branching(),
            flips: flips.map(|flips| flips.0),
            flips_deviation: flips.map(|flips| flips.1),
            passes: found.passes,
            ends: found.ends,
        }
    }
}

fn ply_table<'a>(counted: &str, plies: impl Iterator<Item = (u64, &'a Ply)>) -> String {
    let names = ["ply", counted, "legal moves", "flips", "deviation", "passes", "ends"];
    let rows = plies.map(|(positions, row)| {
        let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
        let numbers = [row.branching, row.flips, row.flips_deviation].map(number);
        let [branching, flips, deviation] = numbers;
        let [ply, passes, ends] = [row.ply as u64, row.passes, row.ends].map(|n| n.to_string());
        [ply, positions.to_string(), branching, flips, deviation, passes, ends]
    });
    table(names, rows)
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let openings = self.openings.iter().map(|opening| (opening.unique as u64, &opening.ply));
        writeln!(f, "openings up to symmetry\n{}", ply_table("unique", openings))?;
        writeln!(f, "\n{} games, {} moves", self.games, self.moves)?;
        let plies = self.plies.iter().map(|ply| (ply.positions, ply));
        writeln!(f, "{}", ply_table("positions", plies))?;
        let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.4}"));
        let numbers = [self.flips, self.flips_deviation, self.branching].map(number);
        let [flips, deviation, branching] = numbers;
        writeln!(f, "\n{flips} discs turned over by a move (deviation {deviation})")?;
        writeln!(f, "{branching} legal moves, {:.4} passes a game", self.passes_per_game)?;
        if let Some(Shortest { moves, transcript }) = &self.shortest {
            writeln!(f, "the shortest game has {moves} moves: {transcript}")?;
        }
        write!(f, "{:.2} s", self.seconds)
    }
}

/// Computes the statistics of openings and of games, and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let progress = session.progress();
    let openings = enumerate(arguments.plies, progress);
    let openings = openings.iter().enumerate().map(|(ply, positions)| Opening {
        unique: positions.len(),
        ply: Ply::new(ply, &of_positions(positions)),
    });
    let openings = openings.collect();
    let games = if arguments.games.is_empty() {
        of_random_games(arguments.random, arguments.seed, progress)
    } else {
        of_files(&record_files(&arguments.games)?, progress)?
    };
    let total = games.total();
    let Ply { branching, flips, flips_deviation, .. } = Ply::new(0, &total);
    let plies = games.plies.iter().enumerate().map(|(ply, found)| Ply::new(ply, found));
    let shortest = games.shortest.as_ref().map(|squares| Shortest {
        moves: squares.len(),
        transcript: squares.iter().map(ToString::to_string).collect(),
    });
    session.print(&Statistics {
        openings,
        games: games.games,
        moves: total.moves,
        flips,
        flips_deviation,
        branching,
        passes_per_game: total.passes as f64 / games.games.max(1) as f64,
        shortest,
        plies: plies.collect(),
        seconds: session.seconds(),
    })
}

fn of_random_games(games: u64, seed: u64, progress: &dyn Progress) -> GameStatistics {
    progress.begin("random games", 0, games);
    let count = |mut found: GameStatistics, index| {
        found.count(&random_game(seed, index, usize::MAX));
        progress.advance(1);
        found
    };
    let games = (0..games).into_par_iter().fold(GameStatistics::default, count);
    games.reduce(GameStatistics::default, GameStatistics::plus)
}

fn of_files(paths: &[PathBuf], progress: &dyn Progress) -> Result<GameStatistics, RecordError> {
    let mut all = GameStatistics::default();
    for path in paths {
        let mut reader = GameReader::open(path)?;
        progress.begin("games (bytes)", 0, reader.bytes());
        reader.each_frame(progress, |games| {
            let count = |mut found: GameStatistics, game: &Game| {
                found.count(&game.replay());
                found
            };
            let found = games.par_iter().fold(GameStatistics::default, count);
            let found = found.reduce(GameStatistics::default, GameStatistics::plus);
            all = std::mem::take(&mut all).plus(found);
            Ok::<(), RecordError>(())
        })?;
    }
    Ok(all)
}
