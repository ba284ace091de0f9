//! Damaged files through the binary: exit status 2 and one clear message, never a panic.
//! `trainer/fuzz/tests/damage.rs` passes many more to the library.

use std::fs;
use std::path::Path;

use othello_testing::mutation::{Draws, mutate};

const MOVES: &str = "f5d6c5f4e7f6g5e6e3\nf5d6c3d3c4\nf5f6e6f4\n";
const BOARDS: &str = "---------------------------OX------XO--------------------------- X 2\n\
                      ------------------XO-------OX------XO---------------------------- -1.5\n";
const SETTINGS: &str = "ridge = 30.0\nepochs = 2\nwindow = \"1,0.5\"\nlabels = \"all:result\"\n";
const PATTERNS: &str =
    "name = \"t\"\nscalars = [\"player_discs\"]\n[[pattern]]\nsquares = \"a1 b1\"\n";

#[test]
fn damaged_files_end_every_command_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let sound = |name: &str| folder.path().join(name);
    fs::write(sound("sound.txt"), MOVES).unwrap();
    let games = &["import", "transcripts", "sound.txt", "--out", "sound.games"];
    assert!(run(folder.path(), games).0 == Some(0));
    fs::write(sound("boards.txt"), BOARDS).unwrap();
    let positions = &["import", "boards", "boards.txt", "--out", "sound.positions"];
    assert!(run(folder.path(), positions).0 == Some(0));
    let fit = &["fit", "sound.games", "--patterns", "discs", "--out", "sound.weights"];
    assert!(run(folder.path(), fit).0 == Some(0));
    let shard = [&fit[..5], &["sound.part", "--shard", "1/1"]].concat();
    assert!(run(folder.path(), &shard).0 == Some(0));
    let corpus = |name: &str| {
        fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/").to_owned() + name).unwrap()
    };
    let wtb = corpus("wthor/three");
    let (games, weights) =
        (fs::read(sound("sound.games")).unwrap(), fs::read(sound("sound.weights")).unwrap());

    let positions = fs::read(sound("sound.positions")).unwrap();

    let text = |text: &str| text.as_bytes().to_vec();
    let fit_with = |flag: &'static str| {
        move |name| vec!["fit", "sound.games", flag, name, "--out", "x.weights", "--force"]
    };
    let import = |format: &'static str| {
        move |name| vec!["import", format, name, "--out", "x.records", "--force"]
    };
    let part = fs::read(sound("sound.part")).unwrap();
    let merge = |name| vec!["merge", name, "--out", "x.weights", "--force"];
    let relabel = |name| vec!["relabel", name, "--exact", "4", "--out", "x.games", "--force"];
    let sample = |name| vec!["sample", name, "--count", "2", "--out", "x.games", "--force"];
    type Words = Box<dyn Fn(&'static str) -> Vec<&'static str>>;
    let commands: [(Vec<u8>, &'static str, Words); 16] = [
        (part, "damaged.part", Box::new(merge)),
        (games.clone(), "damaged.games", Box::new(|name| vec!["fit", name, "--out", "x.weights"])),
        (games.clone(), "damaged.games", Box::new(|name| vec!["loss", "sound.weights", name])),
        (games.clone(), "damaged.games", Box::new(|name| vec!["inspect", "sound.games", name])),
        (games.clone(), "damaged.games", Box::new(relabel)),
        (games, "damaged.games", Box::new(sample)),
        (positions, "damaged.positions", Box::new(relabel)),
        (weights.clone(), "damaged.weights", Box::new(|name| vec!["loss", name, "sound.games"])),
        (weights, "damaged.weights", Box::new(|name| vec!["diff", name, "sound.weights"])),
        (wtb, "damaged.wtb", Box::new(import("wthor"))),
        (text(MOVES), "damaged.txt", Box::new(import("transcripts"))),
        (text(BOARDS), "damaged.txt", Box::new(import("boards"))),
        (corpus("ggf/two"), "damaged.ggf", Box::new(import("ggf"))),
        (corpus("egaroucid/start"), "damaged.dat", Box::new(import("egaroucid"))),
        (text(SETTINGS), "damaged.toml", Box::new(fit_with("--settings"))),
        (text(PATTERNS), "damaged.toml", Box::new(fit_with("--patterns"))),
    ];
    let (mut draws, mut refused) = (Draws(4), 0);
    for number in 0..15 * commands.len() {
        let (sound, name, arguments) = &commands[number % commands.len()];
        let damaged = match number / commands.len() % 4 {
            0 => sound[..draws.below(sound.len())].to_vec(),
            1 => b"\x1b[2J\x89PNG\n\0".repeat(1 + draws.below(40)),
            _ => mutate(sound, MOVES.as_bytes(), &mut draws),
        };
        if damaged == *sound {
            continue;
        }
        fs::write(folder.path().join(name), &damaged).unwrap();
        let (status, errors) = run(folder.path(), &arguments(name));
        let context = format!("{name}: {status:?}: {}\n{errors}", damaged.escape_ascii());
        assert!(!errors.contains("panicked"), "{context}");
        let checksummed =
            matches!(*name, "damaged.games" | "damaged.positions" | "damaged.weights");
        match status {
            Some(0 | 1) => assert!(!checksummed, "taken for good: {context}"),
            Some(2) => {
                let messages = errors.lines().filter(|line| line.starts_with("error: ")).count();
                assert!(messages == 1 && errors.contains(name), "{context}");
                refused += 1;
            }
            _ => panic!("{context}"),
        }
    }
    assert!(refused > 130, "{refused} were refused");
}

/// Returns the exit status and the standard error.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = assert_cmd::Command::cargo_bin("othello-trainer").unwrap();
    let command = command.args(arguments).args(["--threads", "1"]).current_dir(folder);
    let output = command.timeout(std::time::Duration::from_secs(60)).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}
