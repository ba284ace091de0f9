//! The results on standard output: one JSON object, or a short summary for people.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

use anyhow::Context as _;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::message::harmless;

/// The result of a subcommand, printed as a JSON object, or as the summary that `Display` writes.
pub trait Report: Serialize + JsonSchema + Display {}

impl<T: Serialize + JsonSchema + Display> Report for T {}

/// The version of the printed JSON. Fields may be added without a new version, but never redefined.
pub const JSON_VERSION: u32 = 1;

#[derive(Serialize)]
struct WithResumed<'a, R: Report> {
    #[serde(flatten)]
    report: &'a R,
    #[serde(skip_serializing_if = "Map::is_empty")]
    resumed: &'a Map<String, Value>,
    json_version: u32,
}

pub(crate) fn text(
    report: &impl Report,
    resumed: &Map<String, Value>,
    json: bool,
) -> anyhow::Result<String> {
    let text = match json {
        true => {
            let report = WithResumed { report, resumed, json_version: JSON_VERSION };
            serde_json::to_string(&report).context("cannot write the report")?
        }
        false => harmless(report.to_string().trim_end()).into_owned(),
    };
    Ok(text + "\n")
}

/// Calls `write` with standard output. Ignores the error if the reader closes the pipe (`| head`).
pub fn to_standard_output(
    write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    // Dropping `out` would write the rest of the buffer, which must not happen after an error.
    let _ = out.into_parts();
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}
