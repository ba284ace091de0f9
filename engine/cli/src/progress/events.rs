//! The events of a run, as JSON for schedulers and monitors: a line an event, and a file that holds
//! the last one.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::course::{Listener, Moment, Standing};
use crate::message::{harmless, say, shortened};
use crate::report::JSON_VERSION;
use othello_core::file::{FileError, plain};

/// The beginning of every event.
const HEAD: &[u8] = br#"{"event":""#;

/// An event: a line of `--log json`, or the content of a progress file.
#[derive(Serialize, schemars::JsonSchema, Debug)]
pub(crate) struct Event<'a> {
    /// `begin`, `progress`, `end`, `message`, `warning`, `error` or `exit`.
    event: &'a str,
    /// Seconds since 1970, UTC.
    time: f64,
    #[serde(flatten)]
    details: Details<'a>,
    /// The number of the process.
    process: u32,
    /// The version of the fields.
    json_version: u32,
}

#[derive(Serialize, schemars::JsonSchema, Debug)]
#[serde(untagged)]
pub(crate) enum Details<'a> {
    Stage(StageDetails<'a>),
    Text {
        /// The text of a message, warning or error.
        text: &'a str,
    },
    Exit {
        /// The exit status.
        status: u8,
    },
}

#[derive(Serialize, schemars::JsonSchema, Debug)]
pub(crate) struct StageDetails<'a> {
    /// The stage of the work.
    stage: &'a str,
    /// The units of the work, such as `games`.
    unit: &'a str,
    /// The finished units.
    done: u64,
    /// The units that an earlier run had finished.
    resumed: u64,
    /// The units of the stage.
    total: u64,
    /// The wall time of the stage.
    seconds: f64,
    /// The units a second.
    per_second: f64,
    /// Null where nothing is done yet.
    seconds_left: Option<f64>,
}

impl<'a> Event<'a> {
    fn new(event: &'a str, details: Details<'a>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = (since.as_secs_f64() * 1e3).round() / 1e3;
        Self { event, time, details, process: std::process::id(), json_version: JSON_VERSION }
    }

    fn of_stage(moment: Moment, standing: &Standing<'a>) -> Self {
        let event = match moment {
            Moment::Begin => "begin",
            Moment::Middle => "progress",
            Moment::End => "end",
        };
        let rate = standing.rate();
        let details = StageDetails {
            stage: standing.name,
            unit: standing.unit.plural(),
            done: standing.done,
            resumed: standing.done_before,
            total: standing.total,
            seconds: standing.elapsed.as_secs_f64(),
            per_second: rate,
            seconds_left: (rate > 0.0).then(|| standing.left() as f64 / rate),
        };
        Self::new(event, Details::Stage(details))
    }

    fn line(&self) -> String {
        // A struct of numbers and texts can always be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// A listener that writes every event to standard error, one JSON object a line.
pub(super) struct EventLines;

impl Listener for EventLines {
    fn hear(&self, moment: Moment, standing: &Standing<'_>) {
        write_line(&Event::of_stage(moment, standing));
    }
}

/// Writes a message, or an error, as an event.
pub(crate) fn write_text(event: &str, text: &str) {
    let text = harmless(text);
    write_line(&Event::new(event, Details::Text { text: &shortened(&text) }));
}

/// Writes the end of the process as an event.
pub(crate) fn write_exit(status: u8) {
    write_line(&Event::new("exit", Details::Exit { status }));
}

/// Writes a line in one piece. If nobody reads it any more, the work goes on.
fn write_line(event: &Event<'_>) {
    let _ = std::io::stderr().write_all(event.line().as_bytes());
}

/// A file that holds the last event of a run, for a monitor to read at any time.
pub(crate) struct ProgressFile {
    path: PathBuf,
    failed: AtomicBool,
}

impl ProgressFile {
    /// Creates the file, or takes over that of an earlier run; refuses any other file.
    pub(crate) fn create(path: &Path) -> Result<Self, FileError> {
        let file = Self { path: path.to_owned(), failed: AtomicBool::new(false) };
        file.replace(&Event::new("start", Details::Text { text: "" }))?;
        Ok(file)
    }

    /// Writes how the process ended, if that can be written.
    pub(crate) fn write_exit(path: &Path, status: u8) {
        let file = Self { path: path.to_owned(), failed: AtomicBool::new(false) };
        let _ = file.replace(&Event::new("exit", Details::Exit { status }));
    }

    /// Writes an event. A file that cannot be written does not end the work: it is told once.
    fn write(&self, event: &Event<'_>) {
        if let Err(error) = self.replace(event)
            && !self.failed.swap(true, Ordering::Relaxed)
        {
            say(&format!("the progress is not written: {error}"));
        }
    }

    /// Replaces the file in one step: whoever reads it finds a whole event. A file that holds no
    /// event is somebody's data, and stays.
    fn replace(&self, event: &Event<'_>) -> Result<(), FileError> {
        plain::check_head(&self.path, HEAD)?;
        plain::replace(&self.path, event.line().as_bytes())
    }
}

impl Listener for ProgressFile {
    fn hear(&self, moment: Moment, standing: &Standing<'_>) {
        self.write(&Event::of_stage(moment, standing));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::super::unit::Unit;
    use super::*;

    fn standing(unit: &Unit, done: u64) -> Standing<'_> {
        let elapsed = Duration::from_secs(10);
        Standing { name: "self-play", unit, done, done_before: 100, total: 1_000, elapsed }
    }

    /// The event without what differs from run to run.
    fn parsed(line: &str) -> Value {
        let mut event: Value = serde_json::from_str(line).unwrap();
        let fields = event.as_object_mut().unwrap();
        assert!(fields.remove("time").unwrap().as_f64().unwrap() > 1.7e9);
        assert_eq!(fields.remove("process").unwrap(), std::process::id());
        assert_eq!(fields.remove("json_version").unwrap(), JSON_VERSION);
        event
    }

    #[test]
    fn an_event_tells_how_far_a_stage_is() {
        let (_, unit) = Unit::of("self-play (games)");
        let line = Event::of_stage(Moment::Middle, &standing(&unit, 400)).line();
        let expected = json!({
            "event": "progress", "stage": "self-play", "unit": "games", "done": 400,
            "resumed": 100, "total": 1_000, "seconds": 10.0, "per_second": 30.0,
            "seconds_left": 20.0,
        });
        assert_eq!(parsed(&line), expected);
        let begin = parsed(&Event::of_stage(Moment::Begin, &standing(&unit, 100)).line());
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
        let file = ProgressFile::create(&path).unwrap();
        assert_eq!(content()["event"], "start");
        let (_, unit) = Unit::of("self-play (games)");
        file.hear(Moment::Middle, &standing(&unit, 400));
        assert_eq!((&content()["event"], &content()["done"]), (&json!("progress"), &json!(400)));
        ProgressFile::write_exit(&path, 75);
        assert_eq!(content(), json!({"event": "exit", "status": 75}));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(ProgressFile::create(&folder.path().join("none/run.json")).is_err());
    }

    /// Data that were named by mistake were replaced by an event, and their partial file by none.
    #[test]
    fn a_file_that_holds_no_event_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.games");
        for name in ["a.games", "a.games.partial"] {
            let there = folder.path().join(name);
            fs::write(&there, "data").unwrap();
            assert!(ProgressFile::create(&path).is_err());
            ProgressFile::write_exit(&path, 2);
            assert_eq!(fs::read(&there).unwrap(), b"data");
            fs::remove_file(&there).unwrap();
        }
        assert!(ProgressFile::create(Path::new("/dev/null")).is_err());
    }
}
