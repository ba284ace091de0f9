use std::fmt::Write as _;

use othello_engine::board::notation::board_text;
use othello_engine::board::{Discs, Position, Side, Squares, StatedPosition};
use othello_engine::eval::{Mobility, Zero};
use othello_engine::player::Protocol;
use othello_engine::record::GameReader;
use othello_engine::search::{Level, Search};
use othello_testing::program::message;
use serde_json::Value;

use super::external::command;
use super::folder::{Folder, printed};

const EMPTIES: u32 = 10;

fn score(position: &Position) -> Discs {
    Search::new(&Mobility).depth(60).find(position).unwrap().value.score()
}

fn folder() -> Folder {
    let folder = Folder::with_self_play(3, 12, 14);
    let mut games = GameReader::open(&folder.path("a.games")).unwrap();
    let mut text = String::new();
    let steps = games.next_frame().unwrap().unwrap().into_iter().flat_map(|it| it.replay().steps);
    for step in steps.filter(|step| step.position.empties() == EMPTIES) {
        write!(text, "{};", board_text(&step.position, Side::Black)).unwrap();
        for square in Squares(step.position.moves()) {
            let score = -score(&step.position.play(square).unwrap());
            write!(text, " {square}:{score:+};").unwrap();
        }
        text.push('\n');
    }
    folder.write("hard.obf", text);
    folder.write("openings.txt", "f5d6c3\nf5f6e6\nf5f4e3\n");
    folder
}

fn problems(folder: &Folder) -> Vec<StatedPosition> {
    folder.text("hard.obf").lines().map(|line| line.parse().unwrap()).collect()
}

fn rated(problems: &[StatedPosition], choose: impl Fn(&Position) -> String) -> (u64, f64) {
    let lost = |problem: &StatedPosition| {
        let choice = choose(&problem.position);
        let mut moves = problem.moves.iter();
        let (_, score) = moves.find(|(square, _)| square.to_string() == choice).unwrap();
        problem.score.unwrap() - f64::from(*score)
    };
    let lost: Vec<f64> = problems.iter().map(lost).collect();
    let best = lost.iter().filter(|&&lost| lost == 0.0).count() as u64;
    (best, lost.iter().sum::<f64>() / lost.len() as f64)
}

fn is_close(found: &Value, expected: f64) -> bool {
    (found.as_f64().unwrap() - expected).abs() < 1e-9
}

#[test]
fn weights_are_measured_as_the_other_commands_do_and_by_hand() {
    let folder = folder();
    let problems = problems(&folder);
    assert!(problems.len() > 8);
    let all = "benchmark mobility none --strong a.games --hard hard.obf --depth 2,3 --suite hard.obf \
               --exact hard.obf --games 2 --time 1 --against none --openings openings.txt";
    let report = folder.json(all);
    let row = &report["players"][0];
    assert_eq!((&row["player"], &row["kind"]), (&"mobility".into(), &"weights".into()));

    for (errors, depth) in row["strong"].as_array().unwrap().iter().zip([0, 4]) {
        let loss =
            format!("loss mobility a.games --labels all:exact --phases 30..47 --depth {depth}");
        let loss = folder.json(&loss);
        for field in ["depth", "positions", "bias", "bias_error", "mae", "mse", "by_group"] {
            assert_eq!(errors[field], loss[field], "{field} at depth {depth}");
        }
        assert!(errors["positions"].as_u64().unwrap() > 10);
    }

    let values = problems.iter().map(|problem| {
        let found = Search::new(&Mobility).depth(4).find(&problem.position).unwrap();
        (found.value.discs() - problem.score.unwrap()).abs()
    });
    let mae = values.sum::<f64>() / problems.len() as f64;
    assert!(is_close(&row["exact"][1]["mae"], mae), "{mae}: {row}");
    assert_eq!(row["exact"][1]["by_empties"][0]["empties"], EMPTIES);

    for (found, depth) in row["hard"].as_array().unwrap().iter().zip([2, 3]) {
        let search = Search::new(&Mobility).depth(depth);
        let choose = |position: &Position| search.find(position).unwrap().best.unwrap().to_string();
        let (best, lost) = rated(&problems, choose);
        assert_eq!((&found["depth"], &found["best_found"]), (&depth.into(), &best.into()));
        assert!(is_close(&found["discs_lost"], lost), "{lost}: {found}");
        assert_eq!(found["selectivity"], 100, "mobility has no predictions");
    }
    assert!(row["suite"]["right"] == problems.len() && row["suite"]["stated"] == problems.len());

    assert_eq!((&row["match"]["pairs"], &row["match"]["second"]), (&1.into(), &"none".into()));
    assert_eq!(report["players"][1]["match"], Value::Null);
    let itself = report["left_out"].as_array().unwrap();
    assert_eq!(itself.len(), 1, "{report}");
    assert_eq!((&itself[0]["player"], &itself[0]["part"]), (&"none".into(), &"match".into()));
}

/// A GTP program must receive the moves that lead to a position: GTP cannot set up a position.
#[test]
fn programs_are_asked_for_their_moves() {
    let folder = folder();
    let problems = problems(&folder);
    let level = Level::new(1).unwrap();
    let choose = |position: &Position| {
        let search = Search::new(&Zero).hash_mb(1).level(level);
        search.find(position).unwrap().best.unwrap().to_string()
    };
    let (best, lost) = rated(&problems, choose);
    for (protocol, prefix) in [(Protocol::Gtp, "gtp"), (Protocol::Nboard, "nboard")] {
        let player = format!("{prefix}:{}", command(protocol, "good"));
        let arguments = "benchmark --strong a.games --hard hard.obf --depth 1 --only strong,hard,suite \
                         --suite hard.obf --json";
        let output = folder.command(arguments).arg(&player).output().unwrap();
        assert!(output.status.success(), "{}", message(&output));
        let report = printed(&output);
        let row = &report["players"][0];
        assert!(row["identity"].as_str().unwrap().starts_with("othello-engine"), "{row}");
        let all = problems.len() as u64;
        // An NBoard program searches the suite to depth 40, so it must find all best moves.
        let of_suite = if protocol == Protocol::Nboard { (all, 0.0) } else { (best, lost) };
        for (found, (best, lost)) in
            [(&row["hard"][0], (best, lost)), (&row["suite_moves"], of_suite)]
        {
            assert_eq!((&found["best_found"], &found["positions"]), (&best.into(), &all.into()));
            assert!(is_close(&found["discs_lost"], lost), "{lost}: {found}");
            assert_eq!((&found["failures"], &found["mae"]), (&Value::Array(vec![]), &Value::Null));
        }
        let reasons = report["left_out"].as_array().unwrap();
        assert_eq!(reasons.len(), 1, "{report}");
        assert_eq!(reasons[0]["reason"], "a program does not report values");
    }
}

#[test]
fn programs_without_games_or_manners_are_told_of() {
    let folder = folder();
    let run = |manners: &str, arguments: &str| {
        let player = format!("gtp:{}", command(Protocol::Gtp, manners));
        folder.command(arguments).arg(player).output().unwrap()
    };
    let alone = printed(&run("good", "benchmark --hard hard.obf --only hard --json"));
    assert!(alone["left_out"][0]["reason"].as_str().unwrap().contains("the moves to a position"));
    let refusing = "benchmark --strong a.games --hard hard.obf --only hard --json";
    let refusing = printed(&run("refuse", refusing));
    let failures = refusing["players"][0]["hard"][0]["failures"].as_array().unwrap();
    assert_eq!(failures.len(), problems(&folder).len());
    assert!(failures.iter().all(|said| said.as_str().unwrap().contains("refused `genmove ")));
}
