//! Tests that the output of `quickstart` in the README has the current form.

use othello_engine::board::{Discs, Phase};

use super::*;
use crate::arena::{Conditions, MatchResult, Pair};
use crate::fit::PhaseReport;

/// Returns the fit report of the README's example.
fn phases() -> FitReport {
    let row = |phase: Phase| PhaseReport {
        positions: 1000,
        labels: vec![(if phase.index() == 59 { "exact" } else { "lambda0.9" }.to_owned(), 1000)],
        validation_positions: 1000,
        train_mse: Some(493.37),
        validation_mse: Some(602.44),
        validation_mae: Some(20.2),
        test_mae: Some(15.07),
        copied_from: None,
        ..PhaseReport::copied(phase, phase)
    };
    FitReport(Phase::all().filter(|phase| matches!(phase.index(), 40 | 59)).map(row).collect())
}

/// Returns a match in which the first player's score is `score` in nine of ten games, and −`score`
/// in the tenth.
fn match_report(names: [&str; 2], score: Discs) -> MatchReport {
    let (players, budgets) = (names.map(str::to_owned), Default::default());
    let conditions = Conditions { players, depth: 4, exact: 12, budgets, sprt: None };
    let pair = |number| Pair([score, if number % 5 == 0 { -score } else { score }]);
    let pairs = (0..200).map(pair).collect();
    let result = MatchResult {
        pairs,
        distinct_openings: 200,
        distinct_games: 400,
        forfeits: vec![],
        resigned: [0; 2],
        efforts: Default::default(),
        games: vec![],
    };
    MatchReport::new(&conditions, &result, Instant::now())
}

/// Normalizes a text: single blanks between words, and `[..]` for every word with a digit.
fn shape(text: &str) -> String {
    let word = |word: &str| {
        let differs = word.contains("[..]") || word.chars().any(|c| c.is_ascii_digit());
        if differs { "[..]".to_owned() } else { word.to_owned() }
    };
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the report of `quickstart` with the numbers that the README shows.
fn verdict() -> Verdict {
    let weights = PathBuf::from("quickstart/generation-3.weights");
    let name = "quickstart/generation-3.weights";
    Verdict {
        positions: 942_789,
        phases: phases(),
        validation_mae: Some(12.23),
        test_mae: Some(11.23),
        weights,
        sha256: "5bbd2d5f".to_owned(),
        r#match: match_report([name, "mobility"], 22),
        match_embedded: match_report([name, "embedded"], -20),
        seconds: 58.0,
    }
}

/// Checks the form of the output. Another test, which is ignored because it takes a minute,
/// compares the numbers.
#[test]
fn the_readme_shows_what_quickstart_prints() {
    let readme = include_str!("../../../../README.md");
    let (_, from_table) = readme.split_once("```text\nphase ").expect("what is printed");
    let (shown, _) = from_table.split_once("\n```").expect("its end");
    let expected: Vec<&str> = shown.lines().filter(|line| *line != "...").collect();
    snapbox::assert_data_eq!(
        shape(&verdict().to_string()).replace("[..]", "1"),
        shape(&format!("phase {}", expected.join("\n")))
    );
}
