//! Tests of the command line as a whole: complete outputs, packed shards and help texts.

use othello_engine::selfplay::Run;
use serde_json::json;

use super::folder::{Folder, self_play};

const FIT: &str = "fit a.games --patterns small --epochs 2 --optimizer lsq --phases 40..42";

/// Returns a folder with two files of games, and the number of games in `a.games`.
fn folder() -> (Folder, u64) {
    let folder = Folder::new();
    let games = ["1.games", "a.games"]
        .map(|name| folder.self_play(name, &Run::whole(self_play(9, "4..20", 4), 300)))[1];
    folder.write("a.txt", "f5d6c3d3c4\n");
    (folder, games)
}

/// A regression: the message for an output from an earlier run was that for a new output.
#[test]
fn complete_outputs_are_said_to_be_from_an_earlier_run() {
    let (folder, games) = folder();
    let fit = format!("{FIT} --out a.weights");
    for (arguments, resumed) in [
        ("shuffle a.games --out b.games", json!({"shuffle (games read)": games})),
        ("sample a.games --count 9 --out c.games", json!({"sample (games)": games})),
        ("split a.games --out d", json!({"split (games)": games})),
        ("relabel a.games --exact 4 --out e.games", json!({"relabel (games)": games})),
        ("merge 1.games a.games --out f.games", json!({"merge (games)": 2 * games})),
        ("import transcripts a.txt --out g.games", json!({"import (bytes)": 11})),
        (&fit, json!({"fit (epochs)": 6})),
    ] {
        let made = folder.json(arguments);
        assert!(made["resumed"].is_null(), "{arguments}: {made}");
        let there = folder.json(arguments);
        assert_eq!(there["resumed"], resumed, "{arguments}");
    }
}

/// `pack` must also refuse runs of commands that it cannot pack, and folders that are no runs.
#[test]
fn shards_are_packed_into_the_undivided_file() {
    let (folder, _) = folder();
    let relabel = |out: &str, more: &str| {
        folder.json(&format!("relabel a.games --exact 4 --out {out} {more}"))
    };
    let whole = relabel("whole.games", "");
    for shard in ["2/2", "1/2"] {
        let made = relabel("b.games", &format!("--shard {shard}"));
        assert!(made["sha256"].is_null(), "{made}");
    }
    folder.refuses("relabel 1.games --exact 5 --out b.games", "exact: 4 there, 5 wanted");
    for clean in ["", "--clean"] {
        let packed = folder.json(&format!("pack b.games {clean}"));
        assert_eq!((&packed["sha256"], &packed["parts"]), (&whole["sha256"], &json!(1)));
        assert_eq!(folder.path("b.games.parts").exists(), clean.is_empty());
    }
    assert!(folder.read("b.games") == folder.read("whole.games"));
    folder.refuses("pack b.games", "b.games.parts/run.json: cannot open it");
}

/// A regression: some help texts began with "plays", others with "play".
#[test]
fn subcommands_are_described_by_imperatives() {
    let help = Folder::new().run("--help").stdout;
    let help = String::from_utf8(help).unwrap();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<_> = commands.take_while(|line| !line.is_empty()).collect();
    assert!(commands.len() > 10, "{help}");
    for command in commands {
        let verb = command.split_whitespace().nth(1).unwrap();
        assert!(!verb.ends_with('s'), "{command}");
    }
}
