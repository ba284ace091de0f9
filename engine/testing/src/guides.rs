//! The guides: the files of Markdown that tell a reader what to type, and what their blocks need to be
//! run.

pub mod inputs;

use std::fs;
use std::path::{Path, PathBuf};

/// The variable with the folder of the real binaries.
pub const BINARIES: &str = "OTHELLO_BINARIES";

/// The variable with the file to which stand-ins write what they did.
pub const LOG: &str = "OTHELLO_GUIDE_LOG";

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The guides, by their paths in the repository.
pub fn all() -> Vec<PathBuf> {
    let root = repository();
    let folders = [".", "datasets", "engine/docs", "trainer/docs"];
    let entries = folders.iter().filter_map(|folder| fs::read_dir(root.join(folder)).ok());
    let paths = entries.flatten().map(|entry| entry.expect("a folder that can be read").path());
    let mut guides: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    guides.sort();
    guides
}

/// A block of ```` ```sh ````.
pub struct Block {
    /// The line of the file on which it begins, from 1.
    pub line: usize,
    /// What stands in it.
    pub script: String,
}

/// The blocks of shell commands of a guide.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = vec![];
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let begins = open.is_none() && language.trim_end() == "sh";
            blocks.extend(open.take());
            open = begins.then(|| Block { line: number + 1, script: String::new() });
        } else if let Some(block) = &mut open {
            block.script += &format!("{}\n", line.strip_prefix("$ ").unwrap_or(line));
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_of_shell_commands_are_found() {
        let text =
            "```toml\na = 1\n```\n\n```sh\n$ one\ntwo\n```\n```\nnone\n```\n```sh\nthree\n```\n";
        let found: Vec<(usize, String)> =
            blocks(text).into_iter().map(|block| (block.line, block.script)).collect();
        assert_eq!(found, [(5, "one\ntwo\n".to_owned()), (12, "three\n".to_owned())]);
    }
}
