//! `othello-engine gtp` and `nboard`: the engine as a server on standard input and output.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use anyhow::Context as _;

use super::arguments::{SearchBy, number_in};
use super::{Outcome, Session};
use crate::analysis::Level;
use crate::eval::{Evaluator, WeightsChoice};
use crate::openings::Book;
use crate::protocol::gtp::Gtp;
use crate::protocol::nboard::Nboard;
use crate::protocol::{Player, Server, serve};
use crate::search::{Searcher, Selectivity};

/// Arguments of `gtp` and `nboard`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Level, 1 to 60: moves that a search looks ahead; play is perfect from twice as many empty
    /// squares on
    #[arg(long, value_name = "L", default_value = "8")]
    level: Level,

    /// Way to search before perfect play
    #[arg(long, value_name = "WAY", value_enum, default_value_t)]
    search: SearchBy,

    /// Size of the transposition table in MB
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = number_in(1..=1_usize << 20))]
    hash_mb: usize,

    /// Weights: a file, `none`, `mobility` or `embedded`
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,

    /// File of scored openings: the engine plays from it while it knows what all moves lead to
    #[arg(long, value_name = "F")]
    book: Option<PathBuf>,

    /// Think in the other side's time, too
    #[arg(long)]
    ponder: bool,
}

impl Arguments {
    fn evaluator(&self) -> anyhow::Result<Evaluator> {
        Ok(Evaluator::load(&self.weights)?)
    }

    fn player<'a>(&self, evaluator: &'a Evaluator) -> anyhow::Result<Player<'a, Evaluator>> {
        let searcher = Searcher::try_new(evaluator, self.hash_mb).context("--hash-mb")?;
        let selection = self.search.selection(Selectivity::Full, evaluator)?;
        let book = self.book.as_deref().map(Book::read).transpose()?;
        let player = Player::new(searcher.with_selection(selection), self.level);
        Ok(player.with_book(book).with_pondering(self.ponder))
    }
}

/// Serves GTP until the client ends.
pub fn gtp(arguments: &Arguments, _session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = arguments.evaluator()?;
    run(&mut Gtp::new(arguments.player(&evaluator)?))
}

/// Serves the NBoard protocol until the client ends.
pub fn nboard(arguments: &Arguments, _session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = arguments.evaluator()?;
    run(&mut Nboard::new(arguments.player(&evaluator)?))
}

/// Starts a thread that ends the process as soon as nobody reads its answers. A dead client closes
/// its pipes, but its search would go on, since requests are answered even after the end of input.
#[cfg(unix)]
fn end_with_the_client() -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let watch = || {
        let stdout = io::stdout();
        // Without requested events, `poll` reports only the end. Files and terminals have none.
        let mut ends = [PollFd::new(&stdout, PollFlags::empty())];
        loop {
            match poll(&mut ends, None) {
                Ok(_) if ends[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) => {
                    std::process::exit(0)
                }
                Err(rustix::io::Errno::INTR) => {}
                _ => return,
            }
        }
    };
    std::thread::Builder::new().name("client".to_owned()).spawn(watch).map(drop)
}

#[cfg(not(unix))]
fn end_with_the_client() -> io::Result<()> {
    Ok(())
}

/// Runs a server. A client that closes its end is no error.
fn run(server: &mut (impl Server + Send)) -> anyhow::Result<Outcome> {
    end_with_the_client().context("cannot start a thread; try a smaller --threads")?;
    match serve(server, io::stdin().lock(), io::stdout().lock()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("the conversation broke off")
        }
        _ => Ok(Outcome::Done),
    }
}
