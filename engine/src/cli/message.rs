//! Lines on standard error.

use std::io::Write as _;

/// Writes a line to standard error. Where nobody reads it any more, that is no reason to stop.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
