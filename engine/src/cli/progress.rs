//! The progress on standard error: a bar with rate and time left on a terminal, plain lines
//! elsewhere.

mod unit;

use std::fmt;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use serde_json::{Map, Value};

use super::interrupt::Interrupts;
use super::message::{harmless, say, shortened};
use crate::progress::Progress;
use unit::{Unit, duration, time_left};

/// A reporter that shows the progress of long work on standard error, and passes interrupts on to
/// it.
pub struct Reporter {
    display: Display,
    interrupts: Interrupts,
    /// The number of units of each stage that an earlier run had finished.
    resumed: Mutex<Map<String, Value>>,
}

enum Display {
    Bar(Mutex<Option<ProgressBar>>),
    Lines(Lines),
}

impl Reporter {
    /// Creates a reporter with bars if standard error is a terminal, otherwise with a line every
    /// few seconds.
    pub(super) fn for_standard_error(interrupts: Interrupts) -> Self {
        let display = if std::io::stderr().is_terminal() {
            Display::Bar(Mutex::new(None))
        } else {
            Display::Lines(Lines::default())
        };
        Self { display, interrupts, resumed: Mutex::default() }
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
        match &self.display {
            Display::Bar(bar) => {
                let mut bar = lock(bar);
                end_bar(&mut bar);
                *bar = Some(new_bar(stage, done, total));
            }
            Display::Lines(lines) => lines.begin(stage, done, total),
        }
    }

    /// Ends the display of the last stage.
    pub fn finish(&self) {
        match &self.display {
            Display::Bar(bar) => end_bar(&mut lock(bar)),
            Display::Lines(lines) => lines.end(),
        }
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
        match &self.display {
            Display::Bar(bar) => {
                if let Some(bar) = lock(bar).as_ref() {
                    bar.inc(units);
                }
            }
            Display::Lines(lines) => lines.advance(units),
        }
    }

    fn message(&self, line: &str) {
        match &self.display {
            Display::Bar(bar) => match lock(bar).as_ref() {
                Some(bar) => bar.println(shortened(&harmless(line))),
                None => say(line),
            },
            Display::Lines(_) => say(line),
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupts.is_requested()
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

/// The plain lines, at most one every few seconds.
#[derive(Default)]
struct Lines {
    done: AtomicU64,
    stage: Mutex<Option<Stage>>,
}

struct Stage {
    name: String,
    unit: Unit,
    done_before: u64,
    total: u64,
    begun: Instant,
    last_line: Instant,
}

impl Lines {
    const INTERVAL: Duration = Duration::from_secs(5);

    fn begin(&self, stage: &str, done: u64, total: u64) {
        self.end();
        let now = Instant::now();
        let (name, unit) = Unit::of(stage);
        let name = name.to_owned();
        let stage = Stage { name, unit, done_before: done, total, begun: now, last_line: now };
        *lock(&self.stage) = Some(stage);
        self.done.store(done, Ordering::Relaxed);
    }

    fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        // A thread that finds the lock taken leaves the line to its owner.
        let Ok(mut stage) = self.stage.try_lock() else { return };
        let Some(stage) = stage.as_mut() else { return };
        if stage.last_line.elapsed() >= Self::INTERVAL {
            stage.last_line = Instant::now();
            say(&stage.line(done, stage.begun.elapsed()));
        }
    }

    /// Writes the closing line of a stage that ran long enough for anyone to wait for.
    fn end(&self) {
        let Some(stage) = lock(&self.stage).take() else { return };
        let elapsed = stage.begun.elapsed();
        if elapsed >= Duration::from_secs(1) {
            let done = self.done.load(Ordering::Relaxed);
            let Stage { name, unit, total, .. } = stage;
            say(&format!("{name}: {} in {}", unit.part(done, total), duration(elapsed)));
        }
    }
}

impl Stage {
    fn line(&self, done: u64, elapsed: Duration) -> String {
        let Self { name, unit, done_before, total, .. } = self;
        let rate = done.saturating_sub(*done_before) as f64 / elapsed.as_secs_f64().max(1e-9);
        let percent = 100.0 * done.min(*total) as f64 / (*total).max(1) as f64;
        let (part, left) = (unit.part(done, *total), time_left(total.saturating_sub(done), rate));
        format!("{name}: {part} ({percent:.0} %), {}{left}", unit.rate(rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(name: &str, done_before: u64, total: u64) -> Stage {
        let ((name, unit), now) = (Unit::of(name), Instant::now());
        Stage { name: name.to_owned(), unit, done_before, total, begun: now, last_line: now }
    }

    #[test]
    fn a_line_tells_share_rate_and_time_left() {
        let games = stage("self-play (games)", 100, 10_000);
        let line = games.line(1_200, Duration::from_secs(10));
        assert_eq!(line, "self-play: 1,200 of 10,000 games (12 %), 110.0/s, 1 min 20 s left");
    }

    /// A regression: a stage of 57 kB, of which nothing seemed to be done, showed `15923333333 h
    /// left`.
    #[test]
    fn no_time_left_is_told_where_nothing_is_done() {
        let line = stage("import (bytes)", 0, 57_000).line(0, Duration::from_secs(10));
        assert_eq!(line, "import: 0 B of 57.00 kB (0 %), 0 B/s");
        let games = stage("self-play (games)", 0, u64::MAX).line(1, Duration::from_secs(10));
        assert!(games.ends_with("(0 %), 0.1/s, more than a year left"), "{games}");
    }

    /// A regression: bytes were shown as bare numbers: `600000000 of 57000`.
    #[test]
    fn bytes_have_their_unit() {
        let line =
            stage("import (bytes)", 0, 3_000_000_000).line(1_500_000, Duration::from_secs(1));
        assert_eq!(line, "import: 1.50 MB of 3.00 GB (0 %), 1.50 MB/s, 33 min 19 s left");
        let more = stage("import (bytes)", 0, 57_000).line(600_000_000, Duration::from_secs(1));
        assert_eq!(more, "import: 600.00 MB of 57.00 kB (100 %), 600.00 MB/s, 0 s left");
    }
}
