//! Progress on standard error: a bar with rate and time left on a terminal, plain lines elsewhere.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value};

use super::interrupt;
use crate::progress::Progress;

/// Writes a line to standard error. Where nobody reads it any more, that is no reason to stop.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Shows the progress of long work on standard error, and passes interrupts on to it.
pub struct Reporter {
    display: Display,
    /// Units of each stage that an earlier run had finished.
    resumed: Mutex<Map<String, Value>>,
}

enum Display {
    Bar(Mutex<Option<ProgressBar>>),
    Lines(Lines),
}

impl Reporter {
    /// Bars where standard error is a terminal, else a line every few seconds.
    pub fn for_standard_error() -> Self {
        let display = if std::io::stderr().is_terminal() {
            Display::Bar(Mutex::new(None))
        } else {
            Display::Lines(Lines::default())
        };
        Self { display, resumed: Mutex::default() }
    }

    /// How many units of each stage an earlier run had finished, where it had any.
    pub fn resumed(&self) -> Map<String, Value> {
        lock(&self.resumed).clone()
    }

    /// Ends the last stage.
    pub fn finish(&self) {
        match &self.display {
            Display::Bar(bar) => end_bar(&mut lock(bar)),
            Display::Lines(lines) => lines.end(),
        }
    }
}

impl Progress for Reporter {
    fn begin(&self, stage: &str, done: u64, total: u64) {
        interrupt::begin_stage();
        if done > 0 {
            let mut resumed = lock(&self.resumed);
            let before = resumed.get(stage).and_then(Value::as_u64).unwrap_or(0);
            resumed.insert(stage.to_owned(), (before + done).into());
            self.message(&format!("{stage}: {done} of {total} from an earlier run"));
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
                Some(bar) => bar.println(line),
                None => say(line),
            },
            Display::Lines(_) => say(line),
        }
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_requested()
    }
}

fn new_bar(stage: &str, done: u64, total: u64) -> ProgressBar {
    const TEMPLATE: &str =
        "{prefix:<24} {bar:30} {human_pos} of {human_len}, {per_sec}, {eta} left";
    let style = ProgressStyle::with_template(TEMPLATE).unwrap_or(ProgressStyle::default_bar());
    let bar = ProgressBar::new(total).with_style(style).with_prefix(stage.to_owned());
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

/// A panic elsewhere must not hide the progress of what goes on.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Plain lines, at most one every few seconds.
#[derive(Default)]
struct Lines {
    done: AtomicU64,
    stage: Mutex<Option<Stage>>,
}

struct Stage {
    name: String,
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
        let name = stage.to_owned();
        let stage = Stage { name, done_before: done, total, begun: now, last_line: now };
        *lock(&self.stage) = Some(stage);
        self.done.store(done, Ordering::Relaxed);
    }

    fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        // Whoever finds the lock taken leaves the line to the one who holds it.
        let Ok(mut stage) = self.stage.try_lock() else { return };
        let Some(stage) = stage.as_mut() else { return };
        if stage.last_line.elapsed() >= Self::INTERVAL {
            stage.last_line = Instant::now();
            say(&stage.line(done, stage.begun.elapsed()));
        }
    }

    /// The closing line of a stage that ran long enough for anyone to wait for.
    fn end(&self) {
        let Some(stage) = lock(&self.stage).take() else { return };
        let elapsed = stage.begun.elapsed();
        if elapsed >= Duration::from_secs(1) {
            let done = self.done.load(Ordering::Relaxed);
            say(&format!("{}: {done} of {} in {}", stage.name, stage.total, duration(elapsed)));
        }
    }
}

impl Stage {
    fn line(&self, done: u64, elapsed: Duration) -> String {
        let rate = done.saturating_sub(self.done_before) as f64 / elapsed.as_secs_f64().max(1e-9);
        let left = self.total.saturating_sub(done) as f64 / rate.max(1e-9);
        let left = Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX);
        let percent = 100.0 * done as f64 / self.total.max(1) as f64;
        let (name, total) = (&self.name, self.total);
        format!("{name}: {done} of {total} ({percent:.0} %), {rate:.1}/s, {} left", duration(left))
    }
}

/// `12 s`, `3 min 07 s`, `5 h 12 min`.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_share_rate_and_time_left() {
        let now = Instant::now();
        let name = "games".to_owned();
        let stage = Stage { name, done_before: 100, total: 1000, begun: now, last_line: now };
        let line = stage.line(200, Duration::from_secs(10));
        assert_eq!(line, "games: 200 of 1000 (20 %), 10.0/s, 1 min 20 s left");
        let stalled = stage.line(100, Duration::from_secs(10));
        assert!(stalled.starts_with("games: 100 of 1000 (10 %), 0.0/s, "), "{stalled}");
    }
}
