//! Settings and arguments. What they take, they print so that it reads back as the same.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use othello_engine::board::Phase;
use othello_engine::record::{Game, Solved};
use othello_trainer::dataset::DataChoice;
use othello_trainer::fit::{FitSettings, Window};
use othello_trainer::model::Phases;
use othello_trainer::source::LabelRules;

use crate::corpus::check_message;

/// Arguments of commands: each parser gets every text.
pub fn fit_arguments(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    if let Some(window) = reads_back::<Window>(text) {
        for phase in Phase::all() {
            assert!(window.around(phase).all(|(_, factor)| factor <= 256));
            assert!(window.around(phase).any(|(near, factor)| near == phase && factor == 256));
        }
    }
    if let Some(data) = reads_back::<DataChoice>(text) {
        assert!(data.weight > 0.0 && data.weight <= 1000.0);
    }
    match text.parse::<Phases>() {
        Ok(phases) => assert!(phases.0.start() <= phases.0.end()),
        Err(error) => check_message(&error.to_string()),
    }
}

/// Label rules as the command line gives them.
pub fn labels(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Some(rules) = reads_back::<LabelRules>(text) else { return };
    let moves = othello_engine::board::transcript::parse("f5d6c5f4e7f6g5e6e3").expect("squares");
    let game = Game::new(2, &moves).expect("a game");
    let solved = Solved { ply: 4, black_score: -10 };
    let solved = game.clone().with_solved(solved).expect("its ply 4 was reached");
    let values = (0..9).map(|ply: i8| (ply % 3 > 0).then_some(ply - 5)).collect();
    let valued = solved.clone().with_values(values).expect("one for each move");
    for game in [game, solved, valued] {
        let rows = rules.positions(&game, 1.0);
        assert!(rows.len() <= game.positions());
        assert!(rows.iter().all(|row| row.label().discs().abs() <= 64.0));
    }
}

/// Settings of a fit in TOML.
pub fn settings(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match FitSettings::from_toml(text) {
        Ok(settings) => {
            assert!(settings.check().is_ok());
            assert!(settings.ridge > 0.0 && settings.ridge.is_finite());
        }
        Err(error) => check_message(&error.to_string()),
    }
}

fn reads_back<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str) -> Option<T> {
    match text.parse::<T>() {
        Ok(value) => {
            assert_eq!(value.to_string().parse().ok().as_ref(), Some(&value), "{text:?}");
            Some(value)
        }
        Err(error) => {
            check_message(&error.to_string());
            None
        }
    }
}
