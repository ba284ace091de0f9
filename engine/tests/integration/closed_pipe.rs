//! Tests of readers that go away early, as `head` does: that is no error.

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

/// A regression: a search for a client that had died went on for hours.
#[cfg(unix)]
#[test]
fn a_server_ends_with_its_client() {
    use std::io::Write as _;
    use std::time::{Duration, Instant};

    let mut server = Command::new(env!("CARGO_BIN_EXE_othello-engine"))
        .args(["gtp", "--weights", "mobility", "--level", "30"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = server.stdin.take().expect("a pipe");
    input.write_all(b"genmove b\n").expect("it listens");
    std::thread::sleep(Duration::from_millis(500));
    assert!(server.try_wait().expect("its state").is_none());
    drop((input, server.stdout.take()));
    let deadline = Instant::now() + Duration::from_secs(30);
    while server.try_wait().expect("its state").is_none() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let ended = server.try_wait().expect("its state");
    server.kill().expect("SIGKILL");
    assert!(ended.is_some_and(|status| status.success()), "{ended:?}");
}
