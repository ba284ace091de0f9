use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::report::JSON_VERSION;
use othello_core::file::{FileError, ShownFile};

const HEAD: &[u8] = br#"{"event":""#;

/// An event: a line of `--log json`, or the content of a progress file.
#[derive(Serialize, schemars::JsonSchema, Debug)]
pub(crate) struct Event<'a> {
    /// The kind of event: `start` or `exit` of the process; `begin`, `progress` or `end` of a stage
    /// of its work; `epoch` of a fit; `message`; or `error`.
    event: &'a str,
    /// Seconds since 1970, UTC.
    time: f64,
    #[serde(flatten)]
    details: Details<'a>,
    /// The process ID.
    process: u32,
    /// The version of the JSON fields.
    json_version: u32,
}

#[derive(Serialize, schemars::JsonSchema, Debug)]
#[serde(untagged)]
pub(crate) enum Details<'a> {
    Stage(StageDetails<'a>),
    Text {
        /// The text of an event `message` or `error`; empty in the event `start`.
        text: &'a str,
    },
    Epoch {
        /// The metrics of an epoch of a fit, including its wall time and positions per second.
        #[serde(flatten)]
        metrics: &'a Map<String, Value>,
    },
    Exit {
        /// The exit status.
        status: u8,
    },
}

/// The progress of a stage at one moment.
#[derive(Clone, Copy, Serialize, schemars::JsonSchema, Debug)]
pub(crate) struct StageDetails<'a> {
    /// The stage of the work.
    pub(super) stage: &'a str,
    /// The noun for the units of the work, such as `games`.
    pub(super) unit: &'a str,
    /// The number of finished units, including those of earlier runs.
    pub(super) done: u64,
    /// The number of units that an earlier run had finished.
    resumed: u64,
    /// The number of all units of the stage.
    pub(super) total: u64,
    /// The wall time since this stage of the work began, in seconds.
    pub(super) seconds: f64,
    /// The number of units finished per second, without those of earlier runs.
    pub(super) per_second: f64,
    /// The estimated seconds to the end of the stage; null if this run has finished no unit yet.
    seconds_left: Option<f64>,
}

impl<'a> StageDetails<'a> {
    pub(super) fn new(
        (stage, unit): (&'a str, &'a str),
        (done, resumed, total): (u64, u64, u64),
        elapsed: Duration,
    ) -> Self {
        let seconds = elapsed.as_secs_f64();
        let per_second = done.saturating_sub(resumed) as f64 / seconds.max(1e-9);
        let left = total.saturating_sub(done) as f64;
        let seconds_left = (per_second > 0.0).then_some(left / per_second);
        Self { stage, unit, done, resumed, total, seconds, per_second, seconds_left }
    }
}

impl<'a> Event<'a> {
    pub(super) fn new(event: &'a str, details: Details<'a>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = (since.as_secs_f64() * 1e3).round() / 1e3;
        Self { event, time, details, process: std::process::id(), json_version: JSON_VERSION }
    }

    pub(super) fn line(&self) -> String {
        // Serialization of numbers and texts cannot fail.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    pub(super) fn write(&self) {
        let _ = std::io::stderr().write_all(self.line().as_bytes());
    }
}

/// Creates the file at `path`. Replaces an existing file only if it begins like a progress file.
pub(crate) fn progress_file(path: &Path) -> Result<ShownFile, FileError> {
    let start = Event::new("start", Details::Text { text: "" }).line();
    ShownFile::create(path, HEAD, start.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::*;

    fn standing(done: u64) -> Details<'static> {
        let units = (done, 100, 1_000);
        let elapsed = Duration::from_secs(10);
        Details::Stage(StageDetails::new(("self-play", "games"), units, elapsed))
    }

    fn parsed(line: &str) -> Value {
        let mut event: Value = serde_json::from_str(line).unwrap();
        let fields = event.as_object_mut().unwrap();
        assert!(fields.remove("time").unwrap().as_f64().unwrap() > 1.7e9);
        assert_eq!(fields.remove("process").unwrap(), std::process::id());
        assert_eq!(fields.remove("json_version").unwrap(), JSON_VERSION);
        event
    }

    #[test]
    fn an_event_states_how_far_a_stage_is() {
        let line = Event::new("progress", standing(400)).line();
        let expected = json!({
            "event": "progress", "stage": "self-play", "unit": "games", "done": 400,
            "resumed": 100, "total": 1_000, "seconds": 10.0, "per_second": 30.0,
            "seconds_left": 20.0,
        });
        assert_eq!(parsed(&line), expected);
        let begin = parsed(&Event::new("begin", standing(100)).line());
        assert_eq!((&begin["event"], &begin["seconds_left"]), (&json!("begin"), &Value::Null));
    }

    #[test]
    fn a_text_of_several_lines_is_one_line() {
        let line = Event::new("message", Details::Text { text: "a\nb \"c\"" }).line();
        assert_eq!(line.find('\n'), Some(line.len() - 1));
        assert_eq!(parsed(&line), json!({"event": "message", "text": "a\nb \"c\""}));
    }

    #[test]
    fn a_progress_file_holds_the_last_event() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let content = || parsed(&fs::read_to_string(&path).unwrap());
        let file = progress_file(&path).unwrap();
        assert_eq!(content()["event"], "start");
        file.replace(Event::new("progress", standing(400)).line().as_bytes()).unwrap();
        assert_eq!((&content()["event"], &content()["done"]), (&json!("progress"), &json!(400)));
        file.replace(Event::new("exit", Details::Exit { status: 75 }).line().as_bytes()).unwrap();
        assert_eq!(content(), json!({"event": "exit", "status": 75}));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(progress_file(&folder.path().join("none/run.json")).is_err());
    }

    #[test]
    fn a_file_that_holds_no_event_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.games");
        let file = progress_file(&path).unwrap();
        fs::remove_file(&path).unwrap();
        for name in ["a.games", "a.games.partial"] {
            let there = folder.path().join(name);
            fs::write(&there, "data").unwrap();
            assert!(progress_file(&path).is_err());
            file.replace(Event::new("exit", Details::Exit { status: 2 }).line().as_bytes())
                .unwrap_err();
            assert_eq!(fs::read(&there).unwrap(), b"data");
            fs::remove_file(&there).unwrap();
        }
        assert!(progress_file(Path::new("/dev/null")).is_err());
    }
}
