//! What a program said.

use std::process::Output;

/// The text of standard error, without the end of its last line.
pub fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
}
