//! The guides: the Markdown files that tell a reader what to type, and their blocks of commands.

pub mod inputs;

use std::path::{Path, PathBuf};

/// The environment variable with the folder of the real binaries.
pub const BINARIES: &str = "OTHELLO_BINARIES";

/// The environment variable with the [`Treatment`] of the commands of a block.
pub const TREATMENT: &str = "OTHELLO_TREATMENT";

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Returns the README, the pages next to it, the book, and the pages of the crates and of the
/// folders of files, without the log of experiments.
pub fn all() -> Vec<PathBuf> {
    const FOLDERS: [&str; 12] = [
        "",
        "docs",
        "docs/concepts",
        "docs/guides",
        "docs/reference",
        "datasets",
        "datasets/benchmark",
        "datasets/conformance",
        "datasets/problems",
        "kernels",
        "scripts",
        "trainer/python",
    ];
    let entries = |folder: &str| std::fs::read_dir(repository().join(folder)).into_iter().flatten();
    let paths = FOLDERS.into_iter().flat_map(entries).map(|entry| entry.expect("an entry").path());
    let mut guides: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|kind| kind == "md")).collect();
    guides.sort();
    guides
}

/// The treatment of the commands of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Treatment {
    /// `sh`: they run in small.
    Small,
    /// `console`: they run as they are, and print the text below each.
    Exact,
    /// `text`: the calls of this project's programs must be valid.
    Checked,
}

/// The commands of a block in a guide.
#[derive(PartialEq, Eq, Debug)]
pub struct Block {
    /// The line of the file at which the block begins, counted from 1.
    pub line: usize,
    /// The script for a shell.
    pub script: String,
    /// The expected output of a block of [`Treatment::Exact`].
    pub output: String,
    /// The treatment of the commands.
    pub treatment: Treatment,
}

/// Returns the blocks of a guide that have commands.
pub fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut open): (Vec<Block>, Option<Option<Block>>) = (vec![], None);
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let begin = || {
                let treatment = match language {
                    "sh" => Treatment::Small,
                    "console" => Treatment::Exact,
                    "text" => Treatment::Checked,
                    _ => return None,
                };
                let (script, output) = (String::new(), String::new());
                Some(Block { line: number + 1, script, output, treatment })
            };
            open = match open.take() {
                None => Some(begin()),
                Some(block) => {
                    blocks.extend(block);
                    None
                }
            };
        } else if let Some(Some(block)) = &mut open {
            let is_call = line.starts_with("othello-");
            match (block.treatment, line.strip_prefix("$ ")) {
                (Treatment::Exact, Some(command)) => block.script += &format!("{command}\n"),
                (Treatment::Exact, None) => block.output += &format!("{line}\n"),
                (Treatment::Checked, _) if !is_call => (),
                _ => block.script += &format!("{line}\n"),
            }
        }
    }
    blocks.retain(|block| !block.script.is_empty());
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_are_found_each_with_its_treatment() {
        let text = "```toml\na = 1\n```\n\n```sh\none\ntwo\n```\n```\nnone\n```\n```console\n\
                    $ othello-engine bench\nthe output\n```\n```text\nothello-engine gtp\nor so\n```\n";
        let block = |line, script: &str, output: &str, treatment| Block {
            line,
            script: script.to_owned(),
            output: output.to_owned(),
            treatment,
        };
        let expected = [
            block(5, "one\ntwo\n", "", Treatment::Small),
            block(12, "othello-engine bench\n", "the output\n", Treatment::Exact),
            block(16, "othello-engine gtp\n", "", Treatment::Checked),
        ];
        assert_eq!(blocks(text), expected);
    }
}
