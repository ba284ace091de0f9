//! Targets for parsers of text: what they accept, they print so that it reads back the same.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use crate::corpus::check_message;
use othello_engine::board::notation::{BoardLine, board_text};
use othello_engine::board::obf::Problem;
use othello_engine::board::transcript::{self, Replay};
use othello_engine::board::{Position, Square, Symmetry};
use othello_engine::eval::WeightsChoice;
use othello_engine::pattern::{Geometry, LANES, MAX_SQUARES, PatternSet};
use othello_engine::record::Shard;
use othello_engine::selfplay::{MAX_RANDOM_PLIES, OpeningsChoice, PerfectFrom, Schedule};

/// Checks arguments of commands: each parser gets every text.
pub fn arguments(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    reads_back::<Schedule>(text);
    reads_back::<PerfectFrom>(text);
    reads_back::<Shard>(text);
    reads_back::<Square>(text);
    reads_back::<WeightsChoice>(text);
    reads_back::<OpeningsChoice>(text);
    if let Ok(shard) = text.parse::<Shard>() {
        assert!(shard.overlaps(shard) && shard.makes(shard.number() - 1));
    }
    if let Ok(schedule) = text.parse::<Schedule>() {
        let mut random = othello_engine::random::Generator::new(1);
        assert!(usize::from(schedule.draw(&mut random)) <= MAX_RANDOM_PLIES);
        assert!(schedule.deal(1, u64::MAX).0 <= MAX_RANDOM_PLIES);
    }
}

fn reads_back<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => assert_eq!(value.to_string().parse().ok(), Some(value), "{text:?}"),
        Err(error) => check_message(&error.to_string()),
    }
}

/// Checks board lines and OBF.
pub fn boards(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match text.parse::<BoardLine>() {
        Ok(line) => {
            check_position(&line.position);
            let score = line.score.map_or(String::new(), |score| format!(" {score}"));
            let printed = format!("{}{score}", board_text(&line.position, line.side));
            assert_eq!(printed.parse(), Ok(line));
        }
        Err(error) => check_message(&error.to_string()),
    }
    match text.parse::<Problem>() {
        Ok(problem) => {
            check_position(&problem.position);
            let mut printed = board_text(&problem.position, problem.side);
            for (square, score) in &problem.moves {
                let score = score.map_or(String::new(), |score| score.to_string());
                printed.push_str(&format!("; {square}:{score}"));
            }
            assert_eq!(printed.parse().as_ref(), Ok(&problem));
            assert!(problem.expected().is_none_or(|score| score.abs() <= 64));
        }
        Err(error) => check_message(&error.to_string()),
    }
}

fn check_position(position: &Position) {
    assert_eq!(position.player() & position.opponent(), 0);
    assert!((4..=64).contains(&position.discs()));
    let played = Square::all().filter(|&square| position.play(square).is_some());
    assert_eq!(played.fold(0, |moves, square| moves | square.bit()), position.moves());
}

/// Checks transcripts.
pub fn transcript(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let squares = match transcript::parse(text) {
        Ok(squares) => squares,
        Err(error) => return check_message(&error.to_string()),
    };
    let printed: String = squares.iter().map(Square::to_string).collect();
    assert_eq!(transcript::parse(&printed).as_ref(), Ok(&squares));
    match Replay::from_start(&squares) {
        Ok(replay) => {
            assert_eq!(replay.steps.len(), squares.len());
            assert!(squares.len() <= 60);
            assert!(replay.steps.iter().all(|step| step.position.is_legal(step.square)));
            assert_eq!(replay.black_score().is_some(), replay.end.is_over());
        }
        Err(error) => check_message(&error.to_string()),
    }
}

/// Checks pattern sets in TOML.
pub fn pattern_set(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let set = match PatternSet::from_toml(text) {
        Ok(set) => set,
        Err(error) => return check_message(&error.to_string()),
    };
    assert_eq!(PatternSet::from_toml(&set.to_toml()).ok().as_ref(), Some(&set));
    // The classes of 3^10 configurations take long; those of 3^6 test as much.
    if set.patterns().iter().all(|pattern| pattern.squares().len() <= 6) {
        check_geometry(&Geometry::new(&set));
    }
    let sizes = set.patterns().iter().map(|pattern| pattern.squares().len());
    assert!(sizes.into_iter().all(|size| (1..=MAX_SQUARES).contains(&size)));
}

fn check_geometry(geometry: &Geometry) {
    assert!(geometry.instances.len() <= LANES);
    let position = Position::START.play(Square::at(5, 4).expect("f5")).expect("a first move");
    let mut of_position: Vec<usize> = geometry.parameters_of(&position).collect();
    of_position.sort_unstable();
    assert!(of_position.iter().all(|&parameter| parameter < geometry.parameters()));
    for symmetry in Symmetry::all() {
        let image = image(&position, symmetry);
        let mut of_image: Vec<usize> = geometry.parameters_of(&image).collect();
        of_image.sort_unstable();
        assert_eq!(of_image, of_position, "the same parameters for all eight images");
    }
}

/// Returns the image of a position under a symmetry of the board.
pub(super) fn image(position: &Position, symmetry: Symmetry) -> Position {
    let moved = |board: u64| {
        let squares = Square::all().filter(|square| board & square.bit() != 0);
        squares.fold(0, |image, square| image | symmetry.square(square).bit())
    };
    let image = Position::new(moved(position.player()), moved(position.opponent()));
    image.expect("an image keeps squares apart")
}
