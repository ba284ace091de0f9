//! Tests of readers that go away early, as `head` does: that is not an error.

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

/// A regression: a search for a client that had died went on for hours.
#[cfg(unix)]
#[test]
fn a_server_ends_with_its_client() {
    use std::io::Write as _;
    use std::time::Duration;

    use othello_testing::program::ended_within;

    let folder = folder();
    let mut server = folder.command("gtp --weights mobility --level 30");
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    input.write_all(b"genmove b\n").unwrap();
    std::thread::sleep(Duration::from_millis(500));
    assert!(server.try_wait().unwrap().is_none());
    drop((input, server.stdout.take()));
    let ended = ended_within(&mut server, Duration::from_secs(30));
    assert!(ended.is_some_and(|status| status.success()), "{ended:?}");
}
