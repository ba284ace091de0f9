//! Runs the commands of every guide in order, in a folder for each guide. In place of a program,
//! the commands call `src/bin/guide-command.rs`, which runs the program with less work.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use othello_testing::guides::{self, BINARIES, Block, CHECKED};
use othello_testing::{on_threads, skip, skipped};
use rayon::prelude::*;

const PROGRAMS: [&str; 2] = ["othello-engine", "othello-trainer"];

fn binaries() -> Option<&'static Path> {
    let folder = Path::new(env!("CARGO_BIN_EXE_guide-command")).parent()?;
    PROGRAMS.iter().all(|name| folder.join(name).exists()).then_some(folder)
}

#[test]
fn the_reference_is_what_the_programs_write() {
    let Some(binaries) = binaries() else { skip!("cargo build first: the binaries are not there") };
    let pages = guides::repository().join("docs/reference");
    for program in PROGRAMS {
        let written = tempfile::tempdir().unwrap();
        let mut command = Command::new(binaries.join(program));
        assert!(command.arg("reference").arg(written.path()).status().unwrap().success());
        for page in fs::read_dir(written.path()).unwrap() {
            let page = page.unwrap();
            let is_same = fs::read(page.path()).unwrap()
                == fs::read(pages.join(page.file_name())).unwrap_or_default();
            let name = page.file_name().display().to_string();
            assert!(is_same, "{name} is stale: run `{program} reference docs/reference`");
        }
    }
}

#[test]
fn every_block_of_every_guide_runs() {
    let Some(binaries) = binaries() else { skip!("cargo build first: the binaries are not there") };
    let guides = guides::all();
    let blocks = |guide: &PathBuf| guides::blocks(&fs::read_to_string(guide).unwrap()).len();
    assert!(guides.iter().map(blocks).sum::<usize>() > 100);
    // Two guides run at a time, because most of their commands have work for only one thread.
    let failures: Vec<String> =
        on_threads(2, || guides.par_iter().flat_map_iter(|guide| run(guide, binaries)).collect());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn run(guide: &Path, binaries: &Path) -> Vec<String> {
    let blocks = guides::blocks(&fs::read_to_string(guide).unwrap());
    let name = guide.strip_prefix(guides::repository()).unwrap().display().to_string();
    if blocks.is_empty() {
        return vec![];
    }
    let place = place();
    let mut failures = vec![];
    for block in &blocks {
        if let Some(missing) = lacks(block) {
            skipped::note("guides", &format!("{name}, line {}: {missing}", block.line));
        } else if let Err(reason) = execute(block, place.path(), binaries) {
            failures.push(format!("{name}, line {}: {}\n{reason}", block.line, block.script));
        }
    }
    println!("{name}: {} blocks", blocks.len());
    failures
}

fn lacks(block: &Block) -> Option<&'static str> {
    let calls = |program: &str| block.script.lines().any(|line| line.starts_with(program));
    let runs = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let import = ["-c", "import sys, numpy, zstandard; assert sys.version_info >= (3, 11)"];
    let compile = ["-c", "echo '#include <zstd.h>' | cc -E - >/dev/null"];
    if calls("sbatch") {
        return Some("needs a cluster; scripts/slurm/check.sh is one");
    }
    if calls("python3") && !runs(&python(), &import) {
        return Some("needs Python 3.11 with numpy and zstandard");
    }
    (calls("cc ") && !runs("sh", &compile)).then_some("needs a C compiler and libzstd")
}

fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Creates a folder for a guide: its subfolder `bin` has the programs that replace commands of the
/// guide; `work` has the data and scripts that the commands use.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let stand_in = Path::new(env!("CARGO_BIN_EXE_guide-command"));
    let (bin, work) = (folder.path().join("bin"), folder.path().join("work"));
    for folder in [&bin, &work.join("scripts")] {
        fs::create_dir_all(folder).unwrap();
    }
    for name in PROGRAMS.into_iter().chain(["cargo"]) {
        symlink(stand_in, bin.join(name)).unwrap();
    }
    if Path::new(&python()).is_absolute() {
        symlink(python(), bin.join("python3")).unwrap();
    }
    let mut copy = Command::new("cp");
    // `-L` copies the pattern sets, which are links to files of the engine.
    copy.arg("-rL").arg(guides::repository().join("datasets")).arg(&work);
    assert!(copy.status().unwrap().success());
    for file in fs::read_dir(guides::repository().join("scripts")).unwrap() {
        let path = file.unwrap().path();
        let is_script = path.extension().is_some_and(|extension| extension == "sh");
        let own = if is_script { stand_in } else { &path };
        symlink(own, work.join("scripts").join(path.file_name().unwrap())).unwrap();
    }
    folder
}

fn execute(block: &Block, place: &Path, binaries: &Path) -> Result<(), String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("sh");
    command.args(["-eu", "-c", &block.script]).current_dir(place.join("work"));
    command.env("PATH", format!("{}:{path}", place.join("bin").display()));
    command.env(BINARIES, binaries).envs(block.is_checked.then_some((CHECKED, "yes")));
    let output = command.output().map_err(|error| error.to_string())?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_done = output.status.success() && !errors.contains("panicked");
    if is_done { Ok(()) } else { Err(errors) }
}
