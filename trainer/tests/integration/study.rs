//! Tests of shards of matches, and of `loss --worst` and `loss --explain`. The studies (`compare`,
//! `curve`, `tune`) are tested in `tests/cmd`.

use othello_engine::board::notation::board_text;
use othello_engine::board::{Side, StatedPosition};
use othello_engine::record::Game;
use othello_testing::program::message;
use othello_testing::records;
use serde_json::Value;

use super::folder::{Folder, printed, random_game};

const BOARD: &str = "-O--------OXX-----XO------XOOX---XXXXOO----OOOO---O-O-X--------- X";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.random_games("train.games", 0..400);
    folder.random_games("test.games", 1000..1200);
    folder
}

#[test]
fn shards_of_a_match_write_the_games_of_the_match() {
    let folder = Folder::new();
    folder.write("openings.txt", "f5d6c3\nf5f6e6\nf5f4e3\nf5d6c4\n");
    let games = |name: &str, flags: &str| {
        let flags = format!("{flags} --depth 1 --exact 4 --games-out {name}.games");
        let played = "match mobility none --openings openings.txt --pairs 4";
        let mut command = folder.command(&format!("{played} {flags}"));
        let output = command.env("OTHELLO_PART_UNITS", "1").output().unwrap();
        assert!(output.status.success(), "{}", message(&output));
        let (_, games) = records::frames::<Game>(&folder.path(&format!("{name}.games")));
        games.concat().iter().map(|game| game.squares().to_vec()).collect::<Vec<_>>()
    };
    let mut whole = games("whole", "");
    let mut shared = games("first", "--out shared.match --shard 1/2");
    shared.extend(games("second", "--out shared.match --shard 2/2"));
    whole.sort();
    shared.sort();
    assert_eq!(shared, whole);
}

#[test]
fn the_worst_positions_are_board_lines_with_their_origin_and_what_adds_up_to_their_values() {
    let folder = folder();
    let loss = "loss embedded train.games test.games --worst 6";
    let found = folder.json(loss);
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    let rows = found["worst"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert!(rows.is_sorted_by_key(|row| -number(row, "error").abs()), "{rows:?}");
    let text = String::from_utf8(folder.run(loss).stdout).unwrap();
    for row in rows {
        let line = row["line"].as_str().unwrap();
        assert!(text.lines().any(|printed| printed == line), "{line} in {text}");
        let board: StatedPosition = line.parse().unwrap();
        assert_eq!(board.score, row["label"].as_f64());
        let parts = row["parts"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|part| number(part, "discs")).sum();
        assert!((sum.clamp(-64.0, 64.0) - number(row, "value")).abs() < 1e-9, "{row}");
        assert_eq!((&row["label_kind"], &row["ply"]), (&"result".into(), &row["phase"]));
        // The row's game must have the row's position at the row's ply.
        let first = if row["file"] == "train.games" { 0 } else { 1000 };
        let seed = first + row["game"].as_u64().unwrap() - 1;
        let replay = random_game(seed).replay();
        let step = replay.steps[row["ply"].as_u64().unwrap() as usize];
        assert_eq!(row["board"], board_text(&step.position, Side::Black));
        assert_eq!(board.position, step.position);
    }
    let by_hand = folder.json("loss mobility test.games --worst 1");
    assert_eq!(by_hand["worst"][0]["parts"], Value::Array(vec![]));
    // The groups together must have all positions, and on average the bias of all positions.
    for groups in ["by_value", "by_region", "phases"] {
        let groups = found[groups].as_array().unwrap();
        let with = groups.iter().filter(|group| group["positions"] != 0);
        let (mut positions, mut bias) = (0.0, 0.0);
        for group in with {
            positions += number(group, "positions");
            bias += number(group, "positions") * number(group, "bias");
        }
        assert_eq!(positions, number(&found, "positions"));
        assert!((bias / positions - number(&found, "bias")).abs() < 1e-9, "{groups:?}");
    }
}

#[test]
fn the_parts_of_a_value_add_up_to_it() {
    let folder = Folder::new();
    let explain =
        |board: &str| folder.command("loss embedded --json --explain").arg(board).output().unwrap();
    let explained = printed(&explain(BOARD));
    let sum = |name: &str| -> f64 {
        let rows = explained[name].as_array().unwrap();
        rows.iter().map(|row| row["discs"].as_f64().unwrap()).sum()
    };
    let value = explained["value"].as_f64().unwrap();
    assert!((sum("totals") - value).abs() < 1e-9, "{explained}");
    assert_eq!(explained["instances"].as_array().unwrap().len(), 64);
    // With this value as its label, the board must have no error.
    let scored = format!("{BOARD} {value}\n");
    folder.write("boards.txt", scored);
    folder.runs("import boards boards.txt --out boards.positions");
    let loss = folder.json("loss embedded boards.positions");
    assert!(loss["mae"].as_f64().unwrap() < 1.0 / 128.0, "{loss}");
    let pass = format!("{}X-{} O", "O".repeat(32), "X".repeat(30));
    assert_eq!(explain(&pass).status.code(), Some(2));
}
