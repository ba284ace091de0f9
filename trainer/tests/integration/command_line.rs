//! The command line as a whole: inputs are never replaced, and outputs of an earlier run are
//! reported as such.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
use othello_testing::program::message;
use serde_json::{Value, json};

const FIT: &str = "fit a.games --patterns small --epochs 2 --optimizer lsq --phases 40..42";

/// A folder with games, `a.games`, and the two shards of the same run.
struct Folder {
    folder: tempfile::TempDir,
    /// The number of games in `a.games`.
    games: u64,
}

impl Folder {
    fn new() -> Self {
        let mut folder = Self { folder: tempfile::tempdir().unwrap(), games: 0 };
        for (name, shard) in [("1.games", "1/2"), ("2.games", "2/2"), ("a.games", "1/1")] {
            let settings = Settings::new(9, "4..20".parse().unwrap(), 1, 4);
            let run = Run { shard: shard.parse().unwrap(), ..Run::whole(settings, 300) };
            let path = folder.path(name);
            let evaluators = PerSide::both(&Mobility);
            let played = play_games(&path, &run, evaluators, Existing::Keep, &Silent).unwrap();
            folder.games = played.games;
        }
        fs::write(folder.path("a.txt"), "f5d6c3d3c4\n").unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn trainer(&self, arguments: &str) -> Output {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("othello-trainer"));
        command.current_dir(self.folder.path()).args(arguments.split_whitespace()).output().unwrap()
    }

    fn report(&self, arguments: &str) -> Value {
        let output = self.trainer(&format!("{arguments} --json"));
        assert!(output.status.success(), "{arguments}: {}", message(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// A past bug: with `--force` each of these commands silently replaced its input.
#[test]
fn no_command_replaces_its_own_input() {
    let folder = Folder::new();
    folder.report(&format!("{FIT} --out a.weights"));
    for (arguments, input) in [
        ("shuffle a.games --out @", "a.games"),
        ("sample a.games --count 9 --out @", "a.games"),
        ("relabel a.games --exact 4 --out @", "a.games"),
        ("relabel a.games --exact 4 --weights a.weights --out @", "a.weights"),
        ("merge 1.games 2.games --out @", "2.games"),
        ("validate a.games --repair @", "a.games"),
        ("import transcripts a.txt --out @", "a.txt"),
        ("export a.weights --format npz --out @", "a.weights"),
        ("export a.games --format wthor --out @", "a.games"),
        ("calibrate ordering a.weights --out @", "a.weights"),
        ("calibrate realization a.weights --data a.games --out @", "a.games"),
        ("fit a.games --init a.weights --out @", "a.weights"),
        ("quantize a.weights --out @", "a.weights"),
        (&format!("{FIT} --out @"), "a.games"),
        ("report a.weights --out @", "a.weights"),
        ("bench --data a.games --repetitions 1 --indices @", "a.games"),
    ] {
        let before = fs::read(folder.path(input)).unwrap();
        let refused = folder.trainer(&format!("{} --force", arguments.replace('@', input)));
        assert_eq!(refused.status.code(), Some(2), "{arguments}: {}", message(&refused));
        let said = message(&refused);
        assert!(said.contains(&format!("{input}: is also an input")), "{arguments}: {said}");
        assert!(fs::read(folder.path(input)).unwrap() == before, "{arguments}");
    }
}

/// A past bug: no message told a new output from one that was complete already.
#[test]
fn complete_outputs_are_said_to_be_from_an_earlier_run() {
    let folder = Folder::new();
    let (games, fit) = (folder.games, format!("{FIT} --out a.weights"));
    for (arguments, resumed) in [
        ("shuffle a.games --out b.games", json!({"shuffle (games read)": games})),
        ("sample a.games --count 9 --out c.games", json!({"sample (games)": games})),
        ("split a.games --out d", json!({"split (games)": games})),
        ("relabel a.games --exact 4 --out e.games", json!({"relabel (games)": games})),
        ("merge 1.games 2.games --out f.games", json!({"merge (frames)": 2})),
        ("import transcripts a.txt --out g.games", json!({"import (bytes)": 11})),
        (&fit, json!({"fit (phases)": 3})),
    ] {
        let made = folder.report(arguments);
        assert!(made["resumed"].is_null(), "{arguments}: {made}");
        let there = folder.report(arguments);
        assert_eq!(there["resumed"], resumed, "{arguments}");
    }
}

/// A selectivity without a search would be accepted and have no effect.
#[test]
fn a_selectivity_without_a_search_or_its_model_is_refused() {
    let folder = Folder::new();
    folder.report(&format!("{FIT} --out a.weights"));
    for (more, said) in
        [("", "add --depth, --nodes or --level"), ("--nodes 50", "calibrate probcut")]
    {
        let relabel = "relabel a.games --exact 4 --weights a.weights --selectivity 73";
        let output = folder.trainer(&format!("{relabel} {more} --out b.games"));
        assert_eq!(output.status.code(), Some(2));
        assert!(message(&output).contains(said), "{}", message(&output));
    }
}

/// A past bug: stacks of 64 kB ended the program with an abort. The stacks here are smaller than
/// any build needs.
#[cfg(unix)]
#[test]
fn small_stacks_of_the_environment_do_not_matter() {
    let folder = Folder::new();
    for arguments in [
        &format!("{FIT} --out a.weights"),
        "relabel a.games --exact 4 --out b.games",
        "match embedded none --openings a.txt --pairs 1 --depth 2 --exact 4",
    ] {
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -s 128 && exec \"$PROGRAM\" {arguments}")])
            .env("PROGRAM", assert_cmd::cargo::cargo_bin!("othello-trainer"))
            .env("RUST_MIN_STACK", "16384")
            .current_dir(folder.folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments}: {output:?}");
    }
}

/// A past bug: some help texts said "plays", others "play".
#[test]
fn subcommands_are_described_by_imperatives() {
    let help = Folder::new().trainer("--help").stdout;
    let help = String::from_utf8(help).unwrap();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<_> = commands.take_while(|line| !line.is_empty()).collect();
    assert!(commands.len() > 10, "{help}");
    for command in commands {
        let verb = command.split_whitespace().nth(1).unwrap();
        assert!(!verb.ends_with('s'), "{command}");
    }
}
