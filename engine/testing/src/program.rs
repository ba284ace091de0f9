//! What a program said.

use std::process::Output;

/// The text of standard error.
pub fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
