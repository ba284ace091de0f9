//! A folder in which a test runs a program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::program::{message, printed};

/// A temporary folder, deleted when dropped, in which a test runs one program. Methods take all the
/// program's arguments as one text, split at blanks. File names are relative to the folder.
pub struct Folder {
    folder: tempfile::TempDir,
    program: &'static str,
    units_per_part: Option<u64>,
}

impl Folder {
    /// Creates a temporary folder for runs of the program at the path `program`.
    pub fn of(program: &'static str) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), program, units_per_part: None }
    }

    /// Sets how many units of work, such as games, the program stores in each file of an unfinished
    /// run (a part), in place of the program's default.
    #[must_use]
    pub fn in_parts(self, units: u64) -> Self {
        Self { units_per_part: Some(units), ..self }
    }

    /// Returns the path of the folder.
    pub fn at(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of the file `name` in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.at().join(name)
    }

    /// Reads the file `name` in the folder.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect(name)
    }

    /// Reads the text file `name` in the folder.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect(name)
    }

    /// Writes the file `name` in the folder.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect(name);
    }

    /// Returns a command that runs the program with the folder as working directory.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(self.program);
        command.args(arguments.split_whitespace()).current_dir(self.at());
        if let Some(units) = self.units_per_part {
            command.env("OTHELLO_PART_UNITS", units.to_string());
        }
        command
    }

    /// Returns a command that runs the program with `limits` of `ulimit`, such as `-s 128`.
    pub fn limited(&self, limits: &str, arguments: &str) -> Command {
        let mut command = Command::new("sh");
        let script = format!("ulimit {limits} && exec \"$PROGRAM\" {arguments}");
        command.args(["-c", &script]).env("PROGRAM", self.program).current_dir(self.at());
        command
    }

    /// Starts the program, and waits until its output file `file` has at least `bytes` bytes.
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

    /// Runs the program and returns its output. Kills the program after two minutes.
    pub fn run(&self, arguments: &str) -> Output {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        command.timeout(Duration::from_secs(120)).output().expect("the program runs")
    }

    /// Runs the program with these arguments and returns its output. Panics unless it succeeds.
    pub fn runs(&self, arguments: &str) -> Output {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", message(&output));
        output
    }

    /// Runs the program and returns its standard output. Panics unless it succeeds.
    pub fn said(&self, arguments: &str) -> String {
        String::from_utf8(self.runs(arguments).stdout).expect("text")
    }

    /// Runs the program with `lines` as input and returns its output. Panics unless it succeeds.
    pub fn answers(&self, arguments: &str, lines: &str) -> String {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        let output = command.write_stdin(lines).output().expect("the program runs");
        assert!(output.status.success(), "{arguments}: {}", message(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs the program with `--json` and returns its JSON object. Panics unless it succeeds.
    pub fn json(&self, arguments: &str) -> Value {
        printed(&self.runs(&format!("{arguments} --json")))
    }

    /// Runs the program, which must refuse the arguments (exit status 2). Returns its message.
    pub fn refusal(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", message(&output));
        message(&output)
    }

    /// Checks that the program refuses these arguments with a message that contains `expected`.
    pub fn refuses(&self, arguments: &str, expected: &str) {
        let said = self.refusal(arguments);
        assert!(said.contains(expected), "{arguments}: {said}");
    }
}
