//! A reader that goes away early, as `head` does, is no error.

use std::process::{Command, Stdio};

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    for arguments in [&["perft", "5"][..], &["perft", "5", "--json"], &["openings", "--plies", "5"]]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_othello-engine"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
    }
}
