//! Runs external programs, which answer line by line, and may end, hang or print without end.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use othello_engine::text::quoted_reason;

/// The ways in which a player loses a game before its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Misconduct {
    #[error("cannot be started: {0}")]
    NotStarted(String),
    #[error("ended before it sent {expected}{}", quoted(said))]
    Ended { expected: &'static str, said: String },
    #[error("did not send {expected} within {seconds} s")]
    Silent { expected: &'static str, seconds: u64 },
    #[error("used up its {seconds} s for the game")]
    OutOfTime { seconds: u64 },
    #[error("sent more than {MAX_BYTES} bytes without {expected}")]
    Flood { expected: &'static str },
    #[error("refused `{command}`: {answer}")]
    Refused { command: String, answer: String },
    /// The player resigned. The game is lost as by misconduct, but does not count as forfeited.
    #[error("{RESIGNED}")]
    Resigned,
    #[error("played `{answer}`, which is not legal")]
    Illegal { answer: String },
}

/// The reason that a match file states if a player resigned.
pub(super) const RESIGNED: &str = "resigned";

fn quoted(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!("; its last message is `{said}`") }
}

const MAX_BYTES: usize = 1 << 20;
/// The longest wait for an ended program's stderr to close: its child processes may keep it open.
const LAST_WORDS: Duration = Duration::from_millis(500);
const MAX_LINE_BYTES: u64 = 1 << 12;
const MOST_LINES_AHEAD: usize = 256;

/// A running external program. Dropping this value kills the program and all its child processes.
/// If our process ends first, a guard process kills them; on Windows, a job object does.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    time: Duration,
    /// Receives the [`last_line`] of the program's stderr when stderr is closed.
    last_words: Receiver<String>,
    #[cfg(unix)]
    guard: Guard,
    #[cfg(windows)]
    _job: super::job::Job,
}

impl Process {
    pub(super) fn start(command: &str, time: Duration) -> Result<Self, Misconduct> {
        let failed = |error: io::Error| Misconduct::NotStarted(error.to_string());
        let mut shell = shell(command);
        // The guard starts before the program, because our process may be killed at any moment.
        #[cfg(unix)]
        let mut guard = Guard::of(&mut shell).map_err(failed)?;
        let mut child = shell
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let pipes = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
        let ((input, output), errors) =
            pipes.ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
        let (sender, lines) = sync_channel(MOST_LINES_AHEAD);
        let (last_sender, last_words) = sync_channel(1);
        let listener = || std::thread::Builder::new().name("engine".to_owned());
        #[cfg(unix)]
        guard.watch_group(&child);
        #[cfg(windows)]
        let job = super::job::Job::of(&child).map_err(failed)?;
        let process = Self {
            child,
            input,
            lines,
            time,
            last_words,
            #[cfg(unix)]
            guard,
            #[cfg(windows)]
            _job: job,
        };
        listener().spawn(move || listen(output, &sender)).map_err(failed)?;
        let keep = move || drop(last_sender.send(last_line(errors)));
        listener().spawn(keep).map_err(failed)?;
        Ok(process)
    }

    /// Sends a line. Ignores an error, since a program that has ended will not answer either.
    pub(super) fn say(&mut self, line: &str) {
        let written = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        drop(written);
    }

    pub(super) fn hear<T>(
        &mut self,
        expected: &'static str,
        mut pick: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Misconduct> {
        let deadline = Instant::now() + self.time;
        let mut bytes = 0;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    Misconduct::Silent { expected, seconds: self.time.as_secs() }
                }
                RecvTimeoutError::Disconnected => {
                    let said = self.last_words.recv_timeout(LAST_WORDS).unwrap_or_default();
                    Misconduct::Ended { expected, said }
                }
            })?;
            if let Some(picked) = pick(line.trim()) {
                return Ok(picked);
            }
            bytes += line.len();
            if bytes > MAX_BYTES {
                return Err(Misconduct::Flood { expected });
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            let group = rustix::process::Pid::from_child(&self.child);
            // The error is ignored: the process group may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            self.guard.kill_marked();
            let _ = self.guard.process.kill();
            let _ = self.guard.process.wait();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A helper process that kills an external program and its child processes when our process ends.
/// Otherwise they may survive: an interrupt from the terminal does not reach their process group,
/// and a program that hangs does not notice the end of its input.
#[cfg(unix)]
#[derive(Debug)]
struct Guard {
    process: Child,
    /// A unique `NAME=VALUE` in the program's environment, by which its descendants are found.
    mark: String,
}

#[cfg(unix)]
impl Guard {
    /// The guard's shell script. It reads the id of the external program's process group, waits
    /// until our process has ended, and kills the group. Then it kills all processes with the mark
    /// `$0` in their environment, until 3 searches in a row find none, since one search may miss a
    /// process that has just begun.
    const SCRIPT: &str = "read -r group; read -r nothing; kill -s KILL -- \"-$group\"
        quiet=0
        while [ $quiet -lt 3 ]; do
            quiet=$((quiet + 1))
            for process in /proc/[0-9]*; do
                if grep -qzFx -- \"$0\" \"$process/environ\"; then
                    kill -s KILL \"${process#/proc/}\" && quiet=0
                fi
            done
            sleep 0.1
        done";

    fn of(program: &mut Command) -> io::Result<Self> {
        use std::os::unix::process::CommandExt as _;
        use std::sync::atomic::{AtomicU64, Ordering};
        const VARIABLE: &str = "OTHELLO_MATCH_PLAYER";
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let value = format!("{process}-{number}-{}", since.as_nanos());
        let mark = format!("{VARIABLE}={value}");
        program.env(VARIABLE, value);
        let process = Command::new("sh")
            .args(["-c", Self::SCRIPT, &mark])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { process, mark })
    }

    fn watch_group(&mut self, program: &Child) {
        if let Some(pipe) = &mut self.process.stdin {
            // Writing fails if the guard has ended. Then only dropping `Process` kills the program.
            drop(writeln!(pipe, "{}", program.id()));
        }
    }

    /// Kills all processes with `self.mark` in their environment, again and again, since they may
    /// start others, until none is left or 5 s have passed. Does nothing without `/proc`.
    fn kill_marked(&self) {
        const LONGEST: Duration = Duration::from_secs(5);
        const BETWEEN_ROUNDS: Duration = Duration::from_millis(1);
        let deadline = Instant::now() + LONGEST;
        while Instant::now() < deadline {
            let mut found = false;
            for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
                let name = entry.file_name();
                let number = name.to_str().and_then(|name| name.parse().ok());
                let Some(process) = number.and_then(rustix::process::Pid::from_raw) else {
                    continue;
                };
                // The environments of other users' processes and of ended processes cannot be read.
                let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
                if environment.split(|&byte| byte == 0).any(|one| one == self.mark.as_bytes()) {
                    found = true;
                    let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
                }
            }
            if !found {
                return;
            }
            std::thread::sleep(BETWEEN_ROUNDS);
        }
    }
}

fn shell(command: &str) -> Command {
    let (name, flag) = if cfg!(unix) { ("sh", "-c") } else { ("cmd", "/C") };
    let mut shell = Command::new(name);
    shell.args([flag, command]);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    shell
}

fn listen(output: ChildStdout, lines: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    let mut line = vec![];
    loop {
        line.clear();
        match output.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(1..) if lines.send(String::from_utf8_lossy(&line).into_owned()).is_ok() => {}
            _ => return,
        }
    }
}

/// Returns the last line of `errors` that begins with `error` or, without one, the last line that
/// is not blank. Shortens long lines.
fn last_line(errors: impl Read) -> String {
    let (mut errors, mut line) = (BufReader::new(errors), vec![]);
    let (mut last, mut is_error) = (String::new(), false);
    while let Ok(1..) = errors.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
        let text = String::from_utf8_lossy(&line);
        let begins = text.trim_start().to_ascii_lowercase().starts_with("error");
        if !text.trim().is_empty() && (begins || !is_error) {
            (last, is_error) = (quoted_reason(&text.trim()), is_error || begins);
        }
        line.clear();
    }
    last
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(10);

    #[test]
    fn a_program_is_heard_until_it_says_what_is_expected() {
        let mut cat = Process::start("cat", SOON).unwrap();
        for word in ["one", "two", "three"] {
            cat.say(word);
        }
        let length = |line: &str| (line.len() == 5).then_some(line.to_owned());
        assert_eq!(cat.hear("three", length).unwrap(), "three");
    }

    #[test]
    fn a_program_that_ends_hangs_or_floods_is_found_out() {
        let expected = "ready";
        let heard = |command: &str, time| {
            let never = |line: &str| (line == "ready").then_some(());
            Process::start(command, time).unwrap().hear(expected, never).unwrap_err()
        };
        let ended = |said: &str| Misconduct::Ended { expected, said: said.to_owned() };
        assert_eq!(heard("exit 3", SOON), ended(""));
        assert_eq!(heard("yes", SOON), Misconduct::Flood { expected });
        assert_eq!(heard("tr '\\0' x < /dev/zero", SOON), Misconduct::Flood { expected });
        // The messages for a missing program and for one that lacks an option must differ.
        let missing = heard("no-such-program", SOON).to_string();
        assert!(
            missing.contains("; its last message is `") && missing.contains("not found"),
            "{missing}"
        );
        let option = "printf 'error: unexpected argument --lvel\\n\\nUsage: engine\\n' >&2; exit 2";
        assert_eq!(heard(option, SOON), ended("error: unexpected argument --lvel"));
        let silent = heard("sleep 1000; true", Duration::from_millis(50));
        assert_eq!(silent, Misconduct::Silent { expected, seconds: 0 });
    }
}
