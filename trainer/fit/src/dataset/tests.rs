//! Tests that compare the dataset with a slow implementation that stores all positions in maps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use othello_engine::board::{Phase, Position, Square, Symmetry};
use othello_engine::file::Provenance;
use othello_engine::progress::Silent;
use othello_engine::random::Generator;
use othello_engine::record::{Game, Label, ScoredPosition, Weight};
use othello_testing::random_games::random_moves;
use othello_testing::{on_threads, records};
use proptest::prelude::*;

use super::*;
use crate::memory::MemoryLimit;
use crate::source::LabelRules;

pub(super) fn games(count: u64) -> Vec<Game> {
    (0..count).map(|number| Game::new(2, &random_moves(number)).unwrap()).collect()
}

fn builder(split: Split) -> DatasetBuilder {
    DatasetBuilder::new(LabelRules::default(), split)
}

fn build(games: &[Game], split: Split) -> Dataset {
    let mut builder = builder(split);
    builder.add_games(games, 1.0);
    builder.finish()
}

fn rows(dataset: &Dataset, part: Subset) -> impl Iterator<Item = ScoredPosition> {
    Phase::all().flat_map(move |phase| dataset.subset(part, phase).to_vec())
}

fn content(dataset: &Dataset) -> Vec<Vec<ScoredPosition>> {
    let of = |subset| Phase::all().map(move |phase| dataset.subset(subset, phase).to_vec());
    Subset::ALL.into_iter().flat_map(of).collect()
}

fn positions(dataset: &Dataset, part: Subset) -> BTreeSet<Position> {
    rows(dataset, part).map(|row| row.position()).collect()
}

#[test]
fn training_is_what_a_map_would_hold() {
    let games = games(300);
    let dataset = build(&games, Split::none());
    let mut twin: BTreeMap<Position, (i64, i64)> = BTreeMap::new();
    for game in &games {
        for (ply, step) in game.replay().steps.iter().enumerate().skip(2) {
            assert_eq!(step.position.ply() as usize, ply);
            let score = game.black_score().unwrap() * step.side.sign();
            let entry = twin.entry(step.position.canonical()).or_default();
            *entry = (entry.0 + i64::from(score), entry.1 + 1);
        }
    }
    assert_eq!(dataset.len(Subset::Training), twin.len());
    assert!(twin.values().any(|&(_, count)| count > 10));
    for row in rows(&dataset, Subset::Training) {
        let (sum, count) = twin[&row.position()];
        let mean = sum as f64 / count as f64;
        assert!((row.label().discs() - mean).abs() <= 0.5 / 256.0, "{row:?} {mean}");
        assert_eq!(row.weight().occurrences(), count as f64);
    }
    for phase in Phase::all() {
        let rows = dataset.training(phase);
        assert!(rows.iter().all(|row| Phase::of(&row.position()) == Some(phase)));
        assert!(rows.is_sorted_by_key(merge::order));
    }
    assert_eq!(dataset.len(Subset::Validation) + dataset.len(Subset::Test), 0);
}

#[test]
fn games_are_split_whole_and_parts_share_no_position() {
    let games = games(1000);
    let split = Split { validation_percent: 20, test_percent: 10, ..Split::new(5) };
    let dataset = build(&games, split);
    let count = |part| games.iter().filter(|game| split.of_game(game) == Some(part)).count();
    assert!((150..250).contains(&count(Subset::Validation)), "{}", count(Subset::Validation));
    assert!((70..130).contains(&count(Subset::Test)), "{}", count(Subset::Test));
    let training = positions(&dataset, Subset::Training);
    for part in [Subset::Validation, Subset::Test] {
        let held_out = positions(&dataset, part);
        assert!(!held_out.is_empty() && training.is_disjoint(&held_out));
        let games = games.iter().filter(|game| split.of_game(game) == Some(part));
        let steps = games.flat_map(|game| game.replay().steps.into_iter().skip(2));
        let all = steps.map(|step| step.position.canonical()).collect::<BTreeSet<_>>();
        assert_eq!(held_out, all.difference(&training).copied().collect());
    }
}

#[test]
fn images_of_a_game_fall_in_the_same_part() {
    let split = Split::new(3);
    let transposed = Symmetry::all().nth(4).unwrap();
    for game in games(50) {
        let squares: Vec<Square> =
            game.squares().iter().map(|&square| transposed.square(square)).collect();
        let image = Game::new(0, &squares).unwrap();
        assert_eq!(split.of_game(&image), split.of_game(&game));
    }
}

fn layout(split: Split) -> LayoutSettings {
    LayoutSettings::new(LabelRules::default(), split)
}

#[test]
fn order_and_threads_do_not_matter() {
    let mut games = games(400);
    let split = Split::new(1);
    let expected = content(&build(&games, split));
    games.reverse();
    assert_eq!(on_threads(1, || content(&build(&games, split))), expected);
    assert_ne!(content(&build(&games, Split::new(2))), expected);
    assert_ne!(content(&build(&games[1..], split)), expected);
}

#[test]
fn files_are_mixed_by_their_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let games = games(700);
    records::write(&path("random.games"), games.clone());
    let label = Label::of_score(4).unwrap();
    let must_pass = Position::new(1, 0x70).unwrap();
    let rows = [
        ScoredPosition::new(Position::START, label, Weight::ONE),
        ScoredPosition::new(must_pass, label, Weight::ONE),
    ];
    assert_eq!(must_pass.moves(), 0);
    let enumerated = Provenance::new("test").with("enumerated", true);
    records::finish(records::begin(&path("all.positions"), &enumerated), rows);
    let choice = |name: &str| DataChoice { path: path(name), weight: 0.5 };
    let data = [choice("random.games"), choice("all.positions")];
    let read = || Dataset::read(&data, &[], &layout(Split::new(1)), &Silent).unwrap();
    let dataset = read();
    assert_eq!(dataset.dropped(), 1);
    assert_eq!(dataset.inputs.len(), 2);
    assert!(dataset.inputs.iter().all(|input| input.sha256.len() == 64 && input.weight == 0.5));
    let start = dataset.training(Phase::new(0).unwrap());
    assert_eq!((start.len(), start[0].weight().occurrences()), (1, 0.5));
    let mut builder = builder(Split::new(1));
    builder.add_positions(&rows, 0.5, true);
    builder.add_games(&games, 0.5);
    assert_eq!(content(&builder.finish()), content(&dataset));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn sorted_runs_give_the_dataset_that_one_run_gives(
        different in 1_u64..120,
        sizes in proptest::collection::vec(0_usize..80, 1..8),
        seed in any::<u64>(),
    ) {
        let different = games(different);
        let mut random = Generator::new(seed);
        let mut draw = || different[random.below(different.len() as u32) as usize].clone();
        let batch = |size: usize| ((0..size).map(|_| draw()).collect(), 0.1 + size as f64);
        let batches: Vec<(Vec<Game>, f64)> = sizes.into_iter().map(batch).collect();
        let split = Split { validation_percent: 20, test_percent: 20, ..Split::new(seed) };
        let mut one_run = builder(split);
        batches.iter().for_each(|(games, weight)| one_run.add_games(games, *weight));
        let folder = tempfile::tempdir().unwrap();
        let limit = MemoryLimit { bytes: 1, folder: folder.path().into() };
        let runs = batches.iter().enumerate().map(|(number, (games, weight))| {
            let mut builder = builder(split);
            builder.add_games(games, *weight);
            let run = builder.run.sort();
            if number % 2 == 0 { run.into_temporary(&limit).unwrap() } else { run }
        });
        let found = Dataset::merge(runs.collect(), &limit, &Silent).unwrap();
        prop_assert_eq!(content(&found), content(&one_run.finish()));
    }
}

/// With a limit of 8 MiB, the sorted positions do not fit into memory: a temporary file has them.
#[test]
fn any_limit_on_memory_gives_the_same_dataset_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.games");
    records::write(&path, games(1500));
    let data = [DataChoice { path, weight: 1.5 }];
    let settings = layout(Split::new(1));
    let expected = Dataset::read(&data, &[], &settings, &Silent).unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let read = |bytes| {
        let limit = Some(MemoryLimit { bytes, folder: temporary.path().into() });
        Dataset::read_within(limit, Phase::all().collect(), &data, &[], &settings, &Silent)
    };
    for (bytes, is_mapped) in [(8 << 20, true), (16 << 20, false), (1 << 40, false)] {
        let found = read(bytes).unwrap();
        assert_eq!(content(&found), content(&expected));
        assert_eq!(found.inputs, expected.inputs);
        assert_eq!(found.phases[30][0].is_mapped(), is_mapped, "{bytes}");
        assert_eq!(temporary.path().read_dir().unwrap().count(), 0);
    }
    let refused = read(1 << 20).unwrap_err().to_string();
    assert_eq!(refused, "1 MB of memory are too little: the work takes 7 MB; raise --memory-mb");
}

#[test]
fn the_phases_that_are_read_have_what_they_have_among_all() {
    let folder = tempfile::tempdir().unwrap();
    let choice = |name: &str| DataChoice { path: folder.path().join(name), weight: 1.0 };
    let data = [choice("some.games"), choice("some.positions")];
    records::write(&data[0].path, games(300));
    let alone = games(400).split_off(300).into_iter();
    let alone = alone.flat_map(|game| LabelRules::default().positions(&game, 1.0));
    records::write(&data[1].path, alone.collect::<Vec<_>>());
    let settings = layout(Split::new(1));
    let all = Dataset::read(&data, &[], &settings, &Silent).unwrap();
    let wanted: Vec<Phase> = [0, 20, 21, 59].map(|index| Phase::new(index).unwrap()).into();
    for bytes in [3 << 20, 1 << 40] {
        let limit = Some(MemoryLimit { bytes, folder: folder.path().into() });
        let phases = wanted.clone();
        let some = Dataset::read_within(limit, phases, &data, &[], &settings, &Silent).unwrap();
        assert_eq!((&some.inputs, some.games()), (&all.inputs, all.games()));
        for (part, phase) in
            Subset::ALL.into_iter().flat_map(|it| Phase::all().map(move |p| (it, p)))
        {
            let expected = if wanted.contains(&phase) { all.subset(part, phase) } else { &[] };
            assert_eq!(some.subset(part, phase), expected, "{part:?} {phase}");
        }
        assert_eq!(some.labels(wanted[1]), all.labels(wanted[1]));
    }
    let none = vec![wanted[0]];
    let read = Dataset::read_within(None, none, &data, &[], &settings, &Silent).unwrap();
    assert!(
        read.is_empty(),
        "no game has a label at the first ply: the fit says so, not the reader"
    );
}

#[test]
fn plain_positions_are_split_and_enumerated_ones_are_not() {
    let all: Vec<ScoredPosition> =
        games(100).iter().flat_map(|game| LabelRules::default().positions(game, 1.0)).collect();
    let count = |enumerated, part| {
        let mut builder = builder(Split::new(1));
        builder.add_positions(&all, 1.0, enumerated);
        builder.finish().len(part)
    };
    assert_eq!(count(true, Subset::Validation) + count(true, Subset::Test), 0);
    let total = count(true, Subset::Training);
    let held_out = count(false, Subset::Validation);
    assert!((total / 30..total / 12).contains(&held_out), "{held_out} of {total}");
}

#[test]
fn a_test_of_its_own_is_neither_split_nor_in_training() {
    let folder = tempfile::tempdir().unwrap();
    let choices = |name: &str, games: &[Game]| {
        records::write(&folder.path().join(name), games.to_vec());
        vec![DataChoice { path: folder.path().join(name), weight: 1.0 }]
    };
    let all = games(300);
    let (data, test) = (choices("data.games", &all[..200]), choices("test.games", &all[100..]));
    let split = Split { test_percent: 0, ..Split::new(1) };
    let read = |test| Dataset::read(&data, test, &layout(split), &Silent).unwrap();
    let (with, without) = (read(&test), read(&[]));
    assert_eq!((with.inputs.len(), with.test_inputs.len()), (1, 1));
    assert_eq!(without.len(Subset::Test), 0);
    let mut expected = builder(Split::none());
    expected.add_games(&all[100..], 1.0);
    let expected = expected.finish();
    for phase in Phase::all() {
        assert_eq!(with.training(phase), without.training(phase));
        assert_eq!(with.validation(phase), without.validation(phase));
        let positions = |rows: &[ScoredPosition]| -> BTreeSet<Position> {
            rows.iter().map(ScoredPosition::position).collect()
        };
        let trained = positions(with.training(phase));
        let mut wanted = positions(expected.training(phase));
        wanted.retain(|position| !trained.contains(position));
        assert_eq!(positions(with.test(phase)), wanted, "phase {phase}");
    }
}

#[test]
fn what_is_no_data_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "nothing of ours").unwrap();
    let read = |path: &Path| {
        let data = [DataChoice { path: path.into(), weight: 1.0 }];
        Dataset::read(&data, &[], &layout(Split::new(1)), &Silent).unwrap_err().to_string()
    };
    assert!(read(&path).contains("notes.txt"));
    let empty = folder.path().join("no.games");
    records::write::<Game>(&empty, []);
    assert!(read(&empty).contains("no position in "));
}
