//! `othello-trainer import`: converts games and scored positions of other programs into records,
//! and their weights into weights files.

mod inputs;
mod output;
mod place;
mod solved;
mod weights;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::bail;
use othello_engine::cli::arguments::Output as OutputFile;
use othello_engine::cli::{Outcome, Session};
use othello_engine::file::{Begin, Provenance, check_output};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, PositionWriter, ScoredPosition, record_files};
use serde::{Deserialize, Serialize};

use crate::source::egaroucid::EgaroucidBoards;
use crate::source::ggf::GgfGames;
use crate::source::wthor::WthorGames;
use crate::source::{Entries, SourceError, boards, transcripts};
use inputs::Inputs;
use output::{Imported, Output};
use place::Place;

/// Arguments of `import`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    format: Format,
}

#[derive(clap::Subcommand, Debug)]
enum Format {
    /// Import tournament games of the Fédération Française d'Othello (.wtb)
    Wthor(Wthor),
    /// Import games as text, one a line, packed by zstd or not: f5d6c3…
    Transcripts(Files),
    /// Import scored boards as text, one a line, packed by zstd or not: 64 characters, optionally X
    /// or O to move, score
    Boards(Files),
    /// Import games in the Generic Game Format, packed by zstd or not: (;GM[Othello]…;)
    Ggf(Files),
    /// Import Egaroucid's scored boards of 19 bytes
    Egaroucid(Files),
    /// Import the evaluation of another program as a weights file
    Weights(weights::Arguments),
}

#[derive(clap::Args, Debug)]
struct Files {
    /// Files to read; of a folder, all of its files (of WTHOR, all its .wtb files)
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    output: OutputFile,
}

#[derive(clap::Args, Debug)]
struct Wthor {
    #[command(flatten)]
    files: Files,

    /// Write positions instead of games: those with an exact score in the file, each once up to
    /// symmetry
    #[arg(long)]
    solved_only: bool,

    /// File of games: leave out positions that occur in it, up to symmetry
    #[arg(long, value_name = "GAMES", requires = "solved_only")]
    except: Vec<PathBuf>,
}

/// The result of an import.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The number of games read; 0 for boards.
    pub games: u64,
    /// The number of positions to learn from: those of the games in which a move was played, or
    /// those written.
    pub positions: u64,
    /// The number of refused records.
    pub rejected: u64,
    /// The number of games that stop before their end.
    pub incomplete: u64,
    /// The checksum of the output's content.
    pub sha256: String,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, positions, rejected, incomplete, sha256 } = self;
        write!(f, "{games} games ({incomplete} incomplete), {positions} positions, ")?;
        write!(f, "{rejected} records rejected\nsha256 {sha256}")
    }
}

/// Imports and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let progress = session.progress();
    let summary = match &arguments.format {
        Format::Wthor(wthor) if wthor.solved_only => import_solved(wthor, progress),
        Format::Wthor(wthor) => import(&wthor.files, "wthor", WthorGames::open, progress),
        Format::Transcripts(files) => import(files, "transcripts", transcripts::read, progress),
        Format::Boards(files) => import(files, "boards", boards::read, progress),
        Format::Ggf(files) => import(files, "ggf", GgfGames::open, progress),
        Format::Egaroucid(files) => import(files, "egaroucid", EgaroucidBoards::open, progress),
        Format::Weights(arguments) => return weights::run(arguments, session),
    };
    session.print(&summary?)?;
    Ok(Outcome::Done)
}

/// Imports records one after the other. A run that was killed continues after the last whole frame,
/// at the next entry of the inputs.
fn import<T: Imported, E: Entries<T>>(
    files: &Files,
    format: &str,
    open: fn(&Path) -> Result<E, SourceError>,
    progress: &dyn Progress,
) -> anyhow::Result<Summary> {
    let (inputs, provenance) = files.inputs(format, progress)?;
    let mut output: Output<T> =
        Output::begin(&files.output.out, &provenance, files.output.existing(), &inputs, progress)?;
    let place = output.place.clone();
    inputs.read(open, &place, progress, |entry, bytes| output.take(entry, bytes))?;
    output.finish(&files.sources())
}

/// Imports the exactly scored positions of games. They are few, and are written when all are known:
/// a run that was killed reads the games again.
fn import_solved(wthor: &Wthor, progress: &dyn Progress) -> anyhow::Result<Summary> {
    let files_of_games = record_files(&wthor.except)?;
    check_output(&wthor.files.output.out, &files_of_games)?;
    let (inputs, provenance) = wthor.files.inputs("wthor", progress)?;
    let (mut positions, mut summary) = (solved::Positions::default(), Summary::default());
    inputs.read(WthorGames::open, &Place::default(), progress, |game: Option<Game>, _| {
        match game {
            Some(game) => {
                game.count(&mut summary);
                positions.add(&game);
            }
            None => summary.rejected += 1,
        }
        Ok(())
    })?;
    let mut except = vec![];
    for path in &files_of_games {
        except.push(positions.remove_those_of(path, progress)?);
    }
    let provenance = provenance.with("solved_only", true).with("except", except);
    summary.write(&wthor.files, &provenance, &positions.into_rows(), progress)
}

impl Summary {
    /// Writes positions that are few enough to fit in memory.
    fn write(
        mut self,
        files: &Files,
        provenance: &Provenance,
        positions: &[ScoredPosition],
        progress: &dyn Progress,
    ) -> anyhow::Result<Self> {
        if positions.is_empty() {
            bail!("no position in {}; nothing is written", files.sources());
        }
        self.positions = positions.len() as u64;
        self.sha256 =
            match PositionWriter::begin(&files.output.out, provenance, files.output.existing())? {
                Begin::Done(done) => {
                    progress.begin("import (positions)", self.positions, self.positions);
                    done.sha256
                }
                Begin::Writer(mut writer) => {
                    progress.warn(writer.warning());
                    writer.compare_from_start();
                    positions.iter().try_for_each(|&position| writer.push(position))?;
                    progress.warn(writer.end_comparison()?);
                    writer.finish()?.sha256
                }
            };
        Ok(self)
    }
}

impl Files {
    /// Names the inputs for a message: the first three, and the number of the others.
    fn sources(&self) -> String {
        let named = self.paths.iter().take(3).map(|path| path.display().to_string());
        let named = named.collect::<Vec<_>>().join(", ");
        match self.paths.len() {
            0..=3 => named,
            all => format!("{named} and {} more", all - 3),
        }
    }

    fn inputs(
        &self,
        format: &str,
        progress: &dyn Progress,
    ) -> anyhow::Result<(Inputs, Provenance)> {
        let extension = (format == "wthor").then_some("wtb");
        let inputs = Inputs::find(&self.paths, extension)?;
        check_output(&self.output.out, inputs.files())?;
        let provenance = Provenance::new("import")
            .with("format", format)
            .with("inputs", inputs.checksums(progress)?);
        Ok((inputs, provenance))
    }
}

#[cfg(test)]
mod tests;
