//! Processes within limits, and the faults of their ends.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The limits of a run.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) seconds: u64,
    pub(crate) mebibytes: u64,
}

/// Returns true if an exit status means that nothing was done.
pub(crate) fn is_refusal(code: Option<i32>) -> bool {
    matches!(code, Some(2 | 75))
}

/// The longest line that a message may have.
const LONGEST_LINE: usize = 10_000;

/// The end of a run.
pub(crate) struct Ended {
    /// The exit status; `None` if the command took too long and was killed.
    status: Option<ExitStatus>,
    kibibytes: u64,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Ended {
    /// Returns the exit status, if the command ended by itself.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Returns true if the run ended with a message: to mend something, or to try again.
    pub(crate) fn is_refused(&self) -> bool {
        is_refusal(self.code())
    }

    pub(crate) fn took_too_long(&self) -> bool {
        self.status.is_none()
    }

    /// Returns a complaint if the output has control characters, which may come from anybody's
    /// files. JSON is for programs and may have them.
    pub(crate) fn misspoken(&self) -> Option<String> {
        let output = if self.output.starts_with('{') { "" } else { &self.output };
        let is_obeyed = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
        let found = output.contains(is_obeyed) || self.errors.contains(is_obeyed);
        found.then(|| "says what a terminal obeys".to_owned())
    }

    /// A message that repeats an argument of 100 kB, or much of it.
    pub(crate) fn repeats_its_input(&self) -> Option<String> {
        const LONGEST_WORD: usize = 400;
        let word = self.errors.split_whitespace().find(|word| word.len() > LONGEST_WORD)?;
        Some(format!("says a word of {} bytes", word.len()))
    }

    /// Returns the fault of a run that no input excuses, if there is one; time is checked
    /// elsewhere.
    pub(crate) fn fault(&self, limits: Limits) -> Option<String> {
        let last = self.errors.lines().last().unwrap_or_default();
        if let Some(place) = self.errors.lines().find(|line| line.contains("panicked")) {
            return Some(format!("panics: {place}"));
        }
        if let Some(line) = self.errors.lines().find(|line| line.len() > LONGEST_LINE) {
            return Some(format!("says a line of {} bytes", line.len()));
        }
        if self.kibibytes > limits.mebibytes << 10 {
            return Some(format!("takes {} MiB", self.kibibytes >> 10));
        }
        let status = self.status?;
        match (status.signal(), status.code()) {
            (Some(signal), _) => Some(format!("ends by signal {signal}: {last}")),
            (_, Some(0 | 1)) => None,
            (_, Some(2 | 75)) if self.errors.contains("error: ") => None,
            (_, Some(2 | 75)) => Some("is refused without a word".to_owned()),
            (_, code) => Some(format!("ends with status {code:?}: {last}")),
        }
    }
}

/// Returns whether a command ended because it got no memory: the allocator prints a message, and a
/// signal ends the process.
pub(crate) fn found_no_memory(ended: &Ended) -> bool {
    ended.errors.contains("memory allocation of")
}

/// Runs a command, and kills it if it exceeds the limits.
pub(crate) fn run(command: &mut Command, limits: Limits) -> Ended {
    let [mut output, mut errors] =
        [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
    let handle = |file: &File| Stdio::from(file.try_clone().expect("a handle"));
    command.stdin(Stdio::null()).stdout(handle(&output)).stderr(handle(&errors));
    let mut child = command.spawn().expect("the binary runs");
    let (status, kibibytes) = watch(&mut child, limits);
    Ended { status, kibibytes, output: text(&mut output), errors: text(&mut errors) }
}

fn watch(child: &mut Child, limits: Limits) -> (Option<ExitStatus>, u64) {
    let (begun, mut most) = (Instant::now(), 0);
    loop {
        if let Some(status) = child.try_wait().expect("its state") {
            return (Some(status), most);
        }
        most = most.max(kibibytes_of(child));
        if begun.elapsed().as_secs() >= limits.seconds || most > limits.mebibytes << 10 {
            child.kill().expect("SIGKILL");
            child.wait().expect("its end");
            return (None, most);
        }
        sleep(Duration::from_millis(if begun.elapsed().as_millis() < 50 { 1 } else { 10 }));
    }
}

/// Returns the greatest memory of a process so far.
fn kibibytes_of(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok()).unwrap_or(0)
}

fn text(file: &mut File) -> String {
    let mut bytes = vec![];
    file.rewind().expect("a temporary file");
    // A megabyte is enough.
    file.take(1 << 20).read_to_end(&mut bytes).expect("a temporary file");
    String::from_utf8_lossy(&bytes).into_owned()
}
