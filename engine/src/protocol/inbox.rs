//! The lines that a client sends during a search. They are answered in order, and some of them end
//! the search.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::search::Limits;

const MAX_LINE_BYTES: usize = 1 << 16;
/// The greatest number of waiting bytes; beyond it, the client has to wait.
const MAX_WAITING_BYTES: usize = 1 << 20;
/// Lines that arrive within this time after the beginning of a search do not interrupt it: a script
/// writes all its commands at once, and expects an answer to each.
const TOGETHER: Duration = Duration::from_millis(250);

/// The effect of a line on the search that answers an earlier line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interruption {
    /// It waits for its turn.
    Never,
    /// The line ends the search, unless it arrived together with the line that the search answers.
    Late,
    /// It ends the search.
    Always,
}

/// A function that returns the effect of a line, or of the end of input (`None`), on the search
/// that answers an earlier line.
pub(super) type Rule = fn(&str, Option<&str>) -> Interruption;

#[derive(Debug)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    rule: Rule,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<String>,
    bytes: usize,
    end: Option<io::Result<()>>,
    answered: Option<Answered>,
}

#[derive(Debug)]
struct Answered {
    line: String,
    begun: Instant,
    interrupt: Arc<AtomicBool>,
}

impl Inbox {
    /// Starts to read lines in a thread, which ends with the input or with the process.
    pub(super) fn open(input: impl Read + Send + 'static, rule: Rule) -> io::Result<Arc<Self>> {
        let (waiting, changed) = (Mutex::default(), Condvar::new());
        let inbox = Arc::new(Self { waiting, changed, rule });
        let reader = Arc::clone(&inbox);
        let read = move || reader.read(input);
        std::thread::Builder::new().name("input".to_owned()).spawn(read)?;
        Ok(inbox)
    }

    /// Waits for the next line and returns it; `None` at the end of input.
    pub(super) fn next(&self) -> io::Result<Option<String>> {
        let mut waiting = self.waiting();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                waiting.bytes -= line.len();
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

    /// Returns the limits of the search that answers a line. Later lines may interrupt it.
    pub(super) fn begin(&self, line: &str) -> Limits {
        let interrupt = Arc::new(AtomicBool::new(false));
        let mut waiting = self.waiting();
        let is_urgent = |next: &String| (self.rule)(line, Some(next)) == Interruption::Always;
        interrupt.store(waiting.lines.iter().any(is_urgent), Ordering::Relaxed);
        let (line, begun) = (line.to_owned(), Instant::now());
        waiting.answered = Some(Answered { line, begun, interrupt: Arc::clone(&interrupt) });
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
        let mut line = Line::default();
        let end = loop {
            let bytes = match input.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(bytes) => &buffer[..bytes],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => break Err(error),
            };
            // Lines that come together wait together.
            let mut waiting = self.waiting();
            while waiting.bytes > MAX_WAITING_BYTES {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            for part in bytes.split_inclusive(|&byte| byte == b'\n') {
                line.extend(part);
                if part.last() == Some(&b'\n') {
                    self.add(&mut waiting, line.take());
                }
            }
            self.changed.notify_all();
        };
        let mut waiting = self.waiting();
        if !line.0.is_empty() {
            self.add(&mut waiting, line.take());
        }
        self.interrupt(&waiting, None);
        waiting.end = Some(end);
        self.changed.notify_all();
    }

    fn add(&self, waiting: &mut Waiting, line: String) {
        self.interrupt(waiting, Some(&line));
        waiting.bytes += line.len();
        waiting.lines.push_back(line);
    }

    fn interrupt(&self, waiting: &Waiting, came: Option<&str>) {
        let Some(Answered { line, begun, interrupt }) = &waiting.answered else { return };
        let ends = match (self.rule)(line, came) {
            Interruption::Never => false,
            Interruption::Late => begun.elapsed() >= TOGETHER,
            Interruption::Always => true,
        };
        if ends {
            interrupt.store(true, Ordering::Relaxed);
        }
    }
}

#[derive(Default)]
struct Line(Vec<u8>);

impl Line {
    fn extend(&mut self, part: &[u8]) {
        let room = MAX_LINE_BYTES - self.0.len();
        self.0.extend(&part[..part.len().min(room)]);
    }

    fn take(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.0)).trim().to_owned()
    }
}
