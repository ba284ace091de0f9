//! The progress on standard error: a bar with rate and time left on a terminal, plain lines
//! elsewhere, or events in JSON; and in a file.

mod course;
pub(crate) mod events;
mod lines;
mod unit;

use std::fmt;
use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use serde_json::{Map, Value};

use crate::arguments::Log;
use crate::interrupt::Interrupts;
use crate::message::{harmless, say, shortened};
use course::{Course, Listener};
use events::{EventLines, ProgressFile};
use lines::Lines;
use othello_core::progress::Progress;
use unit::{Unit, time_left};

/// A reporter that shows the progress of long work on standard error, and passes interrupts on to
/// it.
pub struct Reporter {
    log: Log,
    /// The bar on a terminal, with the stage at hand.
    bar: Option<Mutex<Option<ProgressBar>>>,
    course: Course,
    interrupts: Interrupts,
    /// The number of units of each stage that an earlier run had finished.
    resumed: Mutex<Map<String, Value>>,
}

impl Reporter {
    /// Creates a reporter: as text with bars if standard error is a terminal, otherwise with a line
    /// every few seconds; or with events in JSON. A file has the last of these, too.
    pub(crate) fn new(log: Log, file: Option<ProgressFile>, interrupts: Interrupts) -> Self {
        let has_bar = log == Log::Text && std::io::stderr().is_terminal();
        let mut listeners: Vec<Box<dyn Listener>> = vec![];
        match log {
            Log::Text if has_bar => {}
            Log::Text => listeners.push(Box::new(Lines)),
            Log::Json => listeners.push(Box::new(EventLines)),
        }
        if let Some(file) = file {
            listeners.push(Box::new(file));
        }
        let bar = has_bar.then(Mutex::default);
        Self { log, bar, course: Course::new(listeners), interrupts, resumed: Mutex::default() }
    }

    /// Returns the number of units of each stage that an earlier run had finished, without zeros.
    pub fn resumed(&self) -> Map<String, Value> {
        lock(&self.resumed).clone()
    }

    fn begin_stage(&self, stage: &str, done: u64, total: u64, stops: bool) {
        self.interrupts.begin_stage(stops);
        if done > 0 {
            let mut resumed = lock(&self.resumed);
            let before = resumed.get(stage).and_then(Value::as_u64).unwrap_or(0);
            resumed.insert(stage.to_owned(), (before + done).into());
            let (name, unit) = Unit::of(stage);
            self.message(&format!("{name}: {} from an earlier run", unit.part(done, total)));
        }
        if let Some(bar) = &self.bar {
            let mut bar = lock(bar);
            end_bar(&mut bar);
            *bar = Some(new_bar(stage, done, total));
        }
        self.course.begin(stage, done, total);
    }

    /// Ends the display of the last stage.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            end_bar(&mut lock(bar));
        }
        self.course.end();
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
        if let Some(bar) = self.bar.as_ref().map(lock).as_deref().and_then(Option::as_ref) {
            bar.inc(units);
        }
        self.course.advance(units);
    }

    fn message(&self, line: &str) {
        let bar = self.bar.as_ref().map(lock);
        match bar.as_deref().and_then(Option::as_ref) {
            Some(bar) => bar.println(shortened(&harmless(line))),
            None => self.log.message(line),
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupts.is_requested()
    }
}

impl Log {
    /// Writes a message to standard error.
    pub(crate) fn message(self, line: &str) {
        match self {
            Self::Text => say(line),
            Self::Json => events::write_text("message", line),
        }
    }

    /// Writes the error that ended the work to standard error.
    pub(crate) fn error(self, line: &str) {
        match self {
            Self::Text => say(&format!("error: {line}")),
            Self::Json => events::write_text("error", line),
        }
    }
}

fn new_bar(stage: &str, done: u64, total: u64) -> ProgressBar {
    const TEMPLATE: &str = "{prefix:<24} {bar:30} {done}, {rate}{left}";
    let (name, unit) = Unit::of(stage);
    let unit_of_rate = unit.clone();
    let style = ProgressStyle::with_template(TEMPLATE).unwrap_or(ProgressStyle::default_bar());
    let style = style
        .with_key("done", move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{}", unit.part(state.pos(), state.len().unwrap_or(0)));
        })
        .with_key("rate", move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{}", unit_of_rate.rate(state.per_sec()));
        })
        .with_key("left", move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let units = state.len().unwrap_or(0).saturating_sub(state.pos());
            let _ = write!(out, "{}", time_left(units, state.per_sec()));
        });
    let bar = ProgressBar::new(total).with_style(style).with_prefix(name.to_owned());
    bar.set_position(done);
    bar.reset_eta();
    bar.reset_elapsed();
    bar
}

fn end_bar(bar: &mut Option<ProgressBar>) {
    if let Some(bar) = bar.take() {
        bar.abandon();
    }
}

/// Locks a mutex even after a panic: that must not hide the progress of other work.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
