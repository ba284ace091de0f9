//! The plain lines for people, where standard error is no terminal.

use std::time::Duration;

use super::course::{Listener, Moment, Standing};
use super::unit::{duration, time_left};
use crate::message::say;

/// A listener that writes at most one line every few seconds.
pub(super) struct Lines;

impl Listener for Lines {
    fn hear(&self, moment: Moment, standing: &Standing<'_>) {
        match moment {
            Moment::Begin => {}
            Moment::Middle => say(&line(standing)),
            // The closing line of a stage that ran long enough for anyone to wait for.
            Moment::End if standing.elapsed >= Duration::from_secs(1) => {
                say(&closing_line(standing));
            }
            Moment::End => {}
        }
    }
}

fn line(standing: &Standing<'_>) -> String {
    let Standing { name, unit, done, total, .. } = *standing;
    let percent = 100.0 * done.min(total) as f64 / total.max(1) as f64;
    let (part, rate) = (unit.part(done, total), standing.rate());
    let left = time_left(standing.left(), rate);
    format!("{name}: {part} ({percent:.0} %), {}{left}", unit.rate(rate))
}

fn closing_line(standing: &Standing<'_>) -> String {
    let Standing { name, unit, done, total, elapsed, .. } = *standing;
    format!("{name}: {} in {}", unit.part(done, total), duration(elapsed))
}

#[cfg(test)]
mod tests {
    use super::super::unit::Unit;
    use super::*;

    fn line(stage: &str, done_before: u64, total: u64, done: u64, seconds: u64) -> String {
        let (name, unit) = Unit::of(stage);
        let elapsed = Duration::from_secs(seconds);
        super::line(&Standing { name, unit: &unit, done, done_before, total, elapsed })
    }

    #[test]
    fn a_line_tells_share_rate_and_time_left() {
        let line = line("self-play (games)", 100, 10_000, 1_200, 10);
        assert_eq!(line, "self-play: 1,200 of 10,000 games (12 %), 110.0/s, 1 min 20 s left");
    }

    /// A regression: a stage of 57 kB, of which nothing seemed to be done, showed `15923333333 h
    /// left`.
    #[test]
    fn no_time_left_is_told_where_nothing_is_done() {
        let import = line("import (bytes)", 0, 57_000, 0, 10);
        assert_eq!(import, "import: 0 B of 57.00 kB (0 %), 0 B/s");
        let games = line("self-play (games)", 0, u64::MAX, 1, 10);
        assert!(games.ends_with("(0 %), 0.1/s, more than a year left"), "{games}");
    }

    /// A regression: bytes were shown as bare numbers: `600000000 of 57000`.
    #[test]
    fn bytes_have_their_unit() {
        let some = line("import (bytes)", 0, 3_000_000_000, 1_500_000, 1);
        assert_eq!(some, "import: 1.50 MB of 3.00 GB (0 %), 1.50 MB/s, 33 min 19 s left");
        let more = line("import (bytes)", 0, 57_000, 600_000_000, 1);
        assert_eq!(more, "import: 600.00 MB of 57.00 kB (100 %), 600.00 MB/s, 0 s left");
    }
}
