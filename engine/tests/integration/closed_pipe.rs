//! Tests of readers that close a pipe early, as `head` does, which is not an error.

use std::process::Stdio;

use crate::folder;

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let folder = folder();
    for arguments in ["perft 5", "perft 5 --json", "openings --plies 5"] {
        let mut command = folder.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
    }
}
