//! The messages of a program.

use std::process::Output;

/// Returns the text of standard error, without the end of its last line.
pub fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
}
