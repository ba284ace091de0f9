//! Tests the relabelling of random games, whose results are far from perfect play.

use othello_engine::eval::Mobility;
use othello_engine::record::{Game, Solved};
use othello_engine::search;

use super::relabelled;
use crate::records::relabel::{Relabel, Relabelled, Search, Settings};
use crate::records::testing::{Folder, random_game, score_by_brute_force};

const EXACT: Settings = Settings { exact: 8, search: None };

/// Returns random games, of which every tenth is unfinished.
fn games(count: u64) -> Vec<Game> {
    let most = |number: u64| if number.is_multiple_of(10) { 45 + number as usize % 16 } else { 60 };
    (0..count).map(|number| random_game(number, 6, most(number))).collect()
}

fn relabel_in(folder: &Folder, inputs: &[&str], out: &str) -> Relabelled {
    relabelled::<Game>(folder, inputs, &EXACT, None, out)
}

#[test]
fn every_position_from_there_on_has_its_exact_score() {
    let mut searcher = search::Search::new(&Mobility).hash_mb(1).searcher().unwrap();
    let settings = Settings { exact: 6, search: None };
    for game in games(60) {
        let after = game.relabelled(&settings, &[], &mut searcher);
        assert_eq!(after.squares(), game.squares());
        let replay = after.replay();
        let moves = replay.steps.len();
        for (ply, step) in replay.steps.iter().enumerate() {
            let value = after.values().and_then(|values| values[ply]);
            let exact = (ply >= 54).then(|| score_by_brute_force(&step.position) as i8);
            assert_eq!(value, exact, "ply {ply} of {moves}");
        }
        let solved = (moves >= 54).then(|| {
            let first = replay.steps.get(54).map_or(replay.end, |step| step.position);
            let side = replay.steps.get(54).map_or(replay.side, |step| step.side);
            Solved { ply: 54, black_score: score_by_brute_force(&first) * side.sign() }
        });
        assert_eq!(after.solved(), solved, "{moves} moves");
    }
}

#[test]
fn an_earlier_solved_position_stays_and_nothing_inexact_follows_it() {
    let mut searcher = search::Search::new(&Mobility).hash_mb(1).searcher().unwrap();
    let earlier = Solved { ply: 40, black_score: 10 };
    let game = games(2).remove(1).with_solved(earlier).unwrap();
    let settings = Settings { exact: 6, search: Some(Search::to_depth(2)) };
    let after = game.relabelled(&settings, &[], &mut searcher);
    assert_eq!(after.solved(), Some(earlier));
    let values = after.values().unwrap();
    for (ply, value) in values.iter().enumerate() {
        let searched = (6..40).contains(&ply) || ply >= 54;
        assert_eq!(value.is_some(), searched, "ply {ply}");
    }
    let position = after.replay().steps[20].position;
    let found = searcher.search(&position, 2).value;
    assert!((f64::from(values[20].unwrap()) - found.discs()).abs() <= 0.5);
    let later = games(2).remove(1).with_solved(Solved { ply: 58, black_score: 64 }).unwrap();
    assert_eq!(later.relabelled(&settings, &[], &mut searcher).solved().unwrap().ply, 54);
}

#[test]
fn inputs_are_one_sequence() {
    let folder = Folder::new();
    let games = games(700);
    for (name, part) in [("whole", &games[..]), ("1", &games[..300]), ("2", &games[300..])] {
        folder.write(name, part);
    }
    let relabelled = relabel_in(&folder, &["whole"], "whole.games");
    assert_eq!(relabelled.records, 700);
    relabel_in(&folder, &["1", "2"], "parts.games");
    assert_eq!(folder.read::<Game>("parts.games"), folder.read::<Game>("whole.games"));
    assert_eq!(relabel_in(&folder, &["whole"], "whole.games"), relabelled);
}

#[test]
fn changes_are_those_of_results_against_exact_scores() {
    let folder = Folder::new();
    let games = games(300);
    folder.write("some", &games);
    let Relabelled { changes, .. } = relabel_in(&folder, &["some"], "some.games");
    let (mut solved, mut changed, mut discs) = (0, 0, 0);
    for (before, after) in games.iter().zip(folder.read::<Game>("some.games")) {
        let Some(first) = after.solved() else { continue };
        solved += 1;
        let Some(result) = before.black_score() else { continue };
        changed += u64::from(first.black_score != result);
        discs += u64::from(first.black_score.abs_diff(result));
    }
    assert_eq!((changes.solved, changes.changed, changes.contradicted), (solved, changed, 0));
    assert!(changed > 50 && changes.other_winner > 0 && changes.other_winner <= changed);
    assert_eq!(changes.by_discs.values().sum::<u64>(), changes.results);
    assert_eq!(changes.mean_discs(), Some(discs as f64 / changes.results as f64));
}

#[test]
fn a_stated_score_that_is_wrong_is_counted_and_corrected() {
    let folder = Folder::new();
    let wrong = Solved { ply: 52, black_score: 2 };
    let stated = |game: Game| match game.squares().len() {
        52.. => game.with_solved(wrong).unwrap(),
        _ => game,
    };
    let games: Vec<Game> = games(40).into_iter().map(stated).collect();
    folder.write("wrong", &games);
    let Relabelled { changes, .. } = relabel_in(&folder, &["wrong"], "right.games");
    let right = folder.read::<Game>("right.games");
    let exact = right.iter().filter(|game| game.solved().is_some_and(|s| s.black_score == 2));
    assert_eq!(changes.contradicted, changes.solved - exact.count() as u64);
}
