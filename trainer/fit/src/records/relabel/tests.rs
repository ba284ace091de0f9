//! Tests of relabelling: of random games, whose results are far from perfect play, and of positions
//! of random games with wrong labels. A simulated device (GPU kernels run on the CPU) must find the
//! same labels as the native code.

use std::collections::BTreeMap;

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::record::{Game, Label, PositionReader, ScoredPosition, Solved, Weight};
use othello_engine::run::{Run, Shard};
use othello_engine::search;
use othello_kernels::host::HostLauncher;

use crate::backend::SolveMany;
use crate::backend::kernels::{KernelSolver, solver_program};
use crate::records::relabel::{
    Changes, Relabel, RelabelJob, Relabelled, Search, Settings, relabel, relabel_in_parts,
};
use crate::records::sequence::{Inputs, pack};
use crate::records::tests::{Folder, inputs, random_game, score_by_brute_force};

fn relabelled<R: Relabel>(
    folder: &Folder,
    inputs: &[&str],
    settings: &Settings,
    device: Option<&dyn SolveMany>,
    out: &str,
) -> Relabelled {
    let paths: Vec<_> = inputs.iter().map(|name| folder.path(name)).collect();
    let inputs = Inputs::<R>::count(&paths, &Silent).unwrap();
    let settings = settings.clone();
    let job = RelabelJob { settings, inputs: &inputs, shard: Shard::WHOLE, device };
    relabel(&folder.path(out), &job, &Mobility, Existing::Keep, &Silent).unwrap()
}

const EXACT_GAMES: Settings = Settings { exact: 8, search: None };

fn games(count: u64) -> Vec<Game> {
    let most = |number: u64| if number.is_multiple_of(10) { 45 + number as usize % 16 } else { 60 };
    (0..count).map(|number| random_game(number, 6, most(number))).collect()
}

fn relabel_games(folder: &Folder, inputs: &[&str], out: &str) -> Relabelled {
    relabelled::<Game>(folder, inputs, &EXACT_GAMES, None, out)
}

fn to_depth(depth: u32) -> Search {
    Search { depth, nodes: None, selectivity: search::Selectivity::Full }
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
    let settings = Settings { exact: 6, search: Some(to_depth(2)) };
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
    let relabelled = relabel_games(&folder, &["whole"], "whole.games");
    assert_eq!(relabelled.records, 700);
    relabel_games(&folder, &["1", "2"], "parts.games");
    assert_eq!(folder.read::<Game>("parts.games"), folder.read::<Game>("whole.games"));
    assert_eq!(relabel_games(&folder, &["whole"], "whole.games"), relabelled);
}

#[test]
fn changes_are_those_of_results_against_exact_scores() {
    let folder = Folder::new();
    let games = games(300);
    folder.write("some", &games);
    let Relabelled { changes, .. } = relabel_games(&folder, &["some"], "some.games");
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
    let Relabelled { changes, .. } = relabel_games(&folder, &["wrong"], "right.games");
    let right = folder.read::<Game>("right.games");
    let exact = right.iter().filter(|game| game.solved().is_some_and(|s| s.black_score == 2));
    assert_eq!(changes.contradicted, changes.solved - exact.count() as u64);
}

const EXACT_POSITIONS: Settings = Settings { exact: 5, search: None };

#[test]
fn searches_of_many_nodes_are_not_noted_by_the_thousand() {
    let at_once = |nodes| {
        let search = Some(Search { nodes: Some(nodes), ..to_depth(60) });
        <ScoredPosition as Relabel>::at_once(&Settings { exact: 0, search })
    };
    assert_eq!([10, 1000, 1 << 20].map(at_once), [1024, 65, 1]);
}

fn positions(games: u64) -> Vec<ScoredPosition> {
    let wrong = |(position, number): (_, u64)| {
        let label = Label::new((number % 4000) as i16).unwrap();
        ScoredPosition::new(position, label, Weight::new(1 + number as u16 % 99).unwrap())
    };
    let positions = (0..games).flat_map(|number| {
        let replay = random_game(number, 0, 60).replay();
        let before = replay.steps.into_iter().map(|step| step.position);
        before.chain([replay.end, replay.end.pass()]).collect::<Vec<_>>()
    });
    positions.zip(0..).map(wrong).collect()
}

fn relabel_positions(folder: &Folder, settings: &Settings, out: &str) -> Relabelled {
    relabelled::<ScoredPosition>(folder, &["all.positions"], settings, None, out)
}

#[test]
fn few_empty_squares_give_the_exact_score_and_others_keep_what_they_have() {
    let folder = Folder::new();
    let before = positions(40);
    folder.write("all.positions", &before);
    let relabelled = relabel_positions(&folder, &EXACT_POSITIONS, "exact");
    let after: Vec<ScoredPosition> = folder.read("exact");
    let mut changes = Changes::default();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((before.position(), before.weight()), (after.position(), after.weight()));
        if before.position().empties() > 5 {
            assert_eq!(before, after);
            continue;
        }
        let exact = score_by_brute_force(&before.position());
        assert_eq!(after.label().discs(), f64::from(exact), "{before:?}");
        Relabel::count(&mut changes, &EXACT_POSITIONS, before, after);
    }
    assert_eq!((before.len(), relabelled.records), (after.len(), after.len() as u64));
    assert_eq!(relabelled.changes, changes);
    assert!(changes.solved > 240 && changes.changed > 200 && changes.other_winner > 50);
    assert_eq!(changes.by_discs.values().sum::<u64>(), changes.solved);
}

#[test]
fn with_a_depth_the_others_get_what_a_search_finds() {
    let folder = Folder::new();
    let before = positions(4);
    folder.write("all.positions", &before);
    let settings = Settings { exact: 5, search: Some(to_depth(2)) };
    relabel_positions(&folder, &settings, "searched");
    let mut searcher = search::Search::new(&Mobility).hash_mb(1).searcher().unwrap();
    for after in folder.read::<ScoredPosition>("searched") {
        if after.position().empties() > 5 {
            let value = searcher.search(&after.position(), 2).value;
            assert_eq!(after.label().discs(), value.discs());
        }
    }
}

/// A search must stop at the limit on nodes, but solving a position must not.
#[test]
fn nodes_end_the_searches_before_exact_scores() {
    let folder = Folder::new();
    folder.write("all.positions", &positions(4));
    let search = Search { nodes: Some(40), ..to_depth(60) };
    let settings = Settings { exact: 5, search: Some(search) };
    let relabelled = relabel_positions(&folder, &settings, "limited");
    let mut searcher = search::Search::new(&Mobility).hash_mb(1).searcher().unwrap();
    let (mut solved, mut shallow) = (0, 0);
    for after in folder.read::<ScoredPosition>("limited") {
        let (position, label) = (after.position(), after.label().discs());
        searcher.new_game();
        if position.empties() <= 5 {
            solved += 1;
            assert_eq!(label, f64::from(score_by_brute_force(&position)));
        } else if position.empties() > 7 {
            let shallowest = searcher.search(&position, 2);
            if shallowest.nodes >= 40 {
                shallow += 1;
                assert_eq!(label, shallowest.value.discs(), "{position:?}");
            }
        }
    }
    assert_eq!(relabelled.changes.solved, solved);
    assert!(shallow > 10, "{shallow}");
}

#[test]
fn shards_end_as_the_undivided_run() {
    let folder = Folder::new();
    folder.write("all.positions", &positions(160));
    let whole = relabel_positions(&folder, &EXACT_POSITIONS, "whole");
    let inputs = inputs::<ScoredPosition>(&folder.path("all.positions"));
    let shards = ["3/3", "1/3", "2/3"].map(|shard| {
        let shard = shard.parse().unwrap();
        let job = RelabelJob { settings: EXACT_POSITIONS, inputs: &inputs, shard, device: None };
        let (out, existing) = (folder.path("shared"), Existing::Keep);
        let made = relabel_in_parts(&out, &job, 1000, &Mobility, existing, &Silent).unwrap();
        assert_eq!(made.summary, None);
        (made.records, made.changes.solved)
    });
    assert_eq!(shards.iter().map(|shard| shard.0).sum::<u64>(), whole.records);
    assert_eq!(shards.iter().map(|shard| shard.1).sum::<u64>(), whole.changes.solved);
    let (run, _) = Run::to_pack(&folder.path("shared")).unwrap();
    assert_eq!(pack::<ScoredPosition>(&run, &Silent).unwrap().summary, whole.summary);
    assert_eq!(folder.bytes("shared"), folder.bytes("whole"));
}

/// A file of all openings must still be marked as a complete enumeration after relabelling.
#[test]
fn relabelled_openings_are_still_all_there_are() {
    let folder = Folder::new();
    let path = folder.path("all.openings");
    let settings = othello_engine::openings::Settings::whole(3, 1);
    othello_engine::openings::write_openings(&path, &settings, &Mobility, Existing::Keep, &Silent)
        .unwrap();
    std::fs::rename(path, folder.path("all.positions")).unwrap();
    let settings = Settings { exact: 0, search: Some(to_depth(3)) };
    relabel_positions(&folder, &settings, "deeper");
    assert!(PositionReader::open(&folder.path("deeper")).unwrap().is_enumerated());
    let labels = |name: &str| -> BTreeMap<_, _> {
        let rows = folder.read::<ScoredPosition>(name).into_iter();
        rows.map(|row| (row.position(), row.label())).collect()
    };
    assert_ne!(labels("deeper"), labels("all.positions"));
}

fn check<R: Relabel>(folder: &Folder, settings: &Settings, device: &dyn SolveMany, name: &str) {
    for (device, out) in [(None, "cpu"), (Some(device), "device")] {
        relabelled::<R>(folder, &["all"], settings, device, out);
    }
    assert!(folder.bytes("device") == folder.bytes("cpu"), "{name}");
}

#[test]
fn games_and_positions_have_the_same_labels_by_a_device() {
    let launcher = HostLauncher::new(&solver_program()).unwrap();
    // The CPU must solve the positions that exceed this limit.
    let mut device = KernelSolver::new(launcher);
    device.most_steps = 400;
    let games: Vec<Game> = (0..40)
        .map(|number| random_game(number, 6, if number % 10 == 0 { 50 } else { 60 }))
        .collect();
    let mut positions: Vec<ScoredPosition> = vec![];
    for game in &games {
        let replay = game.replay();
        let before = replay.steps.iter().map(|step| step.position);
        let all = before.chain([replay.end, replay.end.pass()]).skip(44);
        let label = Label::of_score(2).unwrap();
        positions.extend(all.map(|p| ScoredPosition::new(p, label, Weight::ONE)));
    }
    let solved = device
        .solve_many(&positions.iter().map(ScoredPosition::position).collect::<Vec<_>>(), &Silent);
    let missing = solved.unwrap().scores.iter().filter(|score| score.is_none()).count();
    assert!((50..positions.len() - 50).contains(&missing), "{missing} of {}", positions.len());
    let search = Search { nodes: None, ..to_depth(2) };
    let all_settings =
        [(8, None), (15, None), (6, Some(search)), (0, Some(Search { depth: 7, ..search }))];
    for (number, (exact, search)) in all_settings.into_iter().enumerate() {
        let settings = Settings { exact, search };
        let folder = Folder::new();
        folder.write("all", &games);
        check::<Game>(&folder, &settings, &device, &format!("games-{number}"));
        let folder = Folder::new();
        folder.write("all", &positions);
        check::<ScoredPosition>(&folder, &settings, &device, &format!("positions-{number}"));
    }
}
