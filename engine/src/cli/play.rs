//! `othello-engine play`: a game in the terminal.

mod terminal;

use std::io::{self, Write as _};

use clap::ValueEnum;

use self::terminal::Terminal;
use super::protocols::{Playing, outcome};
use super::{Outcome, Session};
use crate::board::Side;
use crate::protocol::serve;

/// Arguments of `play`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Side that you play; `none` lets the engine play both, `both` neither
    #[arg(long, value_name = "SIDE", default_value = "black")]
    side: Sides,

    #[command(flatten)]
    playing: Playing,
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
    let evaluator = arguments.playing.evaluator()?;
    let player = arguments.playing.player(&evaluator, session)?;
    let mut terminal = Terminal::new(player, arguments.side);
    let mut out = io::stdout().lock();
    let begun = out.write_all(terminal.begin().as_bytes()).and_then(|()| out.flush());
    outcome(begun.and_then(|()| serve(&mut terminal, io::stdin(), out)))
}
