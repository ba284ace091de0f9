//! The guides: Markdown files with code blocks, whose commands readers run and tests check.

pub mod inputs;

use std::path::{Path, PathBuf};

/// The environment variable with the folder of the real programs. In tests of guides, a stand-in
/// takes the place of each program, and runs the real one.
pub const BINARIES: &str = "OTHELLO_BINARIES";

/// The environment variable that, if set, makes a stand-in only check the program's arguments.
pub const CHECKED: &str = "OTHELLO_CHECKED";

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Returns all guides: the README, the book, and the pages of crates and data, without the log.
pub fn all() -> Vec<PathBuf> {
    const FOLDERS: &str = "\
        . docs docs/concepts docs/guides docs/reference datasets \
        datasets/benchmark datasets/conformance datasets/problems kernels scripts trainer/python";
    let entries = |folder: &str| std::fs::read_dir(repository().join(folder)).into_iter().flatten();
    let paths =
        FOLDERS.split_whitespace().flat_map(entries).map(|entry| entry.expect("an entry").path());
    let mut guides: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|kind| kind == "md")).collect();
    guides.sort();
    guides
}

/// The commands of one code block in a guide.
pub struct Block {
    /// The line of the file at which the block begins, counted from 1.
    pub line: usize,
    /// The commands of the block as a shell script.
    pub script: String,
    /// True for a block of `text`, whose arguments are only checked; false for `sh`, which is run.
    pub is_checked: bool,
}

/// Returns the blocks of `sh` and `text`. `tests/integration/readme.rs` runs `console` blocks.
pub fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut open): (Vec<Block>, Option<Option<Block>>) = (vec![], None);
    for (line, content) in (1..).zip(text.lines()) {
        if let Some(language) = content.trim_start().strip_prefix("```") {
            if let Some(block) = open.take() {
                blocks.extend(block);
                continue;
            }
            let is_checked = language == "text";
            let block = || Block { line, script: String::new(), is_checked };
            open = Some((is_checked || language == "sh").then(block));
        } else if let Some(Some(block)) = &mut open
            && (!block.is_checked || content.starts_with("othello-"))
        {
            block.script += &format!("{content}\n");
        }
    }
    blocks.retain(|block| !block.script.is_empty());
    blocks
}
