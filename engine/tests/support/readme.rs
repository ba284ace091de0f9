//! The commands of the code blocks in the README and the guides. The trainer's tests use this file
//! too.

use std::fs;
use std::path::{Path, PathBuf};

/// The README, what stands beside it, and the guides of the crates and of the folders of files.
/// (That of the cluster has commands that its scripts complete.)
pub(crate) fn guides() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = [
        "",
        "engine/docs",
        "trainer/docs",
        "datasets",
        "datasets/conformance",
        "kernels",
        "scripts",
    ];
    let mut guides = vec![];
    for folder in folders {
        let entries = fs::read_dir(root.join(folder)).expect("a folder of the repository");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        guides.extend(paths.filter(|path| path.extension().is_some_and(|kind| kind == "md")));
    }
    guides.sort();
    guides
}

/// The arguments of every call of `program` in the guides, the program's name first.
pub(crate) fn commands(program: &str) -> Vec<Vec<String>> {
    let texts = guides().into_iter().map(|path| fs::read_to_string(path).expect("a guide"));
    texts.flat_map(|text| calls(program, &text)).collect()
}

/// Every relative link of the guides and where it leads.
#[allow(dead_code, reason = "the trainer's tests leave the links to the engine's")]
pub(crate) fn links() -> Vec<(PathBuf, PathBuf)> {
    let of_guide = |guide: PathBuf| {
        let text = fs::read_to_string(&guide).expect("a guide");
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        let relative = targets.map(|(target, _)| target).filter(|target| !target.contains("://"));
        let paths = relative.filter_map(|target| target.split('#').next());
        let paths = paths.filter(|path| !path.is_empty());
        let folder = guide.parent().expect("a guide is in a folder");
        paths.map(|path| (guide.clone(), folder.join(path))).collect::<Vec<_>>()
    };
    guides().into_iter().flat_map(of_guide).collect()
}

/// The files that guides name between backticks, each without a folder in which it is. Names with
/// capitals stand for others.
#[allow(dead_code, reason = "the trainer's tests leave the files to the engine's")]
pub(crate) fn missing_files() -> Vec<(PathBuf, String)> {
    const KINDS: [&str; 5] = ["rs", "md", "toml", "sh", "sha256"];
    const FOLDERS: [&str; 6] =
        ["", "engine", "engine/src", "engine/src/search", "trainer/src", "scripts"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let is_file = |span: &&str| {
        span.contains('/')
            && span.chars().all(|c| c.is_ascii_lowercase() || "/._-0123456789".contains(c))
            && KINDS.iter().any(|kind| Path::new(span).extension().is_some_and(|e| e == *kind))
    };
    let of_guide = |guide: PathBuf| {
        let text = fs::read_to_string(&guide).expect("a guide");
        let own = guide.parent().expect("a guide is in a folder").to_owned();
        let folders = || FOLDERS.map(|folder| root.join(folder)).into_iter().chain([own.clone()]);
        let is_missing = |span: &&str| folders().all(|folder| !folder.join(span).exists());
        let spans = text.split('`').skip(1).step_by(2).filter(is_file).filter(is_missing);
        spans.map(|span| (guide.clone(), span.to_owned())).collect::<Vec<_>>()
    };
    guides().into_iter().flat_map(of_guide).collect()
}

fn calls(program: &str, guide: &str) -> Vec<Vec<String>> {
    code_lines(guide).filter_map(|line| call_of(program, line)).collect()
}

/// The lines inside of ```` ```sh ````, ```` ```console ```` and ```` ```text ```` blocks.
fn code_lines(guide: &str) -> impl Iterator<Item = &str> {
    let mut shell = false;
    guide.lines().filter(move |line| {
        if let Some(language) = line.strip_prefix("```") {
            shell = matches!(language, "sh" | "console" | "text");
            return false;
        }
        shell
    })
}

/// Reads `program …` and `cargo run … -p program -- …`, after a prompt or not.
fn call_of(program: &str, line: &str) -> Option<Vec<String>> {
    let line = line.split_once("   # ").map_or(line, |(line, _)| line);
    let words = words(line.strip_prefix("$ ").unwrap_or(line));
    if words.first()? == program {
        return Some(words);
    }
    if !words.starts_with(&["cargo".to_owned(), "run".to_owned()]) {
        return None;
    }
    let package = words.iter().position(|word| word == "-p")? + 1;
    let end_of_cargo = words.iter().position(|word| word == "--")? + 1;
    (words.get(package)? == program)
        .then(|| [program.to_owned()].into_iter().chain(words[end_of_cargo..].to_vec()).collect())
}

/// Splits at blanks outside of double quotes, which is all the guides need of a shell.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![];
    for (number, part) in line.split('"').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_ascii_whitespace().map(str::to_owned));
        }
    }
    words
}
