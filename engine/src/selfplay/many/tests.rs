//! Tests of runs of games: shards, resumption, provenance.

use othello_testing::on_threads;

use super::*;
use crate::eval::Mobility;
use crate::file::{Reader, Writer};
use crate::progress::Silent;
use crate::search::tests::{WithModels, predictions};

fn run() -> Run {
    let settings = Settings::new(5, "3..=12".parse().unwrap(), 1, 5);
    Run::whole(Settings { values: true, ..settings }, 600)
}

fn played(path: &Path, run: &Run) -> Played {
    play_games(path, run, PerSide::both(&Mobility), Existing::Keep, &Silent).unwrap()
}

fn games(path: &Path) -> Vec<Game> {
    GameReader::open(path).unwrap().map(|game| game.unwrap()).collect()
}

#[test]
fn the_file_does_not_depend_on_threads_or_on_being_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let one = on_threads(1, || played(&path("1.games"), &run()));
    let three = on_threads(3, || played(&path("3.games"), &run()));
    assert_eq!(one, three);
    assert_eq!(one.games + one.duplicates, 600);
    assert!(one.duplicates > 0);
    let there = games(&path("1.games"));
    assert_eq!(one.games, there.len() as u64);
    assert_eq!(one.positions, there.iter().map(|game| game.positions() as u64).sum::<u64>());
    assert_eq!(played(&path("1.games"), &run()), one);
}

impl Identified for WithModels {
    fn identity(&self) -> &str {
        "predicting"
    }
}

/// The result of a pruned search depends on the table, so that each game needs its own.
#[test]
fn selective_games_do_not_depend_on_threads() {
    let predicting = WithModels(predictions());
    let folder = tempfile::tempdir().unwrap();
    for depth in [4, 6] {
        let settings = Settings::new(5, "12..=30".parse().unwrap(), depth, 4);
        let settings = Settings { selectivity: PerSide::both(Selectivity::Percent73), ..settings };
        let run = Run::whole(settings, 120);
        let played = |threads: usize| {
            let path = folder.path().join(format!("{depth}-{threads}.games"));
            let both = PerSide::both(&predicting);
            on_threads(threads, || play_games(&path, &run, both, Existing::Keep, &Silent)).unwrap()
        };
        assert_eq!(played(1), played(3));
    }
}

#[test]
fn games_of_limited_nodes_do_not_depend_on_threads_and_are_not_those_of_other_limits() {
    let folder = tempfile::tempdir().unwrap();
    let played = |nodes: u64, threads: usize| {
        let path = folder.path().join(format!("{nodes}-{threads}.games"));
        let settings = Settings::new(5, "12..=30".parse().unwrap(), 60, 4);
        let run = Run::whole(Settings { nodes: PerSide::both(Some(nodes)), ..settings }, 40);
        on_threads(threads, || played(&path, &run));
        (std::fs::read(&path).unwrap(), games(&path))
    };
    let (one, three) = (played(300, 1), played(300, 3));
    assert!(one == three);
    let path = folder.path().join("300-1.games");
    let settings = Settings::new(5, "12..=30".parse().unwrap(), 60, 4);
    let other = Run::whole(Settings { nodes: PerSide::both(Some(301)), ..settings }, 40);
    let refused = play_games(&path, &other, PerSide::both(&Mobility), Existing::Keep, &Silent);
    assert!(refused.unwrap_err().to_string().contains("nodes"));
    assert!(played(3_000, 1).1 != one.1);
}

#[test]
fn weights_without_predictions_are_refused_for_a_selective_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.games");
    let settings =
        Settings { selectivity: PerSide::both(Selectivity::Percent73), ..run().settings };
    let run = Run { settings, ..run() };
    let played = play_games(&path, &run, PerSide::both(&Mobility), Existing::Keep, &Silent);
    assert!(matches!(played, Err(RecordError::NoProbCut(_))));
    assert!(!path.exists());
}

/// Plays a run in parts of `size` games, since default parts are larger than a test run.
fn play(path: &Path, run: &Run, size: u64, progress: &dyn Progress) -> Result<Played, RecordError> {
    play_in_parts(path, run, size, PerSide::both(&Mobility), Existing::Keep, progress)
}

#[test]
fn shards_and_parts_of_any_size_are_packed_into_the_undivided_file() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.games");
    let undisturbed = played(&whole, &run());
    for size in [1, 32, 256, 512] {
        let path = folder.path().join(format!("{size}.games"));
        let shards = ["2/3", "1/3", "3/3"].map(|shard| {
            let run = Run { shard: shard.parse().unwrap(), ..run() };
            let played = play(&path, &run, size, &Silent).unwrap();
            assert_eq!(played.summary, None);
            played.games + played.duplicates
        });
        assert_eq!((shards.iter().sum::<u64>(), path.exists()), (600, false));
        let (parts, _) = run::Run::to_pack(&path).unwrap();
        assert_eq!(pack(&parts, &Silent).unwrap().games, undisturbed.games);
        parts.clean().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&whole).unwrap(), "{size}");
    }
}

#[derive(Default)]
struct Begun(std::sync::atomic::AtomicU64);

impl Progress for Begun {
    fn begin(&self, stage: &str, done: u64, _total: u64) {
        if stage == GAMES {
            self.0.store(done, std::sync::atomic::Ordering::SeqCst);
        }
    }

    fn advance(&self, _units: u64) {}

    fn message(&self, _line: &str) {}
}

#[test]
fn a_file_of_fewer_games_is_extended_to_the_file_of_an_undivided_run() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.games");
    played(&whole, &run());
    for size in [8, 256] {
        let path = folder.path().join(format!("{size}.games"));
        let mut before = 0;
        for games in [30, 300, 599, 600] {
            let progress = Begun::default();
            play(&path, &Run { games, ..run() }, size, &progress).unwrap();
            let standing = before / size * size;
            assert_eq!(progress.0.into_inner(), standing, "{games} in parts of {size}");
            before = games;
        }
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&whole).unwrap(), "{size}");
        let fewer = play(&path, &Run { games: 30, ..run() }, size, &Silent);
        let error = fewer.unwrap_err().to_string();
        assert!(error.contains("games: 600 there, 30 wanted"), "{error}");
    }
}

/// A regression: a part with a repeated frame, or frames in another order, was accepted.
#[test]
fn a_part_with_other_games_than_those_of_its_numbers_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.games");
    let undisturbed = play(&path, &run(), 512, &Silent).unwrap();
    let orders: [&[usize]; 4] = [&[0, 0, 1], &[0], &[1, 0], &[0, 0]];
    for order in orders {
        let stopped = folder.path().join(format!("{order:?}.games"));
        let first = Run { shard: "1/2".parse().unwrap(), ..run() };
        play(&stopped, &first, 512, &Silent).unwrap();
        let part = stopped.with_added_extension("parts").join("part-000000");
        let mut reader = Reader::open(&part, Kind::Part).unwrap();
        let sections: Vec<Section> = reader.by_ref().map(|section| section.unwrap()).collect();
        let mut writer = Writer::create(&part, Kind::Part, reader.provenance()).unwrap();
        for &number in order {
            writer.section(&sections[number].name, &sections[number].content).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(play(&stopped, &run(), 512, &Silent).unwrap(), undisturbed, "{order:?}");
    }
}
