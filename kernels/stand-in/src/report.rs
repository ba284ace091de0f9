//! Writes a report when the process ends: the calls of entry points, and unreleased resources.

use std::fs;

use serde_json::json;

use crate::device::{DEVICE, State};
use crate::settings::SETTINGS;

pub(crate) fn write_at_exit() {
    if SETTINGS.report.is_some() {
        // SAFETY: the function has no arguments, and does not unwind.
        unsafe { libc::atexit(write) };
    }
}

extern "C" fn write() {
    let state = DEVICE.lock();
    if let Some(path) = &SETTINGS.report
        && let Err(error) = fs::write(path, report(&state).to_string())
    {
        eprintln!("stand-in: {}: {error}", path.display());
    }
}

fn report(state: &State) -> serde_json::Value {
    let (device, pinned) = state.memory.counts();
    let undone: u64 = state.streams.values().map(|stream| stream.asked - stream.done).sum();
    let live = state.streams.values().filter(|stream| !stream.destroyed).count();
    json!({
        "calls": state.calls,
        "lost": state.lost,
        "unordered": state.unordered,
        "needed_waits": state.needed_waits,
        "undone": undone,
        "left": {
            "bytes": state.memory.used,
            "device": device,
            "pinned": pinned,
            "streams": live,
            "events": state.events.len(),
            "modules": state.modules.len(),
            "contexts": state.retained,
        },
    })
}
