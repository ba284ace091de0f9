//! The names of items and files in CONTRIBUTING.md's table of what to add where, and their search
//! in the code.

use std::fs;
use std::path::{Path, PathBuf};

use super::repository;

const SECTION: &str = "## Where to add what";

/// The folders that paths of the section start at.
const FOLDERS: [&str; 6] =
    ["", "engine", "engine/core/src", "engine/src", "trainer", "trainer/src"];

/// The words of code after which the name of an item stands.
const KEYWORDS: [&str; 8] = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type"];

/// Returns the section of CONTRIBUTING.md that says where to add what.
pub fn section() -> String {
    let path = repository().join("CONTRIBUTING.md");
    let text = fs::read_to_string(path).expect("CONTRIBUTING.md");
    let (_, below) = text.split_once(SECTION).expect("the section of CONTRIBUTING.md");
    below.split("\n## ").next().unwrap_or_default().to_owned()
}

/// Returns the names between backticks in a section that are not in the code, each with what was
/// looked for.
///
/// A name with a slash or a dot is a file or a folder; one with `NAME` in it is a pattern that some
/// file must fit. Any other name is that of an item, which code must define. If ` in ` and a file
/// follow, that file must define it.
pub fn missing_names(section: &str) -> Vec<String> {
    let code = code();
    let of_line = |line: &str| {
        let parts: Vec<&str> = line.split('`').collect();
        let missing = |at: usize| {
            let name = parts[at];
            if is_path(name) {
                return files(name).is_empty().then(|| format!("{name}: there is no such file"));
            }
            let place = parts.get(at + 2).filter(|_| parts[at + 1] == " in ");
            let is_there = match place {
                Some(place) => files(place).iter().any(|file| defines(&read(file), name)),
                None => code.iter().any(|text| defines(text, name)),
            };
            let place = place.copied().unwrap_or("the code");
            (!is_there).then(|| format!("{name}: {place} does not define it"))
        };
        (1..parts.len()).step_by(2).filter_map(missing).collect::<Vec<_>>()
    };
    section.lines().flat_map(of_line).collect()
}

fn is_path(name: &str) -> bool {
    name.contains(['/', '.'])
}

/// Returns the files and folders that a name may mean.
fn files(name: &str) -> Vec<PathBuf> {
    let all = || walk(&repository());
    if let Some((before, after)) = name.split_once("NAME") {
        let (before, after) = (Path::new(before), after.to_owned());
        let folders = FOLDERS.map(|folder| repository().join(folder).join(before));
        let is_meant =
            |path: &PathBuf| path.parent().is_some_and(|own| folders.iter().any(|f| f == own));
        return all().filter(is_meant).filter(|path| ends_with(path, &after)).collect();
    }
    if name.contains('/') && !name.starts_with('.') {
        let paths = FOLDERS.map(|folder| repository().join(folder).join(name));
        return paths.into_iter().filter(|path| path.exists()).collect();
    }
    // The name of a file in any folder, or its ending.
    all().filter(|path| ends_with(path, name)).collect()
}

fn ends_with(path: &Path, name: &str) -> bool {
    path.file_name().and_then(|own| own.to_str()).is_some_and(|own| own.ends_with(name))
}

/// Returns whether code defines an item. Of `Type::item`, it must name the type, and define the
/// item.
fn defines(code: &str, name: &str) -> bool {
    let (owner, item) = name.rsplit_once("::").unwrap_or(("", name));
    let words: Vec<&str> = code
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let is_defined = words
        .windows(2)
        .any(|pair| KEYWORDS.contains(&pair[0]) && pair[1] == item.trim_end_matches("()"));
    is_defined && (owner.is_empty() || words.contains(&owner))
}

/// Returns the text of all Rust sources but their comments.
fn code() -> Vec<String> {
    let sources = ["engine", "trainer", "kernels"].map(|folder| repository().join(folder));
    let files = sources.iter().flat_map(|folder| walk(folder));
    files
        .filter(|path| path.extension().is_some_and(|kind| kind == "rs"))
        .map(|path| read(&path))
        .collect()
}

fn read(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Returns the files below a folder, but not those that were built.
fn walk(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let mut open = vec![folder.to_owned()];
    let mut files = vec![];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_left_out = name == "target" || name.to_string_lossy().starts_with('.');
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_left_out => open.push(path),
                Ok(kind) if kind.is_file() => files.push(path),
                _ => {}
            }
        }
    }
    files.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_where_it_is_defined_and_not_where_it_is_only_used() {
        let code =
            "impl Set {\n    pub fn shipped(name: &str) {}\n}\nstruct Rows<T>(T);\nuse_it();";
        for name in ["Set::shipped", "shipped", "shipped()", "Rows"] {
            assert!(defines(code, name), "{name}");
        }
        for name in ["Set", "Other::shipped", "ship", "use_it", "name"] {
            assert!(!defines(code, name), "{name}");
        }
    }

    #[test]
    fn names_that_are_not_there_are_told() {
        let told = missing_names(
            "| `Scalar` | `NoSuchItem` | `engine/NAME.toml`, `engine/NAME.none`, `.h`, `none.rs` |\n\
             `PatternSet::shipped` in `engine/testing/src/lib.rs`, `no/such.rs`, `main.rs`",
        );
        let names: Vec<&str> = told.iter().filter_map(|said| said.split(": ").next()).collect();
        let wanted =
            ["NoSuchItem", "engine/NAME.none", "none.rs", "PatternSet::shipped", "no/such.rs"];
        assert_eq!(names, wanted);
    }
}
