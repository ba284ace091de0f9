//! The unit of a stage, and the text form of amounts, rates and times.

use std::time::Duration;

use indicatif::{DecimalBytes, HumanCount};

/// Splits the name of a stage, such as `import (bytes)`, into `import` and `bytes` (or no unit).
pub(super) fn name_and_unit(stage: &str) -> (&str, &str) {
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

pub(super) fn rate(unit: &str, per_second: f64) -> String {
    match unit {
        "bytes" => format!("{}/s", DecimalBytes(per_second as u64)),
        _ => format!("{per_second:.1}/s"),
    }
}

/// Returns the time for the remaining units: `, 1 min 20 s left`; empty if the rate is 0.
pub(super) fn time_left(units: u64, per_second: f64) -> String {
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

/// Returns a duration as text: `12 s`, `3 min 07 s`, `5 h 12 min`, `3 days 4 h`.
pub(super) fn duration(time: Duration) -> String {
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
