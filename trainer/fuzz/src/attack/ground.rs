//! The material of attacks: programs, undamaged files of each kind, and lists of commands.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use othello_testing::guides::{inputs, repository};

use super::disturbed::{self, Undisturbed};
use super::findings::Findings;
use crate::mutation::Draws;

/// A command line as a text. In it, the word `@name` means the undamaged file `name`.
pub(super) type Words = &'static str;

/// The limits on the time and the memory of each run of a command.
#[derive(clap::Args, Clone, Copy)]
pub struct Limits {
    /// Seconds after which a command counts as hanging
    #[arg(long, default_value_t = 60)]
    pub seconds: u64,
    /// Mebibytes of memory that no command may exceed
    #[arg(long, default_value_t = 1024)]
    pub mebibytes: u64,
}

#[derive(Clone)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The command or other source that makes an undamaged file of this kind, in a form that the
    /// head of `kinds.txt` describes. `None` if making another kind, such as a folder, also makes
    /// this file.
    how: Option<&'static str>,
    /// The commands that read a file of this kind. In them, `@x` is the path of the file.
    pub(super) readers: Vec<Words>,
}

pub(super) fn kinds() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = vec![];
    let lines = include_str!("kinds.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix("    ") {
            Some(reader) => kinds.last_mut().expect("a kind").readers.push(reader),
            None => {
                let (name, how) =
                    line.split_once(" = ").map_or((line, None), |(n, h)| (n, Some(h)));
                kinds.push(Kind { name, how, readers: vec![] });
            }
        }
    }
    kinds
}

/// The number, from 0, of the paragraph of `commands.txt` with the commands that write no file.
pub(super) const OTHER_READERS: usize = 2;
pub(super) const WORDED: usize = 3;
pub(super) const NAMED: usize = 4;
pub(super) const NEARBY: usize = 5;

pub(super) fn listed(paragraph: usize) -> impl Iterator<Item = Words> {
    include_str!("commands.txt").split("\n\n").skip(paragraph).take(1).flat_map(str::lines)
}

/// Returns each command that writes files, and true if its files and report never vary.
pub(super) fn writers() -> impl Iterator<Item = (Words, bool)> {
    listed(1).map(|line| line.strip_prefix("~ ").map_or((line, true), |words| (words, false)))
}

const LINES: &str = "name\nping 7\nplay b f5\n7 known_command name\nset depth 1\nmove F5//1.5\n\
    no such command\n# a comment\n\n";

pub(super) struct Ground<'a> {
    pub(super) place: &'a Place,
    pub(super) limits: Limits,
    pub(super) draws: Draws,
    pub(super) findings: Findings,
    undisturbed: BTreeMap<Words, Rc<Undisturbed>>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(place: &'a Place, limits: Limits, seed: u64) -> Self {
        let (findings, undisturbed) = (Findings::default(), BTreeMap::new());
        Self { place, limits, draws: Draws(seed), findings, undisturbed }
    }

    pub(super) fn undisturbed(&mut self, words: Words) -> Rc<Undisturbed> {
        let make = || Rc::new(disturbed::undisturbed(self.place, words, self.limits));
        self.undisturbed.entry(words).or_insert_with(make).clone()
    }
}

/// The folders of an attack: one with the binaries, and one with an undamaged file of each kind.
pub struct Place {
    pub(super) binaries: PathBuf,
    /// The library built from `fail.c`, which makes system calls fail; `None` without a C compiler.
    pub(super) library: Option<PathBuf>,
    pub(super) inputs: PathBuf,
}

impl Place {
    /// Makes an undamaged file of each kind in the folder `inputs`, by the programs in `binaries`.
    pub fn new(binaries: &Path, inputs: &Path) -> Self {
        let folder = |path: &Path| path.canonicalize().expect("a folder");
        let (binaries, inputs) = (folder(binaries), folder(inputs));
        let place = Self { library: failing_calls(&inputs), binaries, inputs };
        for Kind { name, how, .. } in kinds() {
            how.into_iter().for_each(|how| place.make(name, how));
        }
        place.remove_side_files();
        place
    }

    fn make(&self, name: &str, how: &str) {
        let words: Vec<&str> = how.split(' ').collect();
        let bytes = match words[..] {
            [program, ..] if program.starts_with("othello-") => {
                let output = self.command(&self.inputs, how).output().expect("the binary runs");
                let errors = String::from_utf8_lossy(&output.stderr);
                return assert!(output.status.success(), "{how}: {errors}");
            }
            ["transcripts"] => inputs::transcripts(60, 60).into_bytes(),
            // Commands may solve the boards, so these have few empty squares.
            ["boards"] => inputs::boards(60, 48).into_bytes(),
            ["stream"] => LINES.repeat(9_000).into_bytes(),
            ["wthor"] => othello_testing::random_games::wthor_file(0..60),
            ["packed", of] => zstd::bulk::compress(&self.read(of), 3).expect("memory"),
            ["torn", of] => {
                let whole = self.read(of);
                whole[..whole.len() - 60].to_vec()
            }
            ["first", "line", "of", path] => {
                let text = fs::read_to_string(repository().join(path)).expect("a file");
                text.lines().next().expect("a line").into()
            }
            _ if how.starts_with('"') => {
                serde_json::from_str::<String>(how).expect("quoted text").into_bytes()
            }
            _ => fs::read(repository().join(how)).expect("a file of the repository"),
        };
        fs::write(self.inputs.join(name), bytes).expect("a sound file");
    }

    fn remove_side_files(&self) {
        for entry in fs::read_dir(&self.inputs).expect("the sound files") {
            let path = entry.expect("an entry").path();
            if path.to_string_lossy().contains(".weights.") && path.is_file() {
                fs::remove_file(path).expect("a file of ours");
            }
        }
    }

    pub(super) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.inputs.join(name)).expect(name)
    }

    pub(super) fn words(&self, words: &str) -> Vec<OsString> {
        let path = |word: &str| match word.strip_prefix('@') {
            Some(name) => self.inputs.join(name).into(),
            None => word.into(),
        };
        words.split(' ').map(path).collect()
    }

    pub(super) fn command(&self, folder: &Path, words: &str) -> Command {
        self.command_of(folder, &self.words(words))
    }

    pub(super) fn command_of(&self, folder: &Path, words: &[OsString]) -> Command {
        let mut command = Command::new(self.binaries.join(&words[0]));
        command.args(&words[1..]).args(["--threads", "2"]).current_dir(folder);
        command.stdin(Stdio::null());
        // Small parts, and a stack for threads that is too small unless the programs set its size.
        command.env("OTHELLO_PART_UNITS", "64").env("RUST_MIN_STACK", "16384");
        command
    }
}

fn failing_calls(folder: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/attack/fail.c");
    let library = folder.join("libfail.so");
    let mut command = Command::new("cc");
    command.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl");
    command.status().is_ok_and(|status| status.success()).then_some(library)
}

/// Returns a command's name in the table of findings, such as `trainer fit random.games adam`.
pub(super) fn name(words: &str) -> String {
    let mut parts = words.split(' ').map(|word| word.trim_start_matches('@'));
    let program = parts.next().unwrap_or_default().trim_start_matches("othello-").to_owned();
    let rest: Vec<&str> = parts.take_while(|word| !word.starts_with("--")).take(2).collect();
    let optimizer = words.split_once("--optimizer ").map_or("", |(_, rest)| rest);
    let optimizer = optimizer.split(' ').next().unwrap_or_default();
    format!("{program} {} {optimizer}", rest.join(" ")).trim_end().to_owned()
}
