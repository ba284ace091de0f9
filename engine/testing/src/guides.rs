//! The guides: the Markdown files that tell a reader what to type, and the needs of their blocks.

pub mod inputs;
pub mod names;

use std::fs;
use std::path::{Path, PathBuf};

/// The environment variable with the folder of the real binaries.
pub const BINARIES: &str = "OTHELLO_BINARIES";

/// The environment variable with the file to which stand-ins write their log.
pub const LOG: &str = "OTHELLO_GUIDE_LOG";

/// The environment variable with the file to which stand-ins write the printed JSON fields, one
/// JSON object a line.
pub const JSON_FIELDS: &str = "OTHELLO_JSON_FIELDS";

/// The environment variable that makes stand-ins only check their arguments.
pub const ONLY_CHECK: &str = "OTHELLO_ONLY_CHECK";

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Returns the README, the files beside it, and the guides of the crates and of the folders of
/// files.
pub fn all() -> Vec<PathBuf> {
    const FOLDERS: [&str; 10] = [
        "",
        "engine/docs",
        "trainer/docs",
        "datasets",
        "datasets/benchmark",
        "datasets/conformance",
        "datasets/problems",
        "kernels",
        "scripts",
        "trainer/python",
    ];
    let mut guides = vec![];
    for folder in FOLDERS {
        let entries = fs::read_dir(repository().join(folder)).expect("a folder of the repository");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        guides.extend(paths.filter(|path| path.extension().is_some_and(|kind| kind == "md")));
    }
    guides.sort();
    guides
}

/// The commands of a block in a guide.
pub struct Block {
    /// The line of the file at which the block begins, counted from 1.
    pub line: usize,
    /// The script for a shell.
    pub script: String,
    /// True if the block must be run: a block of `sh`. In blocks of `text` and `console`, the calls
    /// of this project's programs must only be valid.
    pub runs: bool,
}

/// Returns the blocks of a guide that have commands.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = vec![];
    let mut open: Option<(&str, Block)> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let block = Block { line: number + 1, script: String::new(), runs: language == "sh" };
            open = match open.take() {
                Some((_, block)) => {
                    blocks.push(block);
                    None
                }
                None => Some((language, block)),
            };
        } else if let Some((language, block)) = &mut open {
            let command = match *language {
                "sh" => Some(line),
                "console" => line.strip_prefix("$ ").filter(|line| line.starts_with("othello-")),
                "text" => Some(line).filter(|line| line.starts_with("othello-")),
                _ => None,
            };
            block.script.extend(command.map(|command| format!("{command}\n")));
        }
    }
    blocks.retain(|block| !block.script.is_empty());
    blocks
}

/// Returns the prose of a guide: its text without the blocks, whose code may look like a link.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// Returns every relative link of the guides, with its guide.
pub fn links() -> Vec<(PathBuf, PathBuf)> {
    let of_guide = |guide: PathBuf| {
        let text = prose(&fs::read_to_string(&guide).expect("a guide"));
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        let relative = targets.map(|(target, _)| target).filter(|target| !target.contains("://"));
        let paths = relative.filter_map(|target| target.split('#').next());
        let paths = paths.filter(|path| !path.is_empty());
        let folder = guide.parent().expect("a guide is in a folder");
        paths.map(|path| (guide.clone(), folder.join(path))).collect::<Vec<_>>()
    };
    all().into_iter().flat_map(of_guide).collect()
}

/// Returns the file names between backticks in guides for which no file exists in any folder that
/// guides mean. Names with capitals are placeholders.
pub fn missing_files() -> Vec<(PathBuf, String)> {
    const KINDS: [&str; 5] = ["rs", "md", "toml", "sh", "sha256"];
    const FOLDERS: [&str; 7] = [
        "",
        "engine",
        "engine/core/src",
        "engine/src",
        "engine/src/search",
        "trainer/src",
        "scripts",
    ];
    let is_file = |span: &&str| {
        span.contains('/')
            && span.chars().all(|c| c.is_ascii_lowercase() || "/._-0123456789".contains(c))
            && KINDS.iter().any(|kind| Path::new(span).extension().is_some_and(|e| e == *kind))
    };
    let of_guide = |guide: PathBuf| {
        let text = fs::read_to_string(&guide).expect("a guide");
        let own = guide.parent().expect("a guide is in a folder").to_owned();
        let folders =
            || FOLDERS.map(|folder| repository().join(folder)).into_iter().chain([own.clone()]);
        let is_missing = |span: &&str| folders().all(|folder| !folder.join(span).exists());
        let spans = text.split('`').skip(1).step_by(2).filter(is_file).filter(is_missing);
        spans.map(|span| (guide.clone(), span.to_owned())).collect::<Vec<_>>()
    };
    all().into_iter().flat_map(of_guide).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_are_found_and_only_those_for_a_shell_are_to_be_run() {
        let text = "```toml\na = 1\n```\n\n```sh\none\ntwo\n```\n```\nnone\n```\n```console\n\
                    $ othello-engine bench\nothello-engine says\n```\n";
        let found: Vec<_> =
            blocks(text).into_iter().map(|block| (block.line, block.script, block.runs)).collect();
        let console = (12, "othello-engine bench\n".to_owned(), false);
        assert_eq!(found, [(5, "one\ntwo\n".to_owned(), true), console]);
    }
}
