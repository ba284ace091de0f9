use othello_testing::on_threads;
use othello_testing::scratch::path;

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
    let paths = ["1-thread.games", "3-threads.games"].map(path);
    let one = on_threads(1, || played(&paths[0], &run()));
    let three = on_threads(3, || played(&paths[1], &run()));
    assert_eq!(one, three);
    assert_eq!(one.games + one.duplicates, 600);
    assert!(one.duplicates > 0);
    let there = games(&paths[0]);
    assert_eq!(one.games, there.len() as u64);
    assert_eq!(one.positions, there.iter().map(|game| game.positions() as u64).sum::<u64>());
    assert_eq!(played(&paths[0], &run()), one);
}

impl Identified for WithModels {
    fn identity(&self) -> &str {
        "predicting"
    }
}

/// Pruned and limited searches depend on the table's content, so each game must have its own table.
#[test]
fn games_of_pruned_and_of_limited_searches_do_not_depend_on_threads() {
    let predicting = WithModels(predictions());
    let settings = |depth| Settings::new(5, "12..=30".parse().unwrap(), depth, 4);
    let play = |path: &Path, settings: Settings| {
        let run = Run::whole(settings, 120);
        play_games(path, &run, PerSide::both(&predicting), Existing::Keep, &Silent)
    };
    let both = |side| Settings { sides: PerSide::both(side), ..settings(1) };
    let to_depth = SideSettings::to_depth;
    let pruned =
        |depth| both(SideSettings { selectivity: Selectivity::Percent73, ..to_depth(depth) });
    let limited = |nodes| both(SideSettings { nodes: Some(nodes), ..to_depth(60) });
    for (number, settings) in [pruned(4), pruned(6), limited(300)].into_iter().enumerate() {
        let [one, three] = [1, 3].map(|threads| {
            let path = path(&format!("{number}-of-{threads}.games"));
            on_threads(threads, || play(&path, settings.clone())).unwrap()
        });
        assert_eq!(one, three);
    }
    let of_300 = path("2-of-1.games");
    assert!(play(&of_300, limited(301)).unwrap_err().to_string().contains("nodes"));
    let of_1000 = path("of-more-nodes.games");
    play(&of_1000, limited(1_000)).unwrap();
    assert_ne!(games(&of_1000), games(&of_300));
}

/// Plays a run in parts of `size` games, because a part of default size would hold the whole run.
fn play(path: &Path, run: &Run, size: u64, progress: &dyn Progress) -> Result<Played, RecordError> {
    play_in_parts(path, run, size, PerSide::both(&Mobility), Existing::Keep, progress)
}

#[test]
fn shards_and_parts_of_any_size_are_packed_into_the_undivided_file() {
    let whole = path("packed.games");
    let undisturbed = played(&whole, &run());
    for size in [1, 32, 256, 512] {
        let path = path(&format!("packed-{size}.games"));
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
    let whole = path("extended.games");
    played(&whole, &run());
    for size in [8, 256] {
        let path = path(&format!("extended-{size}.games"));
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

#[test]
fn a_part_with_other_games_than_those_of_its_numbers_is_made_again() {
    let undisturbed = play(&path("in-order.games"), &run(), 512, &Silent).unwrap();
    let orders: [&[usize]; 4] = [&[0, 0, 1], &[0], &[1, 0], &[0, 0]];
    for order in orders {
        let stopped = path(&format!("{order:?}.games"));
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
