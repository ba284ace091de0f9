//! Reports skipped tests, one on a line, in the file `$OTHELLO_SKIPPED`, which `.ci/run` prints.

use std::fs::OpenOptions;
use std::io::Write as _;

/// Ends a test that cannot run on this machine, and reports the reason: `skip!("no Python")`.
#[macro_export]
macro_rules! skip {
    ($($reason:tt)*) => {
        return $crate::skipped::note(module_path!(), &format!($($reason)*))
    };
}

/// Reports a skipped test on standard error, even if the test runner captures the output, and in
/// the file `$OTHELLO_SKIPPED`, if this variable is set.
pub fn note(module: &str, reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().filter(|&name| name != "main").unwrap_or(module);
    let line = format!("skipped: {test}: {reason}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("OTHELLO_SKIPPED") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.expect("$OTHELLO_SKIPPED names a file that can be written");
    }
}
