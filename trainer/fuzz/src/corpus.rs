//! Runs all fuzz targets briefly, without a fuzzer.

use std::fs;
use std::panic::{catch_unwind, resume_unwind};
use std::path::Path;

use crate::mutation::{Draws, mutate};
use crate::targets::Target;

/// Runs each target on the inputs of its corpus folder, and on `changes` random mutations of them.
/// If a target panics at a mutation, prints the mutation and panics.
pub fn run(corpora: &Path, targets: &[(&str, Target)], changes: usize) {
    let run = |&(name, target): &_| run_one(corpora, name, target, changes);
    std::thread::scope(|scope| {
        for half in targets.chunks(targets.len().div_ceil(2)) {
            scope.spawn(move || half.iter().for_each(run));
        }
    });
}

fn run_one(corpora: &Path, name: &str, target: Target, changes: usize) {
    let inputs = inputs(&corpora.join(name));
    let mut draws = Draws(1);
    inputs.iter().for_each(|(_, input)| target(input));
    for (change, (file, input)) in (0..changes).zip(inputs.iter().cycle()) {
        let other = &inputs[draws.below(inputs.len())].1;
        let changed = mutate(input, other, &mut draws);
        if let Err(panic) = catch_unwind(|| target(&changed)) {
            eprintln!("target {name}, change {change} of {file}: {}", changed.escape_ascii());
            resume_unwind(panic);
        }
    }
    println!("{name}: {} inputs, {changes} changed ones", inputs.len());
}

fn inputs(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(folder).expect("every target has a corpus");
    let files = files.map(|file| file.expect("a folder that can be read").path());
    let named = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read(path).expect("a file that can be read"))
    };
    let mut inputs: Vec<_> = files.map(named).collect();
    inputs.sort();
    assert!(!inputs.is_empty(), "{}: no input", folder.display());
    inputs
}
