//! Tests of runs of games: shards, resumption, provenance.

use othello_testing::{StopAfter, on_threads, records};

use super::*;
use crate::eval::{ERROR_TERMS, MEAN_TERMS, Mobility, Models, ProbCut};
use crate::file::Checkpoint;
use crate::progress::Silent;
use crate::record::Record as _;
use crate::search::tests::WithModels;

/// Returns a run of three frames, with games that repeat others.
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

    let killed = path("killed.games");
    let (provenance, frames) = records::frames::<Game>(&path("1.games"));
    records::leave(&killed, &provenance, &frames[..1]);
    assert_eq!(played(&killed, &run()), one);
}

impl Identified for WithModels {
    fn identity(&self) -> &str {
        "predicting"
    }
}

/// The result of a selective search depends on the content of the table: each game has its own
/// table.
#[test]
fn selective_games_do_not_depend_on_threads() {
    let mut mean = [0.0; MEAN_TERMS];
    mean[0] = 1.0;
    let mut error = [0.0; ERROR_TERMS];
    error[0] = 1.0;
    let probcut = Some(ProbCut::new(mean, error).unwrap());
    let predicting = WithModels(Models { probcut, ..Models::NONE });
    let folder = tempfile::tempdir().unwrap();
    for depth in [4, 6] {
        let settings = Settings::new(5, "12..=30".parse().unwrap(), depth, 4);
        let settings = Settings { selectivity: Selectivity::Percent73, ..settings };
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
        let run = Run::whole(Settings { nodes: Some(nodes), ..settings }, 40);
        on_threads(threads, || played(&path, &run));
        (std::fs::read(&path).unwrap(), games(&path))
    };
    let (one, three) = (played(300, 1), played(300, 3));
    assert!(one == three);
    let path = folder.path().join("300-1.games");
    let settings = Settings::new(5, "12..=30".parse().unwrap(), 60, 4);
    let other = Run::whole(Settings { nodes: Some(301), ..settings }, 40);
    let refused = play_games(&path, &other, PerSide::both(&Mobility), Existing::Keep, &Silent);
    assert!(refused.unwrap_err().to_string().contains("nodes"));
    assert!(played(3_000, 1).1 != one.1);
}

#[test]
fn weights_without_predictions_are_refused_for_a_selective_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.games");
    let settings = Settings { selectivity: Selectivity::Percent73, ..run().settings };
    let run = Run { settings, ..run() };
    let played = play_games(&path, &run, PerSide::both(&Mobility), Existing::Keep, &Silent);
    assert!(matches!(played, Err(RecordError::NoProbCut(_))));
    assert!(!path.exists());
}

/// A regression: frames with right checksums that were doubled or left out were kept.
#[test]
fn a_doubled_or_dropped_frame_of_an_unfinished_file_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let whole = played(&path("whole.games"), &run());
    let bytes = std::fs::read(path("whole.games")).unwrap();
    let (provenance, frames) = records::frames::<Game>(&path("whole.games"));
    let forged: [(&[usize], u64); 5] =
        [(&[0, 0], 256), (&[1], 0), (&[0, 2], 256), (&[0, 1, 2, 2], 600), (&[0, 1, 2], 600)];
    for (number, (frames_there, kept)) in forged.into_iter().enumerate() {
        let path = path(&format!("{number}.games"));
        records::leave(&path, &provenance, frames_there.iter().map(|&frame| &frames[frame]));
        let progress = StopAfter::units(u64::MAX);
        let evaluators = PerSide::both(&Mobility);
        let resumed = play_games(&path, &run(), evaluators, Existing::Keep, &progress).unwrap();
        assert_eq!((&resumed, progress.begun_with()), (&whole, kept), "{frames_there:?}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{frames_there:?}");
    }
}

/// The recorded game belongs to another number, with right checksums.
#[test]
fn a_recorded_game_that_is_not_the_one_of_its_number_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    played(&path("whole.games"), &run());
    let wrong = GameReader::open(&path("whole.games")).unwrap().last().unwrap().unwrap();
    let provenance = run().provenance(PerSide::both("mobility"));
    let (mut checkpoint, _) =
        Checkpoint::open(&path("1.games"), &provenance, Existing::Keep).unwrap();
    for name in ["0", "255", "18446744073709551615", "-1"] {
        checkpoint.record(name, &Game::encode_frame(&[wrong.clone(), wrong.clone()])).unwrap();
    }
    drop(checkpoint);
    played(&path("1.games"), &run());
    let bytes = |name: &str| std::fs::read(path(name)).unwrap();
    assert_eq!(bytes("1.games"), bytes("whole.games"));
}

/// A regression: a run that found its file complete did not say so.
#[test]
fn a_complete_file_is_said_to_be_from_an_earlier_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole.games");
    played(&path, &run());
    let progress = StopAfter::units(u64::MAX);
    play_games(&path, &run(), PerSide::both(&Mobility), Existing::Keep, &progress).unwrap();
    assert_eq!((progress.begun_with(), progress.finished()), (600, 0));
}

#[test]
fn every_game_that_was_finished_before_an_interruption_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.games");
    let undisturbed = played(&whole, &run());
    let path = folder.path().join("stopped.games");
    let mut finished = 0;
    for units in [1, 200, 0, 90, 150, u64::MAX] {
        let progress = StopAfter::units(units);
        let result = play_games(&path, &run(), PerSide::both(&Mobility), Existing::Keep, &progress);
        assert_eq!(progress.begun_with(), finished);
        finished += progress.finished();
        match result {
            Err(error) => assert!(matches!(error, RecordError::Interrupted(_)), "{error}"),
            Ok(played) => assert_eq!(played, undisturbed),
        }
    }
    assert_eq!(finished, run().games);
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&whole).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn shards_one_after_the_other_are_the_whole_but_for_duplicates() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    played(&path("whole.games"), &run());
    let mut tally = Tally::default();
    let mut joined = vec![];
    for shard in ["1/2", "2/2"] {
        let path = path(&shard.replace('/', "of"));
        played(&path, &Run { shard: shard.parse().unwrap(), ..run() });
        joined.extend(games(&path));
    }
    joined.retain(|game| tally.is_new(game));
    assert_eq!(joined, games(&path("whole.games")));
}

#[test]
fn frames_hold_all_games_once() {
    for games in [0, 1, 255, 256, 257, u64::MAX] {
        let run = Run { games, ..run() };
        assert_eq!(run.games_of(run.frames()), 0..games);
    }
}
