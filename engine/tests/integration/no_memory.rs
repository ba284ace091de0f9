use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use othello_cli::session;
use othello_testing::program::ended_within;
use rustix::process::{Resource, Rlimit, setrlimit};

const CHILD: &str = "OTHELLO_TEST_WITHOUT_MEMORY";

#[test]
#[ignore = "a process for the other test"]
fn process_without_memory() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    session::main(|| {
        thread::spawn(|| {
            take_all_memory();
            panic!("{} words", "that need memory ".len());
        });
        loop {
            thread::park();
        }
    });
}

fn take_all_memory() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::As, none).unwrap();
    for bytes in [1 << 20, 1 << 12, 1 << 6, 1] {
        let mut all: Vec<u8> = vec![];
        while all.try_reserve_exact(bytes).is_ok() {
            std::mem::forget(std::mem::take(&mut all));
        }
    }
}

/// Formerly, the process hung: the panic message held a lock that the allocation error needed.
#[test]
fn a_panic_without_memory_ends_the_process() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["no_memory::process_without_memory", "--exact", "--ignored", "--nocapture"]);
    child.env(CHILD, "yes").env_remove("RUST_BACKTRACE");
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = ended_within(&mut child, Duration::from_secs(60)).expect("it hangs");
    // Either the panic hook ends the process, or the allocator does, by a signal.
    assert!(status.code() == Some(101) || status.signal() == Some(6), "{status}");
}
