//! Tests of the commands for studies, `compare`, `curve` and `tune`, and of the details of `loss`.

use othello_engine::board::Side;
use othello_engine::board::notation::{BoardLine, board_text};
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
    folder.write("openings.txt", "f5d6c3\nf5f6e6\nf5f4e3\nf5d6c4\n");
    recipe(&folder, "one.toml", 1, "10.0");
    folder
}

fn recipe(folder: &Folder, name: &str, seed: u64, ridge: &str) {
    let text = format!(
        "data = ['train.games']\npatterns = 'small'\n[settings]\nseed = {seed}\nridge = {ridge}\n"
    );
    folder.write(name, text);
}

#[test]
fn a_recipe_by_other_seeds_is_equal_and_one_that_learns_nothing_is_worse() {
    let folder = folder();
    recipe(&folder, "other.toml", 101, "10.0");
    recipe(&folder, "nothing.toml", 1, "1e12");
    let compare = |second: &str| {
        let flags = "--phases 48..52 --test test.games --seeds 3";
        folder.json(&format!("compare one.toml {second}.toml --out {second} {flags}"))
    };
    let equal = compare("other");
    assert_eq!(equal["verdict"], "equal", "{equal}");
    assert_eq!(equal["errors"]["phases"].as_array().unwrap().len(), 5);
    assert!(equal["errors"]["needed"]["games"].as_u64().unwrap() > 200, "{equal}");
    assert_eq!(
        (&equal["seeds"], &equal["test_games"], &equal["match"]),
        (&3.into(), &200.into(), &Value::Null)
    );
    let better = compare("nothing");
    assert_eq!(better["verdict"], "first", "{better}");
    // The test set: five phases of 200 random games, whose labels are all results.
    assert_eq!(better["test_labels"][0][0], "result", "{better}");
    assert_eq!(better["test_labels"].as_array().unwrap().len(), 1, "{better}");
    assert!(better["errors"]["difference"].as_f64().unwrap() < -1.0, "{better}");
    // Finished fits are not repeated, and the report is the same.
    let again = compare("nothing");
    assert_eq!((&again["errors"], &again["verdict"]), (&better["errors"], &better["verdict"]));
}

/// A shard that lacks fits or games of another shard must report that.
#[test]
fn shards_of_a_comparison_wait_for_each_other_and_the_whole_reports_what_they_made() {
    let folder = folder();
    recipe(&folder, "two.toml", 1, "300.0");
    let played = "--openings openings.txt --pairs 4 --depth 1 --exact 4";
    let compare = |out: &str, shard: &str| {
        format!(
            "compare one.toml two.toml --phases 48..49 --test test.games --seeds 2 {played} \
             --out {out}{shard}"
        )
    };
    let whole = folder.json(&compare("whole", ""));
    let shard = |number: u64| {
        let mut command = folder.command(&compare("shared", &format!(" --shard {number}/2")));
        command.env("OTHELLO_PART_UNITS", "1").output().unwrap()
    };
    for (number, other, stage) in [(1, 2, "compare (fits)"), (2, 1, "match (pairs)")] {
        let waits = shard(number);
        let text = message(&waits);
        assert_eq!(waits.status.code(), Some(75), "{text}");
        let reason = format!("missing of stage `{stage}`; wait for shard {other} of 2");
        assert!(text.contains(&reason), "{text}");
    }
    assert_eq!(shard(1).status.code(), Some(0));
    let mut command = folder.command(&format!("{} --json", compare("shared", "")));
    let shared = printed(&command.env("OTHELLO_PART_UNITS", "1").output().unwrap());
    for field in ["verdict", "errors", "match"] {
        assert_eq!(shared[field], whole[field]);
    }
    assert_eq!(shared["resumed"]["compare (fits)"], 4);
    assert!(!folder.path("shared.parts").exists());
}

#[test]
fn shards_of_a_match_write_the_games_of_the_match() {
    let folder = folder();
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
fn a_curve_falls_and_predicts_its_last_point() {
    let folder = folder();
    folder.random_games("train.games", 2000..5000);
    let curve = "curve one.toml --shares 1,0.02,0.07,0.3 --phases 48..52 --test test.games \
                 --seeds 2 --out curve";
    let found = folder.json(curve);
    let points = found["points"].as_array().unwrap();
    let of = |name: &str| -> Vec<f64> {
        points.iter().map(|point| point[name].as_f64().unwrap()).collect()
    };
    assert_eq!(of("share"), [0.02, 0.07, 0.3, 1.0]);
    // Of the 3000 games, 5 % are for validation and 2850 for training.
    let expected = of("share").into_iter().map(|share| share * 2850.0);
    assert!(expected.zip(of("games")).all(|(a, b)| (a - b).abs() < 60.0), "{found}");
    assert!(of("mae").is_sorted_by(|more, less| more > less), "{found}");
    let prediction = &found["prediction"];
    assert_eq!(prediction["measured"], points[3]["mae"]);
    assert!(prediction["missed_percent"].as_f64().unwrap().abs() < 5.0, "{found}");
    assert_eq!(found["phases"].as_array().unwrap().len(), 5);
    assert!(found["twice"].as_f64().unwrap() <= points[3]["mae"].as_f64().unwrap() * 1.01);
    // Finished fits are not repeated. The games of a smaller share are among those of a larger one.
    let again = folder.json(curve);
    assert_eq!((&again["points"], &again["phases"]), (&found["points"], &found["phases"]));
    let loss = |share: &str| {
        let weights = format!("curve/share-{share}-0.weights");
        let loss = folder.json(&format!("loss {weights} train.games --subset training"));
        loss["positions"].as_u64().unwrap()
    };
    assert!(loss("0.3") * 3 < loss("1") && loss("0.3") * 4 > loss("1"));
    let few = "curve one.toml --shares 1,0.5,0.5 --test test.games --out few";
    folder.refuses(few, "--shares: 2 different ones; expected 4");
}

#[test]
fn tuning_leaves_what_is_worse_and_finds_what_is_better() {
    let folder = folder();
    // Two values that give the same weights are not proven different.
    let values = "[settings]\nridge = [1e12, 20.0, 20.0001, 1e11]\n";
    folder.write("values.toml", values);
    let tune = "tune one.toml values.toml --phases 48..52 --test test.games --out tuned";
    let found = folder.json(tune);
    assert_eq!(found["rounds"], 2);
    let ridge = found["best"]["settings.ridge"].as_f64().unwrap();
    assert!([20.0, 20.0001].contains(&ridge), "{found}");
    let trials = found["trials"].as_array().unwrap();
    let of_round = |round: u64| trials.iter().filter(move |trial| trial["round"] == round);
    let goes_on = |trial: &&Value| ["best", "equal"].contains(&trial["outcome"].as_str().unwrap());
    let last = of_round(2).count();
    assert_eq!((of_round(1).count(), of_round(1).filter(goes_on).count()), (4, last), "{found}");
    assert!(of_round(1).all(|trial| trial["share"] == 0.5));
    for trial in of_round(1).filter(|trial| trial["values"]["settings.ridge"].as_f64() > Some(1e9))
    {
        assert_eq!(trial["outcome"], "worse", "{trial}");
        assert!(trial["difference"].as_f64() > trial["difference_error"].as_f64(), "{trial}");
    }
    // The record has the content of the report, line by line.
    let record = || folder.text("tuned/trials.jsonl");
    let text = record();
    let lines: Vec<Value> =
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(&lines, trials);
    // A second run fits nothing again. A run with further values keeps the recorded trials.
    let again = folder.json(tune);
    assert_eq!((&again["trials"], record()), (&found["trials"], text));
    let fits = |found: &Value| found["resumed"]["fit (epochs)"].as_u64().map(|epochs| epochs / 40);
    assert_eq!(fits(&again), Some((4 + last as u64) * 3 * 5));
    let more = "[settings]\nridge = [20.0, 20.0001, 30.0, 40.0]\n";
    folder.write("values.toml", more);
    assert!(fits(&folder.json(tune)) >= Some(2 * 3 * 5));
    // A past bug: the record was replaced, and the earlier trials were lost.
    let of = |text: &str, ridge: &str| text.matches(&format!("\"settings.ridge\":{ridge}")).count();
    let both = record();
    assert!(of(&both, "1000000000000.0") > 0 && of(&both, "40.0") > 0, "{both}");
    folder.runs(tune);
    assert_eq!(record(), both);
    // Another recipe's record is not overwritten.
    recipe(&folder, "one.toml", 2, "10.0");
    folder.refuses(tune, "trials.jsonl");
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
        let board: BoardLine = line.parse().unwrap();
        assert_eq!(board.score, row["label"].as_f64());
        let parts = row["parts"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|part| number(part, "discs")).sum();
        assert!((sum.clamp(-64.0, 64.0) - number(row, "value")).abs() < 1e-9, "{row}");
        assert_eq!((&row["label_kind"], &row["ply"]), (&"result".into(), &row["phase"]));
        // The game that the row names must have the position at the ply that the row names.
        let first = if row["file"] == "train.games" { 0 } else { 1000 };
        let seed = first + row["game"].as_u64().unwrap() - 1;
        let replay = random_game(seed).replay();
        let step = replay.steps[row["ply"].as_u64().unwrap() as usize];
        assert_eq!(row["board"], board_text(&step.position, Side::Black));
        assert_eq!(board.position, step.position);
    }
    let by_hand = folder.json("loss mobility test.games --worst 1");
    assert_eq!(by_hand["worst"][0]["parts"], Value::Array(vec![]));
    // The groups together must have all positions, and the same bias as all positions.
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
    let folder = folder();
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
