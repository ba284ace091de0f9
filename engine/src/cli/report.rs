//! Results on standard output: one JSON object, or a short summary for people.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

use anyhow::Context as _;
use serde::Serialize;
use serde_json::{Map, Value};

use super::message::harmless;

/// What a subcommand found: the fields of its JSON object, and by `Display` its summary.
pub trait Report: Serialize + Display {}

impl<T: Serialize + Display> Report for T {}

/// The version of the fields of JSON that the commands print, as `datasets/json.md` describes them. Fields may be
/// added within a version; none is taken away or changes its meaning.
pub const JSON_VERSION: u32 = 1;

/// A report, and how much of the work of each stage an earlier run had finished.
#[derive(Serialize)]
struct WithResumed<'a, R: Report> {
    #[serde(flatten)]
    report: &'a R,
    #[serde(skip_serializing_if = "Map::is_empty")]
    resumed: &'a Map<String, Value>,
    json_version: u32,
}

/// Prints a report; its JSON object gets its version, and a field `resumed` where there is something in it.
pub(super) fn print(
    report: &impl Report,
    resumed: &Map<String, Value>,
    json: bool,
) -> anyhow::Result<()> {
    to_standard_output(|out| {
        if json {
            serde_json::to_writer(
                &mut *out,
                &WithResumed { report, resumed, json_version: JSON_VERSION },
            )?;
            writeln!(out)
        } else {
            let summary = report.to_string();
            writeln!(out, "{}", harmless(summary.trim_end()))
        }
    })
}

/// Buffered writing to standard output. A reader that closed its end (`… | head`) has had what it
/// wanted: that is no error.
pub fn to_standard_output(
    write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    // What is left in the buffer after an error must not be tried again.
    let _ = out.into_parts();
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}
