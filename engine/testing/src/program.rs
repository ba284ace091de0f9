//! The output and the exit status of a program that a test has run.

use std::process::{Child, Command, ExitStatus, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Returns the text on standard error, without white space at its end.
pub fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
}

/// Returns the JSON object that a command printed on standard output, for any exit status.
pub fn printed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", message(output)))
}

/// Returns the command `$PYTHON -B`, by default `python3 -B`, which stores no compiled files beside
/// the sources; `None` if Python cannot run the statement `imports`.
pub fn python(imports: &str) -> Option<Command> {
    let program = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let probe = Command::new(&program).args(["-c", imports]).output();
    let mut python = Command::new(program);
    python.arg("-B");
    probe.is_ok_and(|output| output.status.success()).then_some(python)
}

/// Waits for a program to end. If it runs for longer than `limit`, kills it and returns `None`.
pub fn ended_within(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let begun = Instant::now();
    loop {
        let status = child.try_wait().expect("its state");
        if status.is_some() {
            return status;
        }
        if begun.elapsed() > limit {
            child.kill().expect("SIGKILL");
            child.wait().expect("its end");
            return None;
        }
        sleep(Duration::from_millis(5));
    }
}
