//! `othello-engine play`: a game in the terminal.

mod terminal;

use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use clap::ValueEnum;

use self::terminal::Terminal;
use super::arguments::number_in;
use super::{Outcome, Session};
use crate::board::Side;
use crate::eval::{Evaluator, WeightsChoice};
use crate::openings::Book;
use crate::protocol::{Player, serve};
use crate::search::{Level, Search};

/// Arguments of `play`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Side that you play; `none` lets the engine play both, `both` neither
    #[arg(long, value_name = "SIDE", default_value = "black")]
    side: Sides,

    /// Level, 1 to 60: about so many moves ahead, and to the end from some empty squares on, likely
    /// scores first and exact ones later. The table of levels stands in the guides,
    /// engine/docs/levels.md; weights without predictions (`calibrate probcut`) leave nothing
    /// out, and look less far beyond level 10
    #[arg(long, value_name = "L", default_value_t = Level::USUAL)]
    level: Level,

    /// Size of the transposition table in MB
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = number_in(1..=1_usize << 20))]
    hash_mb: usize,

    /// Weights: a file, `none`, `mobility` or `embedded`
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,

    /// File of scored openings: the engine plays from it while it knows what all moves lead to
    #[arg(long, value_name = "F")]
    book: Option<PathBuf>,
}

/// The sides that a person plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Sides {
    Black,
    White,
    Both,
    None,
}

impl Sides {
    fn has(self, side: Side) -> bool {
        match self {
            Self::Black => side == Side::Black,
            Self::White => side == Side::White,
            Self::Both => true,
            Self::None => false,
        }
    }
}

/// Plays until the game is left.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::load(&arguments.weights)?;
    let book = arguments.book.as_deref().map(Book::read).transpose()?;
    let search = Search::new(&evaluator).hash_mb(arguments.hash_mb).threads(session.threads());
    let player = Player::new(&search, arguments.level).context("--hash-mb")?.with_book(book);
    let mut terminal = Terminal::new(player, arguments.side);
    let mut out = io::stdout().lock();
    let begun = out.write_all(terminal.begin().as_bytes()).and_then(|()| out.flush());
    match begun.and_then(|()| serve(&mut terminal, io::stdin(), out)) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("the conversation broke off")
        }
        _ => Ok(Outcome::Done),
    }
}
