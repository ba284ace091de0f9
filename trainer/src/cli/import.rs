use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use othello_cli::arguments::Output;
use othello_cli::{Outcome, Session};
use othello_engine::file::{
    FileError, Provenance, check_output, open_ordinary, sha256_of_file, unreadable,
};
use othello_engine::progress::Silent;
use othello_engine::record::record_files;
use serde::Serialize;

use crate::export::Program;
use crate::export::read_npz::read_npz;
use crate::export::tables::{ReadTables, Rounding};
use crate::source::import::{Import, RandomPlies};
use crate::source::{boards, egaroucid, ggf, npz, transcripts, wthor};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    format: Format,
}

#[derive(clap::Subcommand, Debug)]
enum Format {
    /// Import tournament games of the Fédération Française d'Othello (.wtb)
    Wthor(Wthor),
    /// Import games as text, packed by zstd or not
    ///
    /// A line has one game, such as `f5d6`, `f5,d6`, `1. f5 d6` or `+f5-d6`, also with passes, in a
    /// table or after a label (`moves: f5d6`). PGN and numbered moves may take several lines.
    Transcripts(Games),
    /// Import boards with scores from text, plain or packed by zstd, one a line: 64 squares, the
    /// side to move (X or O; X if omitted) and its score in discs; or a line of OBF
    Boards(Files),
    /// Import games in the Generic Game Format, packed by zstd or not: (;GM[Othello]…;)
    Ggf(Ggf),
    /// Import games in the Smart Game Format, packed by zstd or not: (;GM[2]…)
    Sgf(Games),
    /// Import positions from NumPy files (.npz), in the format of `export`; Python programs can
    /// also write such files
    Positions(Positions),
    /// Import scored boards in Egaroucid's format of 19 bytes for each board
    Egaroucid(Files),
    /// Import the evaluation of another program as a weights file
    Weights(WeightsArguments),
}

#[derive(clap::Args, Debug)]
struct Files {
    /// Files to read, or folders, of which all files are read (for WTHOR, all .wtb files)
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
}

#[derive(clap::Args, Debug)]
struct Positions {
    #[command(flatten)]
    files: Files,
    #[arg(long, value_enum)]
    format: PositionsFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PositionsFormat {
    /// NumPy arrays `player`, `opponent` and `label`, optionally `weight`, `game` and `subset`
    Npz,
}

#[derive(clap::Args, Debug)]
struct Games {
    #[command(flatten)]
    files: Files,
    #[arg(long, value_name = "[PATH=]N")]
    random_plies: Vec<RandomPlies>,
}

#[derive(clap::Args, Debug)]
struct Ggf {
    #[command(flatten)]
    games: Games,
    /// Write positions instead of games. Reads only finished games that begin with another board
    /// than the standard start position. Each position gets the result of its game
    #[arg(long, conflicts_with = "random_plies")]
    other_boards: bool,
}

#[derive(clap::Args, Debug)]
struct Wthor {
    #[command(flatten)]
    games: Games,
    /// Write, instead of the games, the positions for which the file has an exact score; symmetric
    /// images of a position are written once
    #[arg(long)]
    solved_only: bool,
    /// Skip positions that occur in this file of games, up to symmetry
    #[arg(long, value_name = "GAMES", requires = "solved_only")]
    except: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let progress = session.progress();
    let summary = match &arguments.format {
        Format::Wthor(wthor) if wthor.solved_only => {
            let except = record_files(&wthor.except)?;
            wthor.games.import("wthor").run_solved(&except, progress)
        }
        Format::Wthor(wthor) => wthor.games.import("wthor").run(wthor::read, progress),
        Format::Transcripts(games) => games.import("transcripts").run(transcripts::read, progress),
        Format::Boards(files) => files.import("boards").run(boards::read, progress),
        Format::Ggf(Ggf { games, other_boards: true }) => {
            games.import("ggf of other boards").run(ggf::read_other_boards, progress)
        }
        Format::Ggf(Ggf { games, .. }) => games.import("ggf").run(ggf::read, progress),
        Format::Sgf(games) => games.import("sgf").run(ggf::read_sgf, progress),
        Format::Positions(Positions { files, format: PositionsFormat::Npz }) => {
            files.import("npz").run(npz::read, progress)
        }
        Format::Egaroucid(files) => files.import("egaroucid").run(egaroucid::read, progress),
        Format::Weights(arguments) => return import_weights(arguments, session),
    };
    session.print(&summary?)
}

impl Files {
    fn import<'a>(&'a self, format: &'a str) -> Import<'a> {
        let Self { paths, output } = self;
        Import { format, paths, random_plies: &[], out: &output.out, existing: output.existing() }
    }
}

impl Games {
    fn import<'a>(&'a self, format: &'a str) -> Import<'a> {
        Import { random_plies: &self.random_plies, ..self.files.import(format) }
    }
}

#[derive(clap::Args, Debug)]
struct WeightsArguments {
    /// File to read
    file: PathBuf,
    #[arg(long)]
    format: WeightsFormat,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, ValueEnum, derive_more::Display)]
#[display(rename_all = "lowercase")]
enum WeightsFormat {
    /// The evaluation file of Edax (eval.dat), unpacked
    Edax,
    /// The evaluation file of Egaroucid (eval.egev2)
    Egaroucid,
    /// The evaluation file of Zebra (coeffs2.bin)
    Zebra,
    /// NumPy arrays (.npz) as `export` writes them; a Python program can also write them
    Npz,
}

/// The limit on bytes read from another program's evaluation file; real files are smaller.
const MAX_BYTES: u64 = 1 << 27;

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "weights for the pattern set `{pattern_set}`, sha256 {sha256}\n\
     weights rounded by {:.4} discs (root mean square), {:.4} at most",
    rounding.rms, rounding.largest
)]
pub(in crate::cli) struct ImportedWeights {
    /// The name of the pattern set.
    pattern_set: String,
    /// The differences between the rounded weights and those in the imported file, in discs.
    rounding: Rounding,
    /// The SHA-256 of the weights file.
    sha256: String,
}

fn import_weights(arguments: &WeightsArguments, session: &Session) -> anyhow::Result<Outcome> {
    let WeightsArguments { file, format, output } = arguments;
    check_output(&output.out, [file])?;
    let input = sha256_of_file(file, &Silent)?;
    let ReadTables { weights, rounding } = format.read(file)?;
    let provenance = Provenance::new("import")
        .with("format", format!("weights of {format}"))
        .with("inputs", vec![input]);
    let sha256 = weights.write(&output.out, &provenance, output.existing())?.sha256;
    let pattern_set = weights.set().name().to_owned();
    session.print(&ImportedWeights { pattern_set, rounding, sha256 })
}

impl WeightsFormat {
    fn read(self, path: &Path) -> anyhow::Result<ReadTables> {
        let shown = || path.display().to_string();
        let mut file = BufReader::new(open_ordinary(path)?);
        let begin = file.fill_buf().map_err(FileError::io(path, "read it"))?;
        let packed = unreadable(begin);
        let all = |file: BufReader<File>| {
            let mut bytes = vec![];
            let read = file.take(MAX_BYTES).read_to_end(&mut bytes);
            read.map(|_| bytes).map_err(FileError::io(path, "read it"))
        };
        let read = match self {
            Self::Edax => Program::Edax.read(&all(file)?),
            Self::Egaroucid => Program::Egaroucid.read(&all(file)?),
            Self::Zebra => Program::Zebra.read(&all(file)?),
            // NumPy arrays can be many times as large as weights, so they are read one at a time.
            Self::Npz => read_npz(file),
        };
        match (read, packed) {
            // Only now: a number that begins a sound file may look like compression.
            (Err(_), Some(reason)) => Err(FileError::refused(path, reason).into()),
            (read, _) => read.with_context(shown),
        }
    }
}
