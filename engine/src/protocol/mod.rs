//! The protocols for talking to other programs: the engine as a server of GTP and of NBoard.
//!
//! A server answers lines of text with text; only [`serve`] deals with input and output.

mod board;
mod clock;
pub mod gtp;
pub mod nboard;
mod player;

use std::io::{self, BufRead, Read as _, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::search::Limits;

pub use board::{Board, Marks, Turn, name};
pub use clock::{Clock, TimeSettings};
pub use player::{Choice, Player};

/// The longest line that is read, in bytes; the rest of a longer line is ignored.
const MAX_LINE_BYTES: u64 = 1 << 16;

/// The answer of a server to a line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Reply {
    /// The text, with its line ends; it may be empty.
    pub text: String,
    /// True if the conversation is over.
    pub quits: bool,
}

impl Reply {
    pub(crate) fn says(text: impl Into<String>) -> Self {
        Self { text: text.into(), quits: false }
    }
}

/// A server of a protocol.
pub trait Server {
    /// Answers a line.
    fn answer(&mut self, line: &str) -> Reply;

    /// Returns whether there is something to ponder until the next line comes.
    fn has_to_ponder(&self) -> bool {
        false
    }

    /// Ponders until a limit ends it.
    fn ponder(&mut self, _limits: &Limits) {}
}

/// Answers lines until one ends the conversation or there are no more. Every answer is flushed. A
/// server that has something to ponder does so in another thread while `serve` waits for a line.
pub fn serve(
    server: &mut (impl Server + Send),
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut line = vec![];
    loop {
        line.clear();
        let mut read = || input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        let bytes = if server.has_to_ponder() { while_pondering(server, read) } else { read() };
        if bytes? == 0 {
            return Ok(());
        }
        if line.last() != Some(&b'\n') {
            skip_line(&mut input)?;
        }
        let reply = server.answer(String::from_utf8_lossy(&line).trim());
        output.write_all(reply.text.as_bytes())?;
        output.flush()?;
        if reply.quits {
            return Ok(());
        }
    }
}

/// Calls `wait` while the server ponders.
fn while_pondering<T>(server: &mut (impl Server + Send), wait: impl FnOnce() -> T) -> T {
    let stop = Arc::new(AtomicBool::new(false));
    let limits = Limits { stop: Some(Arc::clone(&stop)), ..Limits::default() };
    rayon::in_place_scope(|scope| {
        scope.spawn(|_| server.ponder(&limits));
        let came = wait();
        stop.store(true, Ordering::Relaxed);
        came
    })
}

/// Skips the rest of a line.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = end.map_or(buffer.len(), |end| end + 1);
        input.consume(part);
        if end.is_some() || part == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that answers with the length of the line.
    struct Lengths;

    impl Server for Lengths {
        fn answer(&mut self, line: &str) -> Reply {
            Reply { text: format!("{}\n", line.len()), quits: line == "quit" }
        }
    }

    /// A server that ponders until it is stopped, and answers with the number of times it did.
    #[derive(Default)]
    struct Ponderer(usize);

    impl Server for Ponderer {
        fn answer(&mut self, line: &str) -> Reply {
            Reply::says(format!("{line} {}\n", self.0))
        }

        fn has_to_ponder(&self) -> bool {
            self.0 < 3
        }

        fn ponder(&mut self, limits: &Limits) {
            while !limits.stop.as_ref().unwrap().load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            self.0 += 1;
        }
    }

    #[test]
    fn the_next_line_ends_pondering() {
        let mut output = vec![];
        serve(&mut Ponderer::default(), &b"a\nb\nc\nd\ne"[..], &mut output).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), "a 1\nb 2\nc 3\nd 3\ne 3\n");
    }

    #[test]
    fn lines_of_any_length_and_bytes_are_answered_until_the_end() {
        let long = "x".repeat(1 << 20);
        let input = [b"one\r\n", long.as_bytes(), b"\n\n\xFF\xFF\nquit\nno more\n"].concat();
        let mut output = vec![];
        serve(&mut Lengths, &input[..], &mut output).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), "3\n65536\n0\n6\n4\n");
        let mut output = vec![];
        serve(&mut Lengths, &b"last"[..], &mut output).unwrap();
        assert_eq!(output, b"4\n");
    }
}
