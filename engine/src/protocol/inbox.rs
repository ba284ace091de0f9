//! The queue of lines from a client, answered in order. A line may end the search in progress.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Server;
use crate::search::Limits;

const MAX_LINE_BYTES: usize = 1 << 16;
const MAX_WAITING_BYTES: usize = 1 << 22;
/// The approximate memory, in bytes, that a line in the queue takes in addition to its text.
const BYTES_OF_LINE: usize = 64;
/// Most lines do not end a search that began less than this time ago, because a script may send all
/// lines at once.
const TOGETHER: Duration = Duration::from_millis(250);

/// The effect of a line on the search that answers an earlier line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interruption {
    /// No effect: the line needs no answer, and is dropped.
    Ignored,
    /// The line ends a search only if the search has run for at least 250 ms when the line arrives.
    Late,
    /// The line ends an open-ended search ([`Server::is_open_ended`]) at once. On any other search,
    /// it acts like `Late`.
    OpenEnded,
    /// The line ends any search, even one that has just started.
    Always,
}

#[derive(Debug)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    interruption: fn(Option<&str>) -> Interruption,
    is_open_ended: fn(&str) -> bool,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<(String, Interruption)>,
    /// The numbers of [`Interruption::Always`] and [`Interruption::OpenEnded`] lines in the queue.
    urgent: [usize; 2],
    bytes: usize,
    end: Option<io::Result<()>>,
    answered: Option<Answered>,
}

#[derive(Debug)]
struct Answered {
    is_open_ended: bool,
    begun: Instant,
    interrupt: Arc<AtomicBool>,
}

impl Inbox {
    pub(super) fn open<S: Server>(input: impl Read + Send + 'static) -> io::Result<Arc<Self>> {
        let inbox = Arc::new(Self {
            waiting: Mutex::default(),
            changed: Condvar::new(),
            interruption: S::interruption,
            is_open_ended: S::is_open_ended,
        });
        let reader = Arc::clone(&inbox);
        let read = move || reader.read(input);
        std::thread::Builder::new().name("input".to_owned()).spawn(read)?;
        Ok(inbox)
    }

    pub(super) fn next(&self) -> io::Result<Option<String>> {
        let mut waiting = self.waiting();
        loop {
            if let Some((line, effect)) = waiting.lines.pop_front() {
                waiting.bytes -= line.len() + BYTES_OF_LINE;
                waiting.count(effect, |urgent| urgent - 1);
                self.changed.notify_all();
                return Ok(Some(line));
            }
            if let Some(end) = waiting.end.take() {
                waiting.end = Some(Ok(()));
                return end.map(|()| None);
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes that the answer to `line` begins. Returns limits for its search, with a flag by which
    /// other lines can end the search.
    pub(super) fn begin(&self, line: &str) -> Limits {
        let interrupt = Arc::new(AtomicBool::new(false));
        let mut waiting = self.waiting();
        let is_open_ended = (self.is_open_ended)(line);
        let [always, open_ended] = waiting.urgent;
        interrupt.store(always > 0 || is_open_ended && open_ended > 0, Ordering::Relaxed);
        let begun = Instant::now();
        waiting.answered =
            Some(Answered { is_open_ended, begun, interrupt: Arc::clone(&interrupt) });
        Limits { interrupt: Some(interrupt), ..Limits::default() }
    }

    pub(super) fn end(&self) {
        self.waiting().answered = None;
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, mut input: impl Read) {
        let mut buffer = vec![0; MAX_LINE_BYTES];
        let mut line = vec![];
        let end = loop {
            let bytes = match input.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(bytes) => &buffer[..bytes],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => break Err(error),
            };
            // All lines that one call of `read` returns join the queue at once, under one lock.
            let mut waiting = self.waiting();
            while waiting.bytes > MAX_WAITING_BYTES {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            for part in bytes.split_inclusive(|&byte| byte == b'\n') {
                let room = MAX_LINE_BYTES - line.len();
                line.extend(&part[..part.len().min(room)]);
                if part.last() == Some(&b'\n') {
                    self.add(&mut waiting, std::mem::take(&mut line));
                }
            }
            self.changed.notify_all();
        };
        let mut waiting = self.waiting();
        if !line.is_empty() {
            self.add(&mut waiting, line);
        }
        waiting.interrupt((self.interruption)(None));
        waiting.end = Some(end);
        self.changed.notify_all();
    }

    fn add(&self, waiting: &mut Waiting, line: Vec<u8>) {
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        let effect = (self.interruption)(Some(&line));
        if effect == Interruption::Ignored {
            return;
        }
        waiting.interrupt(effect);
        waiting.count(effect, |urgent| urgent + 1);
        waiting.bytes += line.len() + BYTES_OF_LINE;
        waiting.lines.push_back((line, effect));
    }
}

impl Waiting {
    fn count(&mut self, effect: Interruption, change: fn(usize) -> usize) {
        let [always, open_ended] = &mut self.urgent;
        match effect {
            Interruption::Always => *always = change(*always),
            Interruption::OpenEnded => *open_ended = change(*open_ended),
            Interruption::Ignored | Interruption::Late => {}
        }
    }

    fn interrupt(&self, effect: Interruption) {
        let Some(Answered { is_open_ended, begun, interrupt }) = &self.answered else { return };
        let ends = match effect {
            Interruption::Ignored => false,
            Interruption::OpenEnded if *is_open_ended => true,
            Interruption::Late | Interruption::OpenEnded => begun.elapsed() >= TOGETHER,
            Interruption::Always => true,
        };
        if ends {
            interrupt.store(true, Ordering::Relaxed);
        }
    }
}
