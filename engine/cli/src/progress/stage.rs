//! A stage of the work: its progress, its bar on a terminal, and its plain lines elsewhere.

use std::fmt::{Display, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::unit::{Unit, duration, time_left};

/// The least time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(5);
/// The least time between two lines above a bar.
const BAR_INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct Stage {
    pub(super) name: String,
    pub(super) unit: Unit,
    done_before: u64,
    total: u64,
    begun: Instant,
    last_told: Instant,
    /// The time of the last line about an epoch.
    epoch_told: Instant,
    bar: Option<ProgressBar>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Standing<'a> {
    pub(super) name: &'a str,
    pub(super) unit: &'a Unit,
    pub(super) done: u64,
    /// The units that an earlier run had finished; the rate does not include them.
    pub(super) done_before: u64,
    pub(super) total: u64,
    pub(super) elapsed: Duration,
}

impl Stage {
    pub(super) fn new(stage: &str, done_before: u64, total: u64, has_bar: bool) -> Self {
        let (name, unit) = Unit::of(stage);
        let bar = has_bar.then(|| new_bar(name, &unit, done_before, total));
        let (name, now) = (name.to_owned(), Instant::now());
        Self { name, unit, done_before, total, begun: now, last_told: now, epoch_told: now, bar }
    }

    pub(super) fn standing(&self, done: u64) -> Standing<'_> {
        let Self { name, unit, done_before, total, begun, .. } = self;
        let (done_before, total, elapsed) = (*done_before, *total, begun.elapsed());
        Standing { name, unit, done, done_before, total, elapsed }
    }

    /// Moves the progress bar to `done` units. Returns whether it is time for the next progress
    /// report.
    pub(super) fn is_due(&mut self, done: u64) -> bool {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
        is_due(&mut self.last_told, INTERVAL)
    }

    /// Returns whether it is time for the next line about an epoch.
    pub(super) fn epoch_is_due(&mut self) -> bool {
        let interval = if self.bar.is_some() { BAR_INTERVAL } else { INTERVAL };
        is_due(&mut self.epoch_told, interval)
    }

    pub(super) fn bar(&self) -> Option<&ProgressBar> {
        self.bar.as_ref()
    }

    pub(super) fn end_bar(&self, done: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.abandon();
        }
    }
}

/// Returns whether an interval has passed since `last`, and if so, begins the next one.
fn is_due(last: &mut Instant, interval: Duration) -> bool {
    let is_due = last.elapsed() >= interval;
    if is_due {
        *last = Instant::now();
    }
    is_due
}

impl Standing<'_> {
    pub(super) fn rate(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64().max(1e-9);
        self.done.saturating_sub(self.done_before) as f64 / seconds
    }

    pub(super) fn left(&self) -> u64 {
        self.total.saturating_sub(self.done)
    }

    /// Returns the plain line for a moment, `progress` or `end`; `None` for any other moment, and
    /// for the end of a stage that took less than a second.
    pub(super) fn line(&self, moment: &str) -> Option<String> {
        let Self { name, unit, done, total, elapsed, .. } = *self;
        let part = unit.part(done, total);
        match moment {
            "progress" => {
                let percent = 100.0 * done.min(total) as f64 / total.max(1) as f64;
                let rate = self.rate();
                let left = time_left(self.left(), rate);
                Some(format!("{name}: {part} ({percent:.0} %), {}{left}", unit.rate(rate)))
            }
            "end" if elapsed >= Duration::from_secs(1) => {
                Some(format!("{name}: {part} in {}", duration(elapsed)))
            }
            _ => None,
        }
    }
}

fn new_bar(name: &str, unit: &Unit, done: u64, total: u64) -> ProgressBar {
    const TEMPLATE: &str = "{prefix:<24} {bar:30} {done}, {rate}{left}";
    fn key<T: Display>(
        text: impl Fn(&ProgressState) -> T + Clone + Send + Sync + 'static,
    ) -> impl Fn(&ProgressState, &mut dyn Write) + Clone + Send + Sync + 'static {
        move |state, out| {
            let _ = write!(out, "{}", text(state));
        }
    }
    let total_of = |state: &ProgressState| state.len().unwrap_or(0);
    let left = move |state: &ProgressState| total_of(state).saturating_sub(state.pos());
    let (of_part, of_rate) = (unit.clone(), unit.clone());
    let style = ProgressStyle::with_template(TEMPLATE).unwrap_or(ProgressStyle::default_bar());
    let style = style
        .with_key("done", key(move |state| of_part.part(state.pos(), total_of(state))))
        .with_key("rate", key(move |state| of_rate.rate(state.per_sec())))
        .with_key("left", key(move |state| time_left(left(state), state.per_sec())));
    let bar = ProgressBar::new(total).with_style(style).with_prefix(name.to_owned());
    bar.set_position(done);
    bar.reset_eta();
    bar.reset_elapsed();
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows of this table are regressions: the line contained `15923333333 h left`, or a number
    /// of bytes without a unit.
    #[test]
    fn a_line_has_the_share_the_rate_and_the_time_left() {
        for (stage, done_before, total, done, seconds, expected) in [
            (
                "self-play (games)",
                100,
                10_000,
                1_200,
                10,
                "self-play: 1,200 of 10,000 games (12 %), 110.0/s, 1 min 20 s left",
            ),
            ("import (bytes)", 0, 57_000, 0, 10, "import: 0 B of 57.00 kB (0 %), 0 B/s"),
            (
                "import (bytes)",
                0,
                3_000_000_000,
                1_500_000,
                1,
                "import: 1.50 MB of 3.00 GB (0 %), 1.50 MB/s, 33 min 19 s left",
            ),
            (
                "import (bytes)",
                0,
                57_000,
                600_000_000,
                1,
                "import: 600.00 MB of 57.00 kB (100 %), 600.00 MB/s, 0 s left",
            ),
        ] {
            let (name, unit) = Unit::of(stage);
            let elapsed = Duration::from_secs(seconds);
            let standing = Standing { name, unit: &unit, done, done_before, total, elapsed };
            assert_eq!(standing.line("progress").as_deref(), Some(expected));
        }
        let (name, unit) = Unit::of("self-play (games)");
        let elapsed = Duration::from_secs(10);
        let total = u64::MAX;
        let endless = Standing { name, unit: &unit, done: 1, done_before: 0, total, elapsed };
        let line = endless.line("progress").unwrap();
        assert!(line.ends_with("(0 %), 0.1/s, more than a year left"), "{line}");
    }
}
