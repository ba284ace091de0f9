//! Runs a script on a disk that is small or read-only, in a separate mount namespace.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::message;

/// A test on a small disk: a shell script, which runs a program as `$PROGRAM`.
pub struct Scenario<'a> {
    /// The path of the program, which the script calls as `$PROGRAM`.
    pub program: &'a Path,
    /// The shell script. It starts in the root of the mounted disk. The folder `..` is not on this
    /// disk: files that the script writes there remain after the test.
    pub script: &'a str,
    /// The initial size of the disk in kilobytes.
    pub kilobytes: u32,
}

impl Scenario<'_> {
    /// Mounts the disk in `folder` and runs the script. Returns false if the system does not allow
    /// mounts. In the script, `room` enlarges the disk; `read_only` and `writable` remount it.
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
            let Ok(output) = command.output() else { continue };
            let message = message(&output);
            if !message.contains("unshare failed") && output.status.code() != Some(99) {
                assert!(output.status.success(), "{message}");
                return true;
            }
        }
        false
    }
}

/// Returns the text that the script of a [`Scenario`], run in `folder`, wrote to `../name`.
pub fn left(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("what the script left").trim_end().to_owned()
}
