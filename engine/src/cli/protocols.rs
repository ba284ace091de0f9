//! `othello-engine gtp` and `nboard`: the engine as a server on standard input and output.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use anyhow::Context as _;
use othello_cli::arguments::number_in;

use super::{Outcome, Session};
use crate::eval::{Evaluator, WeightsChoice};
use crate::openings::Book;
use crate::player::SearchBy;
use crate::protocol::gtp::Gtp;
use crate::protocol::nboard::Nboard;
use crate::protocol::{Player, Server, serve};
use crate::search::{Level, Pruning, Search};

/// Arguments of `gtp` and `nboard`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[arg(long, value_name = "L", default_value_t = Level::USUAL)]
    level: Level,
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = number_in(1..=1_usize << 20))]
    hash_mb: usize,
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
    #[arg(long, value_name = "F")]
    book: Option<PathBuf>,
    #[arg(long, value_name = "WAY", value_enum, default_value_t)]
    search: SearchBy,
    #[arg(long)]
    ponder: bool,
}

impl Arguments {
    fn player<'a>(
        &self,
        evaluator: &'a Evaluator,
        session: &Session,
    ) -> anyhow::Result<Player<'a, Evaluator>> {
        let book = self.book.as_deref().map(Book::read).transpose()?;
        let search = Search::new(evaluator).hash_mb(self.hash_mb).threads(session.threads());
        let mut player = Player::new(&search, self.level).context("--hash-mb")?;
        (player.book, player.ponders) = (book, self.ponder);
        Ok(match self.search {
            SearchBy::Depth => player,
            SearchBy::Realization => player.with_pruning(Pruning::by_probability(evaluator)?),
        })
    }
}

/// Runs a server of the Go Text Protocol (GTP).
pub fn gtp(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::prepared(&arguments.weights)?;
    run(&mut Gtp::new(arguments.player(&evaluator, session)?))
}

/// Runs a server of the NBoard protocol.
pub fn nboard(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::prepared(&arguments.weights)?;
    run(&mut Nboard::new(arguments.player(&evaluator, session)?))
}

/// Starts a thread that ends the process when the client can no longer read answers. Without this
/// thread, the server would first finish the searches for all waiting requests.
#[cfg(unix)]
fn end_with_the_client() -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let watch = || {
        let stdout = io::stdout();
        // If no events are requested, `poll` only reports an error or the closed end of a pipe.
        // Files and terminals never report either.
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

fn run(server: &mut (impl Server + Send)) -> anyhow::Result<Outcome> {
    end_with_the_client().context("cannot start a thread; try a smaller --threads")?;
    let ended = serve(server, io::stdin(), io::stdout().lock());
    match ended {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot read commands or write answers")
        }
        _ => Ok(Outcome::Done),
    }
}
