//! A disk that is small or read-only, in its own mount namespace.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The commands of a test, as a shell script; `$PROGRAM` is the program.
pub struct Scenario<'a> {
    /// The binary.
    pub program: &'a Path,
    /// The script, which runs on the disk in the folder `disk`. Files that it puts into `..` are
    /// kept.
    pub script: &'a str,
    /// The initial size of the disk in kilobytes.
    pub kilobytes: u32,
}

impl Scenario<'_> {
    /// Runs the script in `folder`; returns false if no disk can be mounted here. In the script,
    /// `room` enlarges the disk, and `read_only` and `writable` change its mode.
    pub fn run(&self, folder: &Path) -> bool {
        fs::create_dir(folder.join("disk")).expect("a folder");
        let mount = format!("mount -t tmpfs -o size={}k none disk", self.kilobytes);
        let script = format!(
            "set -u; {mount} && cd disk || exit 99
             remount() {{ cd ..; mount -o \"remount,$1\" disk || exit 99; cd disk; }}
             room() {{ remount size=64m; }}
             read_only() {{ remount ro; }}
             writable() {{ remount rw; }}
             {}",
            self.script
        );
        for private in [&["--mount"][..], &["--user", "--map-root-user", "--mount"]] {
            let mut command = Command::new("unshare");
            command.args(private).args(["sh", "-c", &script]);
            command.current_dir(folder).env("PROGRAM", self.program);
            let output = command.output();
            if let Ok(output) = output
                && !String::from_utf8_lossy(&output.stderr).contains("unshare failed")
                && output.status.code() != Some(99)
            {
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{message}");
                return true;
            }
        }
        false
    }
}

/// Reads a file that the script of the test has written into `folder`.
pub fn left(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("what the script left").trim_end().to_owned()
}
