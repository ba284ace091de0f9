//! What `quickstart` prints looks as the README shows it.

use othello_engine::board::Phase;
use othello_engine::eval::Mobility;

use super::*;
use crate::arena::{MatchResult, Pair};
use crate::fit::PhaseReport;

fn phases() -> FitReport {
    let row = |phase| PhaseReport {
        positions: 1000,
        train_mse: Some(493.37),
        validation_mse: Some(602.44),
        validation_mae: Some(20.2),
        test_mae: Some(15.07),
        copied_from: None,
        ..PhaseReport::copied(phase, phase)
    };
    FitReport(Phase::all().map(row).collect())
}

/// A match that was won clearly, and not in every game.
fn won_match(names: [&str; 2]) -> MatchReport {
    let evaluator = Evaluator::from(Mobility);
    let strength = Strength { depth: 4, exact: 12 };
    let played = Match { first: &evaluator, second: &evaluator, strength };
    let pairs = [vec![Pair([10, 20]); 150], vec![Pair([2, -2]); 50]].concat();
    let result = MatchResult { pairs, distinct_games: 400 };
    MatchReport::new(names.map(str::to_owned), &played, &result, Instant::now())
}

/// One blank between words, and `[..]` for every word with a digit in it.
fn shape(text: &str) -> String {
    let word = |word: &str| {
        let differs = word.contains("[..]") || word.chars().any(|c| c.is_ascii_digit());
        if differs { "[..]".to_owned() } else { word.to_owned() }
    };
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The numbers themselves are compared by an ignored test, which takes a minute.
#[test]
fn the_readme_shows_what_quickstart_prints() {
    let readme = include_str!("../../../../README.md");
    let (_, from_table) = readme.split_once("```text\nphase ").expect("what is printed");
    let (shown, _) = from_table.split_once("\n```").expect("its end");

    let weights = PathBuf::from("quickstart/generation-1.weights");
    let name = "quickstart/generation-1.weights";
    let verdict = Verdict {
        positions: 942_789,
        phases: phases(),
        validation_mae: Some(12.23),
        test_mae: Some(11.23),
        weights,
        sha256: "5bbd2d5f".to_owned(),
        r#match: won_match([name, "mobility"]),
        match_embedded: won_match(["embedded", name]),
        seconds: 58.0,
    };
    let printed = verdict.to_string();
    // The match against the embedded weights is lost in the README, and won here.
    let printed =
        printed.replace(&format!("embedded against {name}"), &format!("{name} against embedded"));
    snapbox::assert_data_eq!(
        shape(&printed).replace("[..]", "1"),
        shape(&format!("phase {shown}"))
    );
}
