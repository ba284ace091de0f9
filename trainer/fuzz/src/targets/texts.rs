//! Fuzz targets for text parsers. An accepted value must not change when printed and parsed again.

use othello_engine::board::notation::board_text;
use othello_engine::board::transcript::{self, Form, Replay};
use othello_engine::board::{Phase, Position, Square, StatedPosition, Symmetry};
use othello_engine::eval::WeightsChoice;
use othello_engine::pattern::{Geometry, LANES, MAX_SQUARES, PatternSet};
use othello_engine::record::{Game, RecordFolder, Shard, Solved};
use othello_engine::selfplay::{MAX_RANDOM_PLIES, OpeningsChoice, PerfectFrom, Schedule};
use othello_trainer::dataset::{DataChoice, DatasetFolder};
use othello_trainer::fit::{FitSettings, Window};
use othello_trainer::model::Phases;
use othello_trainer::source::LabelRules;

use super::{check_message, checked, reads_back};

pub(super) fn arguments(text: &str) {
    let _ = (reads_back::<PerfectFrom>(text), reads_back::<Square>(text));
    let _ = (reads_back::<WeightsChoice>(text), reads_back::<OpeningsChoice>(text));
    if let Some(shard) = reads_back::<Shard>(text) {
        assert!(shard.overlaps(shard) && shard.makes(shard.number() - 1));
    }
    if let Some(schedule) = reads_back::<Schedule>(text) {
        let mut random = othello_engine::random::Generator::new(1);
        assert!(usize::from(schedule.draw(&mut random)) <= MAX_RANDOM_PLIES);
        assert!(schedule.deal(1, u64::MAX).0 <= MAX_RANDOM_PLIES);
    }
}

pub(super) fn boards(text: &str) {
    let Some(problem) = checked(text.parse::<StatedPosition>()) else { return };
    check_position(&problem.position);
    let moves = problem.moves.iter().map(|(square, score)| format!("; {square}:{score}"));
    let score = problem.score.filter(|_| problem.form == Form::Obf);
    let parts = moves.chain(score.map(|score| format!("; {score:+}")));
    let printed = board_text(&problem.position, problem.side) + &parts.collect::<String>();
    let again: StatedPosition = printed.parse().expect("it was printed");
    assert_eq!((again.position, again.side), (problem.position, problem.side));
    assert_eq!(again.moves, problem.moves);
    assert!(problem.score.is_none_or(|score| score.abs() <= 64.0));
}

fn check_position(position: &Position) {
    assert_eq!(position.player() & position.opponent(), 0);
    assert!((4..=64).contains(&position.discs()));
    let played = Square::all().filter(|&square| position.play(square).is_some());
    assert_eq!(played.fold(0, |moves, square| moves | square.bit()), position.moves());
}

pub(super) fn transcript(text: &str) {
    if let Some((_, read)) = checked(transcript::read(text)) {
        let squares: Vec<Square> = read.steps.iter().map(|step| step.square).collect();
        let replay = Replay::from_start(&squares).expect("moves that were played");
        assert_eq!((replay.end, replay.side), (read.end, read.side));
    }
    let Some(squares) = checked(transcript::parse(text)) else { return };
    let printed: String = squares.iter().map(Square::to_string).collect();
    assert_eq!(transcript::parse(&printed).as_ref(), Ok(&squares));
    let Some(replay) = checked(Replay::from_start(&squares)) else { return };
    assert_eq!(replay.steps.len(), squares.len());
    assert!(squares.len() <= 60);
    assert!(replay.steps.iter().all(|step| step.position.is_legal(step.square)));
    assert_eq!(replay.black_score().is_some(), replay.end.is_over());
}

pub(super) fn pattern_set(text: &str) {
    let Some(set) = checked(PatternSet::from_toml(text)) else { return };
    assert_eq!(PatternSet::from_toml(&set.to_toml()).ok().as_ref(), Some(&set));
    // Patterns of 6 squares test as much as those of 10, which take long.
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

pub(super) fn image(position: &Position, symmetry: Symmetry) -> Position {
    let moved = |board: u64| {
        let squares = Square::all().filter(|square| board & square.bit() != 0);
        squares.fold(0, |image, square| image | symmetry.square(square).bit())
    };
    let image = Position::new(moved(position.player()), moved(position.opponent()));
    image.expect("an image keeps squares apart")
}

pub(super) fn fit_arguments(text: &str) {
    if let Some(window) = reads_back::<Window>(text) {
        for phase in Phase::all() {
            assert!(window.around(phase).all(|(_, factor)| factor <= 256));
            assert!(window.around(phase).any(|(near, factor)| near == phase && factor == 256));
        }
    }
    if let Some(data) = reads_back::<DataChoice>(text) {
        assert!(data.weight > 0.0 && data.weight <= 1000.0);
    }
    let phases = checked(text.parse::<Phases>());
    assert!(phases.is_none_or(|phases| phases.0.start() <= phases.0.end()));
}

pub(super) fn labels(text: &str) {
    let Some(rules) = reads_back::<LabelRules>(text) else { return };
    let moves = transcript::parse("f5d6c5f4e7f6g5e6e3").expect("squares");
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

pub(super) fn settings(text: &str) {
    let Some(settings) = checked(FitSettings::from_toml(text)) else { return };
    assert!(settings.check().is_ok());
    assert!(settings.ridge > 0.0 && settings.ridge.is_finite());
}

/// The reader of `records.json` must refuse file names that contain a folder, such as `../a.games`.
pub(super) fn manifests(data: &[u8]) {
    let files = checked(RecordFolder::parse(data));
    for name in files.iter().flat_map(|files| files.keys()) {
        let path = std::path::Path::new(name);
        assert_eq!(path.file_name(), Some(path.as_os_str()), "{name:?}");
        check_message(name);
    }
    let _ = checked(DatasetFolder::check(data));
}
