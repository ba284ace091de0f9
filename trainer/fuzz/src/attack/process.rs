//! Runs commands as processes under limits on time and memory, and detects faults, such as crashes.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::findings::End;
use super::ground::Limits;

/// Returns true for an exit status of a refused command: 2 (correct the input), 75 (try again).
pub(super) fn is_refusal(code: Option<i32>) -> bool {
    matches!(code, Some(2 | 75))
}

const LONGEST_LINE: usize = 10_000;

pub(super) struct Ended {
    /// The exit status; `None` if the command exceeded the limit on time or memory and was killed.
    status: Option<ExitStatus>,
    kibibytes: u64,
    pub(super) output: String,
    pub(super) errors: String,
}

impl Ended {
    pub(super) fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Of two runs of a command that overlap in time, returns the first that finished its work. If
    /// neither did, returns `first`, marked as a hang.
    pub(super) fn done_of(first: Self, second: Self) -> Self {
        let is_done = |ended: &Self| matches!(ended.code(), Some(0 | 1));
        match (is_done(&first), is_done(&second)) {
            (true, _) => first,
            (_, true) => second,
            _ => Self { status: None, ..first },
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        is_refusal(self.code())
    }

    pub(super) fn is_killed(&self) -> bool {
        self.status.is_some_and(|status| status.signal() == Some(9))
    }

    pub(super) fn found_no_memory(&self) -> bool {
        self.errors.contains("memory allocation of")
    }

    pub(super) fn end(&self) -> End {
        if self.code() == Some(0) { End::Done } else { End::Refused }
    }

    /// Describes a fault of the command, if any: that of [`Self::fault`], or control characters,
    /// which a terminal would obey, in stderr or in a stdout that is not JSON.
    pub(super) fn fault_on_input(&self, limits: Limits) -> Option<String> {
        let output = if self.output.starts_with('{') { "" } else { &self.output };
        let is_obeyed = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
        let found = output.contains(is_obeyed) || self.errors.contains(is_obeyed);
        self.fault(limits).or(found.then(|| "prints control characters".to_owned()))
    }

    /// Describes a fault if the disk was full, but the command did not ask the user to free space.
    pub(super) fn no_remedy(&self) -> Option<String> {
        const OUTPUT: &str =
            "free space on the disk and run the same command again: finished work is kept";
        const TEMPORARY: &str = "free space there";
        let last = self.errors.lines().last().unwrap_or_default();
        let is_full = self.is_refused() && last.contains("No space left on device");
        let is_told =
            self.code() == Some(75) && [OUTPUT, TEMPORARY].iter().any(|it| last.contains(it));
        (is_full && !is_told).then(|| format!("no remedy: {last}"))
    }

    pub(super) fn repeats_its_input(&self) -> Option<String> {
        const LONGEST_WORD: usize = 400;
        let word = self.errors.split_whitespace().find(|word| word.len() > LONGEST_WORD)?;
        Some(format!("prints a word of {} bytes", word.len()))
    }

    pub(super) fn fault(&self, limits: Limits) -> Option<String> {
        let last = self.errors.lines().last().unwrap_or_default();
        if let Some(place) = self.errors.lines().find(|line| line.contains("panicked")) {
            return Some(format!("panics: {place}"));
        }
        if let Some(line) = self.errors.lines().find(|line| line.len() > LONGEST_LINE) {
            return Some(format!("prints a line of {} bytes", line.len()));
        }
        if self.kibibytes > limits.mebibytes << 10 {
            return Some(format!("takes {} MiB", self.kibibytes >> 10));
        }
        let Some(status) = self.status else { return Some("hangs".to_owned()) };
        match (status.signal(), status.code()) {
            (Some(signal), _) => Some(format!("ends by signal {signal}: {last}")),
            (_, Some(0 | 1)) => None,
            (_, Some(2 | 75)) if self.errors.contains("error: ") => None,
            (_, Some(2 | 75)) => Some("is refused without a message".to_owned()),
            (_, code) => Some(format!("ends with status {code:?}: {last}")),
        }
    }
}

pub(super) fn run(command: &mut Command, limits: Limits) -> Ended {
    let [mut output, mut errors] =
        [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
    let handle = |file: &File| Stdio::from(file.try_clone().expect("a handle"));
    command.stdout(handle(&output)).stderr(handle(&errors));
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

fn kibibytes_of(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok()).unwrap_or(0)
}

fn text(file: &mut File) -> String {
    let mut bytes = vec![];
    file.rewind().expect("a temporary file");
    // The first megabyte of the output is enough to find faults.
    file.take(1 << 20).read_to_end(&mut bytes).expect("a temporary file");
    String::from_utf8_lossy(&bytes).into_owned()
}
