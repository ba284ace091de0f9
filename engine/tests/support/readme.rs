//! The commands of the README's code blocks. The trainer's tests use this file too.

/// The arguments of every call of `program` in the README, the program's name first.
pub(crate) fn commands(program: &str) -> Vec<Vec<String>> {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md"));
    let readme = readme.expect("the README stands beside the crates");
    code_lines(&readme).filter_map(|line| call_of(program, line)).collect()
}

/// The lines inside of ```` ```sh ```` and ```` ```console ```` blocks.
fn code_lines(readme: &str) -> impl Iterator<Item = &str> {
    let mut shell = false;
    readme.lines().filter(move |line| {
        if let Some(language) = line.strip_prefix("```") {
            shell = matches!(language, "sh" | "console");
            return false;
        }
        shell
    })
}

/// Reads `program …` and `cargo run … -p program -- …`, after a prompt or not.
fn call_of(program: &str, line: &str) -> Option<Vec<String>> {
    let words = words(line.strip_prefix("$ ").unwrap_or(line));
    if words.first()? == program {
        return Some(words);
    }
    let package = words.iter().position(|word| word == "-p")? + 1;
    let end_of_cargo = words.iter().position(|word| word == "--")? + 1;
    let is_ours = words.first()? == "cargo" && words.get(package)? == program;
    is_ours
        .then(|| [program.to_owned()].into_iter().chain(words[end_of_cargo..].to_vec()).collect())
}

/// Splits at blanks outside of double quotes, which is all the README needs of a shell.
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
