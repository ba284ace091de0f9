//! Output on standard error: text (a bar with rate and time left on a terminal, else lines) or JSON
//! events. `--progress-file` keeps only the latest event of the process or of a stage in a file.

pub(crate) mod events;
mod stage;

use std::env;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::{Map, Value};

use crate::arguments::Log;
use crate::interrupt::Interrupts;
use crate::message::{harmless, say, shortened};
use events::{Details, Event};
use othello_core::file::ShownFile;
use othello_core::progress::Progress;
use stage::Stage;

/// Reports the progress, the messages and the end of a process, and passes interrupts to the work.
#[derive(Default)]
pub struct Reporter {
    log: Log,
    has_bar: bool,
    is_quiet: AtomicBool,
    stage: Mutex<Option<Stage>>,
    done: AtomicU64,
    pub(crate) file: OnceLock<ShownFile>,
    file_failed: AtomicBool,
    pub(crate) interrupts: Interrupts,
    resumed: Mutex<Map<String, Value>>,
}

impl Reporter {
    pub(crate) fn new(log: Log) -> Self {
        let has_bar = log == Log::Text && io::stderr().is_terminal();
        Self { log, has_bar, ..Self::default() }
    }

    /// Runs `work` and returns its result. Prints only errors meanwhile; interrupts still work.
    pub fn quietly<T>(&self, work: impl FnOnce() -> T) -> T {
        self.finish();
        self.is_quiet.store(true, Relaxed);
        let result = work();
        *lock(&self.stage) = None;
        self.is_quiet.store(false, Relaxed);
        result
    }

    /// Returns, by the name of each resumed stage, the number of units that an earlier run
    /// finished.
    pub fn resumed(&self) -> Map<String, Value> {
        lock(&self.resumed).clone()
    }

    /// Clears the counts of [`Self::resumed`]. Each step of a recipe (a list of commands) thus
    /// reports only its own counts.
    pub(crate) fn forget_resumed(&self) {
        lock(&self.resumed).clear();
    }

    fn begin_stage(&self, name: &str, done: u64, total: u64, stops: bool) {
        self.interrupts.begin_stage(stops);
        self.finish();
        let stage = Stage::new(name, done, total, self.has_bar && !self.is_quiet.load(Relaxed));
        if done > 0 {
            let mut resumed = lock(&self.resumed);
            let before = resumed.get(name).and_then(Value::as_u64).unwrap_or(0);
            resumed.insert(name.to_owned(), (before + done).into());
            let part = stage::part(&stage.unit, done, total);
            self.message(&format!("{}: {part} from an earlier run", stage.name));
        }
        self.done.store(done, Relaxed);
        self.tell("begin", &stage, done);
        *lock(&self.stage) = Some(stage);
    }

    /// Ends the display of the current stage, if any, and reports the stage's event `end`.
    pub fn finish(&self) {
        if let Some(stage) = lock(&self.stage).take() {
            let done = self.done.load(Relaxed);
            stage.end_bar(done);
            self.tell("end", &stage, done);
        }
    }

    fn tell(&self, moment: &'static str, stage: &Stage, done: u64) {
        if self.is_quiet.load(Relaxed) {
            return;
        }
        let standing = stage.standing(done);
        let event = Event::new(moment, Details::Stage(standing));
        match self.log {
            Log::Json => event.write(),
            Log::Text if self.has_bar => {}
            Log::Text => standing.line(moment).iter().for_each(|line| say(line)),
        }
        let written = self.file.get().map(|file| file.replace(event.line().as_bytes()));
        if let Some(Err(error)) = written
            && !self.file_failed.swap(true, Relaxed)
        {
            self.write("message", &format!("cannot write the progress: {error}"));
        }
    }

    fn write(&self, event: &'static str, text: &str) {
        match self.log {
            Log::Json => {
                let text = harmless(text);
                Event::new(event, Details::Text { text: &shortened(&text) }).write();
            }
            // GitHub shows an error of this form on the page of the workflow's job.
            Log::Text if event == "error" && env::var_os("GITHUB_ACTIONS").is_some() => {
                say(&format!("::error::{}", text.replace('%', "%25").replace('\n', "%0A")));
            }
            Log::Text if event == "error" => say(&format!("error: {text}")),
            Log::Text => say(text),
        }
    }

    /// Reports an error.
    pub fn error(&self, line: &str) {
        self.write("error", line);
    }

    pub(crate) fn interrupt(&self, signal: u8) {
        if self.interrupts.receive(signal) {
            let first = "stopping after the current work; interrupt again to stop at once";
            return self.message(first);
        }
        self.message(self.interrupts.farewell());
        // The lock is held to the end, so that no other thread writes after the last event.
        let _alone = io::stderr().lock();
        let status = self.interrupts.exit_status();
        self.exit(status);
        std::process::exit(status.into());
    }

    pub(crate) fn exit(&self, status: u8) {
        let event = Event::new("exit", Details::Exit { status });
        if self.log == Log::Json {
            event.write();
        }
        let _ = self.file.get().map(|file| file.replace(event.line().as_bytes()));
    }
}

impl Progress for Reporter {
    fn begin(&self, stage: &str, done: u64, total: u64) {
        self.begin_stage(stage, done, total, false);
    }

    fn begin_stoppable(&self, stage: &str, done: u64, total: u64) {
        self.begin_stage(stage, done, total, true);
    }

    fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Relaxed) + units;
        // If another thread holds the lock, that thread reports the progress, so do not wait.
        let Ok(mut stage) = self.stage.try_lock() else { return };
        if let Some(stage) = stage.as_mut()
            && stage.is_due(done)
        {
            self.tell("progress", stage, done);
        }
    }

    fn message(&self, line: &str) {
        if self.is_quiet.load(Relaxed) {
            return;
        }
        match lock(&self.stage).as_ref().and_then(|stage| stage.bar.as_ref()) {
            Some(bar) => bar.println(shortened(&harmless(line))),
            None => self.write("message", line),
        }
    }

    fn epoch(&self, line: &str, fields: &Map<String, Value>) {
        match self.log {
            _ if self.is_quiet.load(Relaxed) => {}
            Log::Json => Event::new("epoch", Details::Epoch { metrics: fields }).write(),
            Log::Text => {
                let is_due = lock(&self.stage).as_mut().is_some_and(Stage::epoch_is_due);
                if is_due {
                    self.message(line);
                }
            }
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupts.is_requested()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
