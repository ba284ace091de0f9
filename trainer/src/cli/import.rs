//! `othello-trainer import`: converts games and scored positions of other programs into records,
//! and their weights into weights files.

pub(super) mod weights;

use std::path::PathBuf;

use othello_cli::arguments::Output;
use othello_cli::{Outcome, Session};
use othello_engine::record::record_files;

use crate::source::import::Import;
use crate::source::{boards, egaroucid, ggf, transcripts, wthor};

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
    output: Output,
}

#[derive(clap::Args, Debug)]
struct Wthor {
    #[command(flatten)]
    files: Files,

    /// Write positions instead of games: those with an exact score in the file, each once up to
    /// symmetry
    #[arg(long)]
    solved_only: bool,

    /// File of games: skip positions that occur in it, up to symmetry
    #[arg(long, value_name = "GAMES", requires = "solved_only")]
    except: Vec<PathBuf>,
}

/// Imports and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let progress = session.progress();
    let summary = match &arguments.format {
        Format::Wthor(wthor) if wthor.solved_only => {
            let except = record_files(&wthor.except)?;
            wthor.files.import("wthor").run_solved(&except, progress)
        }
        Format::Wthor(wthor) => wthor.files.import("wthor").run(wthor::read, progress),
        Format::Transcripts(files) => files.import("transcripts").run(transcripts::read, progress),
        Format::Boards(files) => files.import("boards").run(boards::read, progress),
        Format::Ggf(files) => files.import("ggf").run(ggf::read, progress),
        Format::Egaroucid(files) => files.import("egaroucid").run(egaroucid::read, progress),
        Format::Weights(arguments) => return weights::run(arguments, session),
    };
    session.print(&summary?)
}

impl Files {
    fn import<'a>(&'a self, format: &'a str) -> Import<'a> {
        let Self { paths, output } = self;
        Import { format, paths, out: &output.out, existing: output.existing() }
    }
}
