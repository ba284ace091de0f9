//! A stage of the work, whose progress is a bar on a terminal and otherwise lines of text.

use std::fmt::{Display, Write};
use std::time::{Duration, Instant};

use indicatif::{DecimalBytes, HumanCount, ProgressBar, ProgressState, ProgressStyle};

use super::events::StageDetails;

const INTERVAL: Duration = Duration::from_secs(5);
/// The least time between two lines about epochs of a fit, printed above a progress bar.
const INTERVAL_ABOVE_BAR: Duration = Duration::from_secs(1);

pub(super) struct Stage {
    pub(super) name: String,
    pub(super) unit: String,
    done_before: u64,
    total: u64,
    begun: Instant,
    last_told: Instant,
    epoch_told: Instant,
    pub(super) bar: Option<ProgressBar>,
}

impl Stage {
    pub(super) fn new(stage: &str, done_before: u64, total: u64, has_bar: bool) -> Self {
        let (name, unit) = name_and_unit(stage);
        let bar = has_bar.then(|| new_bar(name, unit, done_before, total));
        let (name, unit, now) = (name.to_owned(), unit.to_owned(), Instant::now());
        Self { name, unit, done_before, total, begun: now, last_told: now, epoch_told: now, bar }
    }

    pub(super) fn standing(&self, done: u64) -> StageDetails<'_> {
        let Self { name, unit, done_before, total, begun, .. } = self;
        StageDetails::new((name, unit), (done, *done_before, *total), begun.elapsed())
    }

    pub(super) fn is_due(&mut self, done: u64) -> bool {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
        is_due(&mut self.last_told, INTERVAL)
    }

    pub(super) fn epoch_is_due(&mut self) -> bool {
        let interval = if self.bar.is_some() { INTERVAL_ABOVE_BAR } else { INTERVAL };
        is_due(&mut self.epoch_told, interval)
    }

    pub(super) fn end_bar(&self, done: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.abandon();
        }
    }
}

fn is_due(last: &mut Instant, interval: Duration) -> bool {
    let is_due = last.elapsed() >= interval;
    if is_due {
        *last = Instant::now();
    }
    is_due
}

impl StageDetails<'_> {
    pub(super) fn line(&self, moment: &str) -> Option<String> {
        let Self { stage, unit, done, total, seconds, per_second, .. } = *self;
        let part = part(unit, done, total);
        match moment {
            "progress" => {
                let percent = 100.0 * done.min(total) as f64 / total.max(1) as f64;
                let left = time_left(total.saturating_sub(done), per_second);
                Some(format!("{stage}: {part} ({percent:.0} %), {}{left}", rate(unit, per_second)))
            }
            "end" if seconds >= 1.0 => {
                Some(format!("{stage}: {part} in {}", duration(Duration::from_secs_f64(seconds))))
            }
            _ => None,
        }
    }
}

fn new_bar(name: &str, unit: &str, done: u64, total: u64) -> ProgressBar {
    const TEMPLATE: &str = "{prefix:<24} {bar:30} {done}, {rate}{left}";
    fn key<T: Display>(
        text: impl Fn(&ProgressState) -> T + Clone + Send + Sync + 'static,
    ) -> impl Fn(&ProgressState, &mut dyn Write) + Clone + Send + Sync + 'static {
        move |state, out| {
            let _ = write!(out, "{}", text(state));
        }
    }
    let left = move |state: &ProgressState| total.saturating_sub(state.pos());
    let (of_part, of_rate) = (unit.to_owned(), unit.to_owned());
    let style = ProgressStyle::with_template(TEMPLATE).unwrap_or(ProgressStyle::default_bar());
    let style = style
        .with_key("done", key(move |state| part(&of_part, state.pos(), total)))
        .with_key("rate", key(move |state| rate(&of_rate, state.per_sec())))
        .with_key("left", key(move |state| time_left(left(state), state.per_sec())));
    let bar = ProgressBar::new(total).with_style(style).with_prefix(name.to_owned());
    bar.set_position(done);
    bar.reset_eta();
    bar.reset_elapsed();
    bar
}

/// Splits `import (bytes)` into the stage's name, `import`, and its unit, `bytes`, if it has one.
fn name_and_unit(stage: &str) -> (&str, &str) {
    let split = stage.strip_suffix(')').and_then(|stage| stage.rsplit_once(" ("));
    split.unwrap_or((stage, ""))
}

pub(super) fn part(unit: &str, done: u64, total: u64) -> String {
    if unit == "bytes" {
        return format!("{} of {}", DecimalBytes(done), DecimalBytes(total));
    }
    let part = format!("{} of {} {unit}", HumanCount(done), HumanCount(total));
    part.trim_end().to_owned()
}

fn rate(unit: &str, per_second: f64) -> String {
    match unit {
        "bytes" => format!("{}/s", DecimalBytes(per_second as u64)),
        _ => format!("{per_second:.1}/s"),
    }
}

fn time_left(units: u64, per_second: f64) -> String {
    const YEAR: f64 = 365.25 * 86_400.0;
    let seconds = units as f64 / per_second;
    if !seconds.is_finite() {
        String::new()
    } else if seconds > YEAR {
        ", more than a year left".to_owned()
    } else {
        format!(", {} left", duration(Duration::from_secs_f64(seconds)))
    }
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min {:02} s", seconds % 60),
        3600..172_800 => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{} days {} h", hours / 24, hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_share_the_rate_and_the_time_left() {
        let line = |stage, [done_before, total, done, seconds]: [u64; 4]| {
            let (units, elapsed) = ((done, done_before, total), Duration::from_secs(seconds));
            StageDetails::new(name_and_unit(stage), units, elapsed).line("progress").unwrap()
        };
        assert_eq!(
            line("self-play (games)", [100, 10_000, 1_200, 10]),
            "self-play: 1,200 of 10,000 games (12 %), 110.0/s, 1 min 20 s left"
        );
        assert_eq!(
            line("import (bytes)", [0, 57_000, 0, 10]),
            "import: 0 B of 57.00 kB (0 %), 0 B/s"
        );
        assert_eq!(
            line("import (bytes)", [0, 3_000_000_000, 1_500_000, 1]),
            "import: 1.50 MB of 3.00 GB (0 %), 1.50 MB/s, 33 min 19 s left"
        );
        assert_eq!(
            line("import (bytes)", [0, 57_000, 600_000_000, 1]),
            "import: 600.00 MB of 57.00 kB (100 %), 600.00 MB/s, 0 s left"
        );
        let endless = line("self-play (games)", [0, u64::MAX, 1, 10]);
        assert!(endless.ends_with("(0 %), 0.1/s, more than a year left"), "{endless}");
    }

    #[test]
    fn a_stage_names_its_unit() {
        assert_eq!(name_and_unit("import (bytes)"), ("import", "bytes"));
        assert_eq!(name_and_unit("shuffle (games read)"), ("shuffle", "games read"));
        assert_eq!(name_and_unit("training"), ("training", ""));
    }

    #[test]
    fn times_are_written_for_people() {
        let written = |seconds| duration(Duration::from_secs(seconds));
        assert_eq!(written(59), "59 s");
        assert_eq!(written(187), "3 min 07 s");
        assert_eq!(written(18_720), "5 h 12 min");
        assert_eq!(written(273_600), "3 days 4 h");
        assert_eq!(time_left(1, f64::NAN), "");
        assert_eq!(time_left(0, 0.0), "");
        assert_eq!(time_left(5, 0.0), "");
    }
}
