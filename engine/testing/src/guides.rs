//! The guides: Markdown files with commands in code blocks. Tests run these commands.

pub mod inputs;

use std::path::{Path, PathBuf};

/// The environment variable with the folder of the programs that `guide-command.rs` runs.
pub const BINARIES: &str = "OTHELLO_BINARIES";

/// The environment variable that makes `guide-command.rs` only check its arguments.
pub const CHECKED: &str = "OTHELLO_CHECKED";

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Returns the paths of all guides: the Markdown pages in the root, in `docs` without `docs/log`,
/// and in the folders of data sets, kernels, scripts and the Python package.
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
    /// The line of the file at which the code block begins, counted from 1.
    pub line: usize,
    /// The commands of the block as a shell script.
    pub script: String,
    /// True for a block of the language `text`: commands are not run, only their arguments checked.
    pub is_checked: bool,
}

/// Returns the code blocks of the languages `sh` and `text` in a Markdown text. (The engine's
/// `tests/integration/readme.rs` runs the blocks of the language `console`.)
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
