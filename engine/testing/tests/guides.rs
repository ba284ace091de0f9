//! Tests of the guides. Every ```` ```sh ```` block of every guide runs, in small, in the order of
//! the guide and in its own folder. The JSON fields that its commands print are exactly those of
//! `datasets/json.md`. Links lead somewhere, and named files exist. `src/bin/guide-command.rs`
//! states what is made smaller, and how.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use othello_testing::guides::{self, BINARIES, Block, JSON_FIELDS, LOG, ONLY_CHECK, names};
use othello_testing::json_page::{Page, Printed};
use othello_testing::{skip, skipped};
use serde_json::Value;

/// Returns the folder of the programs, which a test of the whole workspace builds beside this one.
fn binaries() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_BIN_EXE_guide-command")).parent()?;
    let there = ["othello-engine", "othello-trainer"].iter().all(|name| folder.join(name).exists());
    there.then(|| folder.to_owned())
}

#[test]
fn every_block_of_every_guide_runs() {
    let Some(binaries) = binaries() else { skip!("cargo build first: the binaries are not there") };
    let guides = Mutex::new(guides::all());
    let (failures, printed) = (Mutex::new(vec![]), Mutex::new(vec![]));
    // Two guides run at a time, because most commands have work for one thread.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(guide) = guides.lock().unwrap().pop() else { break };
                    let (failed, fields) = run(&guide, &binaries);
                    failures.lock().unwrap().extend(failed);
                    printed.lock().unwrap().extend(fields);
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    let printed = printed.into_inner().unwrap();
    failures.extend(Page::read().complaints(&printed, &NOT_RUN));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The sections of the page of JSON fields whose commands no guide runs.
const NOT_RUN: [&str; 1] = ["othello-trainer quickstart"];

#[test]
fn every_link_of_the_guides_leads_somewhere() {
    let links = guides::links();
    assert!(links.len() >= 30, "the links of the guides were not found: {links:?}");
    let broken: Vec<_> = links.iter().filter(|(_, target)| !target.exists()).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn every_file_that_a_guide_names_is_there() {
    let missing = guides::missing_files();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_name_that_says_where_to_add_something_is_in_the_code() {
    let section = names::section();
    let spans = section.split('`').count() / 2;
    assert!(spans >= 30, "the names of the section were not found: {section}");
    let missing = names::missing_names(&section);
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_index_of_the_guides_has_every_command() {
    let Some(binaries) = binaries() else { skip!("cargo build first: the binaries are not there") };
    for (program, index) in [("othello-engine", "engine"), ("othello-trainer", "trainer")] {
        let help = Command::new(binaries.join(program)).arg("--help").output().unwrap().stdout;
        let help = String::from_utf8(help).unwrap();
        let (_, list) = help.split_once("\nCommands:\n").unwrap();
        let lines = list.lines().take_while(|line| !line.is_empty());
        let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        let names: Vec<&str> = names.filter(|name| !name.is_empty() && *name != "help").collect();
        assert!(names.len() > 10, "{program} --help: {help}");
        let path = guides::repository().join(index).join("docs/commands.md");
        let text = fs::read_to_string(path).unwrap();
        for name in names {
            assert!(text.contains(&format!("\n| [`{name}`](")), "no line for `{program} {name}`");
        }
    }
}

/// Runs the blocks of a guide; returns the failures and the JSON fields that were printed.
fn run(guide: &Path, binaries: &Path) -> (Vec<String>, Vec<Printed>) {
    let blocks = guides::blocks(&fs::read_to_string(guide).unwrap());
    let name = guide.strip_prefix(guides::repository()).unwrap().display().to_string();
    let place = Place::new(binaries);
    let mut failures = vec![];
    for block in &blocks {
        if let Some(missing) = lacks(block) {
            skipped::note("guides", &format!("{name}, line {}: {missing}", block.line));
        } else if let Err(said) = place.run(block) {
            failures.push(format!("{name}, line {}: {}\n{said}", block.line, block.script));
        }
    }
    let log = fs::read_to_string(place.log()).unwrap();
    let count = |what: &str| log.lines().filter(|line| line.starts_with(what)).count();
    println!(
        "{name}: {} blocks, {} commands run, {} only checked, {} left out",
        blocks.len(),
        count("run: "),
        count("only checked: "),
        count("left out: ")
    );
    (failures, place.printed())
}

/// Returns what a block needs beside the project's programs and is missing.
fn lacks(block: &Block) -> Option<&'static str> {
    let calls = |program: &str| block.script.lines().any(|line| line.starts_with(program));
    let runs = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let import = ["-c", "import sys, numpy, zstandard; assert sys.version_info >= (3, 11)"];
    if calls("sbatch") || block.script.contains("submit.sh") {
        return Some("needs a cluster; scripts/slurm/check.sh is one");
    }
    if calls("python3") && !runs(&python(), &import) {
        return Some("needs Python 3.11 with numpy and zstandard");
    }
    let compiles = || {
        let mut command = Command::new("sh");
        command.args(["-c", "echo '#include <zstd.h>' | cc -E - >/dev/null"]);
        command.status().is_ok_and(|status| status.success())
    };
    (calls("cc ") && !compiles()).then_some("needs a C compiler and libzstd")
}

/// Returns the program to call for `python3`: `$PYTHON`, if it is set.
fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// A folder like the repository, with stand-ins for the commands.
struct Place {
    folder: tempfile::TempDir,
    binaries: PathBuf,
}

impl Place {
    fn new(binaries: &Path) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), binaries: binaries.to_owned() };
        let stand_in = Path::new(env!("CARGO_BIN_EXE_guide-command"));
        let (bin, work) = (place.folder.path().join("bin"), place.work());
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(work.join("target")).unwrap();
        for name in ["othello-engine", "othello-trainer", "cargo", "rustup", "git", "pip"] {
            symlink(stand_in, bin.join(name)).unwrap();
        }
        if Path::new(&python()).is_absolute() {
            symlink(python(), bin.join("python3")).unwrap();
        }
        symlink(&bin, work.join("target/release")).unwrap();
        copy(&guides::repository().join("datasets"), &work.join("datasets"));
        fs::create_dir(work.join("scripts")).unwrap();
        for file in fs::read_dir(guides::repository().join("scripts")).unwrap() {
            let (path, name) = (file.as_ref().unwrap().path(), file.unwrap().file_name());
            let is_script = path.extension().is_some_and(|extension| extension == "sh");
            let own = if is_script { stand_in } else { &path };
            symlink(own, work.join("scripts").join(name)).unwrap();
        }
        fs::create_dir(work.join(".ci")).unwrap();
        symlink(stand_in, work.join(".ci/run")).unwrap();
        fs::write(place.log(), "").unwrap();
        fs::write(place.records(), "").unwrap();
        place
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Returns the file of the JSON fields that were printed.
    fn records(&self) -> PathBuf {
        self.folder.path().join("fields")
    }

    /// Returns the JSON fields that were printed.
    fn printed(&self) -> Vec<Printed> {
        let record = |line: &str| {
            let record: Value = serde_json::from_str(line).unwrap();
            Printed {
                name: record["name"].as_str().unwrap().to_owned(),
                fields: serde_json::from_value(record["fields"].clone()).unwrap(),
            }
        };
        fs::read_to_string(self.records()).unwrap().lines().map(record).collect()
    }

    fn run(&self, block: &Block) -> Result<(), String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        if !block.runs {
            command.env(ONLY_CHECK, "yes");
        }
        let output = command
            .args(["-eu", "-c", &block.script])
            .current_dir(self.work())
            .env("PATH", format!("{}:{path}", self.folder.path().join("bin").display()))
            .env(BINARIES, &self.binaries)
            .env(LOG, self.log())
            .env(JSON_FIELDS, self.records())
            .output()
            .map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() && !said.contains("panicked") { Ok(()) } else { Err(said) }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}
