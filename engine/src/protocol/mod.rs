//! The engine as a server of the protocols GTP and NBoard, which answers lines of text with text.

mod board;
mod clock;
pub mod gtp;
mod inbox;
pub mod nboard;
mod player;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::search::Limits;

pub use board::{Board, Turn};
pub use clock::{Clock, TimeSettings};
use inbox::Inbox;
pub use inbox::Interruption;
pub use player::Player;

/// The answer of a server to a line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Reply {
    /// The text of the answer to the client, with its line ends; it may be empty.
    pub text: String,
    /// True if the session is over after this answer.
    pub quits: bool,
}

impl Reply {
    pub(crate) fn says(text: impl Into<String>) -> Self {
        Self { text: text.into(), quits: false }
    }
}

/// A server of a text protocol, which answers one line after another.
pub trait Server {
    /// Answers a line. The limits apply to the search for the answer.
    fn answer_within(&mut self, line: &str, limits: &Limits) -> Reply;

    /// Answers a line. The search has only the limits that the protocol sets, such as a clock.
    fn answer(&mut self, line: &str) -> Reply {
        self.answer_within(line, &Limits::default())
    }

    /// Returns the effect that a line, or the end of input (`None`), has on the search in progress.
    fn interruption(came: Option<&str>) -> Interruption {
        if came == Some("") { Interruption::Ignored } else { Interruption::Late }
    }

    /// Returns whether a line starts an open-ended search, such as an analysis: an
    /// [`Interruption::OpenEnded`] line ends it at once.
    fn is_open_ended(_answered: &str) -> bool {
        false
    }

    /// Returns whether the server should ponder: search until the next line arrives.
    fn has_to_ponder(&self) -> bool {
        false
    }

    /// Ponders until a limit is reached. The default does nothing.
    fn ponder(&mut self, _limits: &Limits) {}
}

/// Answers lines until one ends the session or the input ends. The server may ponder while it waits
/// for a line.
pub fn serve<S: Server + Send>(
    server: &mut S,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    let inbox = Inbox::open::<S>(input)?;
    loop {
        let ponders = server.has_to_ponder();
        let next = if ponders { while_pondering(server, || inbox.next()) } else { inbox.next() };
        let Some(line) = next? else { return Ok(()) };
        let limits = inbox.begin(&line);
        let reply = server.answer_within(&line, &limits);
        inbox.end();
        output.write_all(reply.text.as_bytes())?;
        output.flush()?;
        if reply.quits {
            return Ok(());
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use std::io::Cursor;
    use std::sync::atomic::AtomicUsize;
    use std::time::{Duration, Instant};

    struct Ponderer(usize);

    impl Server for Ponderer {
        fn answer_within(&mut self, line: &str, _limits: &Limits) -> Reply {
            Reply { text: format!("{} {}\n", line.len(), self.0), quits: line == "quit" }
        }

        fn interruption(_came: Option<&str>) -> Interruption {
            Interruption::Late
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

    struct Thinker;

    impl Server for Thinker {
        fn answer_within(&mut self, line: &str, limits: &Limits) -> Reply {
            let begun = Instant::now();
            while line != "quit" && begun.elapsed() < Duration::from_millis(500) {
                if limits.are_interrupted() {
                    return Reply::says(format!("{line}: interrupted\n"));
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Reply { text: format!("{line}: done\n"), quits: line == "quit" }
        }

        fn interruption(came: Option<&str>) -> Interruption {
            match came {
                Some("stop") => Interruption::Always,
                Some("next") => Interruption::OpenEnded,
                _ => Interruption::Late,
            }
        }

        fn is_open_ended(answered: &str) -> bool {
            answered == "ever"
        }
    }

    /// The lines of a client, each with the delay in milliseconds before it is sent.
    struct Said(VecDeque<(u64, &'static str)>);

    impl Read for Said {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some((wait, said)) = self.0.pop_front() else { return Ok(0) };
            std::thread::sleep(Duration::from_millis(wait));
            buffer[..said.len()].copy_from_slice(said.as_bytes());
            Ok(said.len())
        }
    }

    #[test]
    fn what_comes_while_a_search_goes_on_ends_it_and_what_came_with_it_does_not() {
        let answers = |said: &[(u64, &'static str)]| {
            let mut output = vec![];
            serve(&mut Thinker, Said(said.iter().copied().collect()), &mut output).unwrap();
            String::from_utf8(output).unwrap()
        };
        std::thread::scope(|scope| {
            for (said, expected) in [
                (&[(0, "a\nb\nquit\n")][..], "a: done\nb: done\nquit: done\n"),
                (&[(0, "a\n"), (350, "b\n")], "a: interrupted\nb: done\n"),
                (&[(0, "a\n"), (10, "quit\n")], "a: done\nquit: done\n"),
                (&[(0, "a\n"), (350, "quit\n")], "a: interrupted\nquit: done\n"),
                (&[(0, "a\n"), (20, "stop\n")], "a: interrupted\n"),
                (&[(0, "a\nstop\n")], "a: interrupted\n"),
                (&[(0, "ever\nnext\n")], "ever: interrupted\nnext: done\n"),
                (&[(0, "ever\n"), (20, "next\n")], "ever: interrupted\nnext: done\n"),
                (&[(0, "a\nnext\nquit\n")], "a: done\nnext: done\nquit: done\n"),
                // The end of input also ends a search.
                (&[(0, "a\n"), (350, "")], "a: interrupted\n"),
            ] {
                scope.spawn(move || {
                    let answered = answers(said);
                    // Only the answers to the lines before `stop` are compared.
                    let answered = answered.split("stop: ").next().unwrap_or_default();
                    assert_eq!(answered, expected);
                });
            }
        });
    }

    struct Endless(&'static [u8], Arc<AtomicUsize>);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let line = self.0.iter().cycle();
            buffer.iter_mut().zip(line).for_each(|(byte, &of_line)| *byte = of_line);
            let whole = buffer.len() / self.0.len() * self.0.len();
            self.1.fetch_add(whole, Ordering::Relaxed);
            Ok(whole)
        }
    }

    /// It is not enough to limit the text of waiting lines: blank lines would fill the memory.
    #[test]
    fn lines_that_wait_without_end_take_no_more_than_a_few_megabytes() {
        for line in [&b"\n"[..], b"name\n"] {
            let read = Arc::new(AtomicUsize::new(0));
            let _inbox = Inbox::open::<Ponderer>(Endless(line, Arc::clone(&read))).unwrap();
            std::thread::sleep(Duration::from_millis(300));
            assert!(read.load(Ordering::Relaxed) < 1 << 20, "{line:?} {read:?}");
        }
    }

    #[test]
    fn lines_that_wait_take_time_in_proportion_to_their_number() {
        let begun = Instant::now();
        let lines = "ping\n".repeat(400_000);
        let mut output = vec![];
        serve(&mut Ponderer(3), Cursor::new(lines), &mut output).unwrap();
        assert_eq!(output.len(), 400_000 * "4 3\n".len());
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }

    #[test]
    fn the_next_line_ends_pondering() {
        let mut output = vec![];
        serve(&mut Ponderer(0), &b"a\nbb\nccc\ndd\ne"[..], &mut output).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), "1 1\n2 2\n3 3\n2 3\n1 3\n");
    }

    #[test]
    fn lines_of_any_length_and_bytes_are_answered_until_the_end() {
        let long = "x".repeat(1 << 20);
        let input = [b"one\r\n", long.as_bytes(), b"\n\n\xFF\xFF\nquit\nno more\n"].concat();
        let mut output = vec![];
        serve(&mut Ponderer(3), Cursor::new(input), &mut output).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), "3 3\n65536 3\n0 3\n6 3\n4 3\n");
    }
}
