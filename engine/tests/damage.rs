//! Damaged files through the binary: exit status 2 and one clear message, never a panic.
//! `trainer/tests/damage.rs` hands many more to the library.

#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub, dead_code, reason = "the fuzz targets' own library")]
mod fuzz;

use std::fs;
use std::path::Path;

use fuzz::mutation::{Draws, mutate};
use othello_engine::eval::Weights;
use othello_engine::file::{Existing, Provenance};
use othello_engine::pattern::PatternSet;

/// Two squares are empty, so that any board that comes of damage is soon solved.
const OBF: &str =
    "-OOOOOOOOOOOOOXXOXXXXOXXXOXXOOXXXXXOXOXXXXXXOOXXXXXXXXXX-XXXXXXX X; A1:+0; A8:-2;";

#[test]
fn damaged_files_end_every_command_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("sound.weights");
    let set = PatternSet::shipped("discs").unwrap();
    Weights::zero(set).write(&weights, &Provenance::new("test"), Existing::Keep).unwrap();
    let weights = fs::read(weights).unwrap();
    let lines = format!("{OBF}\n{}\n", &OBF[..66]);
    let lines = lines.as_bytes();
    let commands: [(&[u8], &str, &[&str]); 4] = [
        (&weights, "damaged.weights", &["weights", "damaged.weights"]),
        (&weights, "damaged.weights", &["evaluate", "sound.txt", "--weights", "damaged.weights"]),
        (lines, "damaged.obf", &["solve", "damaged.obf", "--weights", "none", "--hash-mb", "1"]),
        (&lines[lines.len() / 2..], "damaged.txt", &["evaluate", "damaged.txt"]),
    ];
    fs::write(folder.path().join("sound.txt"), &OBF[..66]).unwrap();
    let mut draws = Draws(3);
    let mut refused = 0;
    for number in 0..120 {
        let (sound, name, arguments) = commands[number % 4];
        let damaged = match number / 4 % 4 {
            0 => sound[..draws.below(sound.len())].to_vec(),
            1 => b"\x1b[2J\x89PNG\n\0".repeat(draws.below(40)),
            _ => mutate(sound, lines, &mut draws),
        };
        if damaged != sound {
            refused += u32::from(run(folder.path(), name, &damaged, arguments));
        }
    }
    assert!(refused > 80, "{refused} were refused");
}

/// Whether the command refused the file; it may take one that has no checksum.
fn run(folder: &Path, name: &str, damaged: &[u8], arguments: &[&str]) -> bool {
    fs::write(folder.join(name), damaged).unwrap();
    let mut command = assert_cmd::Command::cargo_bin("othello-engine").unwrap();
    let command = command.args(arguments).args(["--threads", "1"]).current_dir(folder);
    let output = command.timeout(std::time::Duration::from_secs(60)).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let context = format!("{arguments:?}: {:?}\n{errors}", damaged.escape_ascii().to_string());
    match output.status.code() {
        Some(0 | 1) => assert!(name != "damaged.weights", "taken for good: {context}"),
        Some(2) => {
            let message = errors.lines().filter(|line| line.starts_with("error: ")).count();
            assert!(message == 1 && errors.contains(name), "{context}");
        }
        _ => panic!("{context}"),
    }
    assert!(!errors.contains("panicked"), "{context}");
    output.status.code() == Some(2)
}
