//! A folder in which a test runs a program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::program::{message, printed};

/// A folder of a test, deleted with it, in which one program runs. Arguments are given as one text
/// and split at blanks; file names are relative to the folder.
pub struct Folder {
    folder: tempfile::TempDir,
    program: &'static str,
    units_per_part: Option<u64>,
}

impl Folder {
    /// Creates a folder for the program at a path.
    pub fn of(program: &'static str) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), program, units_per_part: None }
    }

    /// Sets the number of units in a part of a run. A part of the usual size would contain all the
    /// work of a test.
    #[must_use]
    pub fn in_parts(self, units: u64) -> Self {
        Self { units_per_part: Some(units), ..self }
    }

    /// Returns the path of the folder.
    pub fn at(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.at().join(name)
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect(name)
    }

    /// Reads a file of text.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect(name);
    }

    /// Returns a command with these arguments.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(self.program);
        command.args(arguments.split_whitespace()).current_dir(self.at());
        if let Some(units) = self.units_per_part {
            command.env("OTHELLO_PART_UNITS", units.to_string());
        }
        command
    }

    /// Returns a command that runs under limits of the shell's `ulimit`, such as `-s 128`.
    pub fn limited(&self, limits: &str, arguments: &str) -> Command {
        let mut command = Command::new("sh");
        let script = format!("ulimit {limits} && exec \"$PROGRAM\" {arguments}");
        command.args(["-c", &script]).env("PROGRAM", self.program).current_dir(self.at());
        command
    }

    /// Starts a command, and waits until the file `file`, which the command is writing, has at
    /// least `bytes` bytes.
    pub fn started(&self, arguments: &str, file: &str, bytes: u64) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        while fs::metadata(self.path(file)).map_or(0, |file| file.len()) < bytes {
            let ended = child.try_wait().expect("its state");
            assert_eq!(ended, None, "it ended before it could be stopped");
            sleep(Duration::from_millis(1));
        }
        child
    }

    /// Runs a command. Fails if it runs for more than two minutes, because some commands under test
    /// would take hours if they were not refused.
    pub fn run(&self, arguments: &str) -> Output {
        self.run_within(Duration::from_secs(120), arguments)
    }

    /// Runs a command, and kills it if it runs for longer than `limit`.
    pub fn run_within(&self, limit: Duration, arguments: &str) -> Output {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        command.timeout(limit).output().expect("the program runs")
    }

    /// Runs a command that must succeed.
    pub fn runs(&self, arguments: &str) {
        self.said(arguments);
    }

    /// Returns the standard output of a command that must succeed.
    pub fn said(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", message(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Passes `lines` to a command as its input, and returns its output. The command must succeed.
    pub fn answers(&self, arguments: &str, lines: &str) -> String {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        let output = command.write_stdin(lines).output().expect("the program runs");
        assert!(output.status.success(), "{arguments}: {}", message(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Returns the JSON object of a command that must succeed.
    pub fn json(&self, arguments: &str) -> Value {
        let output = self.run(&format!("{arguments} --json"));
        assert!(output.status.success(), "{arguments}: {}", message(&output));
        printed(&output)
    }

    /// Returns the message of a command that must be refused.
    pub fn refusal(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", message(&output));
        message(&output)
    }

    /// Checks that a command is refused with a message that contains `expected`.
    pub fn refuses(&self, arguments: &str, expected: &str) {
        let said = self.refusal(arguments);
        assert!(said.contains(expected), "{arguments}: {said}");
    }
}
