//! Tests the relabelling of positions of random games that have wrong labels.

use std::collections::BTreeMap;

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::record::{Label, PositionReader, ScoredPosition, Weight};
use othello_engine::run::Run;
use othello_engine::search;

use super::relabelled;
use crate::records::relabel::{
    Changes, Relabel, RelabelJob, Relabelled, Search, Settings, relabel_in_parts,
};
use crate::records::sequence::pack;
use crate::records::testing::{Folder, inputs, random_game, score_by_brute_force};

const EXACT: Settings = Settings { exact: 5, search: None };

#[test]
fn searches_of_many_nodes_are_not_noted_by_the_thousand() {
    let at_once = |nodes| {
        let search = Some(Search { nodes: Some(nodes), ..Search::to_depth(60) });
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

fn relabel_in(folder: &Folder, settings: &Settings, out: &str) -> Relabelled {
    relabelled::<ScoredPosition>(folder, &["all.positions"], settings, None, out)
}

#[test]
fn few_empty_squares_give_the_exact_score_and_others_keep_what_they_have() {
    let folder = Folder::new();
    let before = positions(40);
    folder.write("all.positions", &before);
    let relabelled = relabel_in(&folder, &EXACT, "exact");
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
        Relabel::count(&mut changes, &EXACT, before, after);
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
    let settings = Settings { exact: 5, search: Some(Search::to_depth(2)) };
    relabel_in(&folder, &settings, "searched");
    let mut searcher = search::Search::new(&Mobility).hash_mb(1).searcher().unwrap();
    for after in folder.read::<ScoredPosition>("searched") {
        if after.position().empties() > 5 {
            let value = searcher.search(&after.position(), 2).value;
            assert_eq!(after.label().discs(), value.discs());
        }
    }
}

/// A search must reach the depth that its limit on nodes allows. It must not replace exact scores,
/// which positions with few empty squares get.
#[test]
fn nodes_end_the_searches_before_exact_scores() {
    let folder = Folder::new();
    folder.write("all.positions", &positions(4));
    let search = Search { nodes: Some(40), ..Search::to_depth(60) };
    let settings = Settings { exact: 5, search: Some(search) };
    let relabelled = relabel_in(&folder, &settings, "limited");
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
    let whole = relabel_in(&folder, &EXACT, "whole");
    let inputs = inputs::<ScoredPosition>(&folder.path("all.positions"));
    let shards = ["3/3", "1/3", "2/3"].map(|shard| {
        let shard = shard.parse().unwrap();
        let job = RelabelJob { settings: EXACT, inputs: &inputs, shard, device: None };
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

/// A complete enumeration, such as all openings, must still be marked as one when it is relabelled.
#[test]
fn relabelled_openings_are_still_all_there_are() {
    let folder = Folder::new();
    let path = folder.path("all.openings");
    let settings = othello_engine::openings::Settings::whole(3, 1);
    othello_engine::openings::write_openings(&path, &settings, &Mobility, Existing::Keep, &Silent)
        .unwrap();
    std::fs::rename(path, folder.path("all.positions")).unwrap();
    let settings = Settings { exact: 0, search: Some(Search::to_depth(3)) };
    relabel_in(&folder, &settings, "deeper");
    assert!(PositionReader::open(&folder.path("deeper")).unwrap().is_enumerated());
    let labels = |name: &str| -> BTreeMap<_, _> {
        let rows = folder.read::<ScoredPosition>(name).into_iter();
        rows.map(|row| (row.position(), row.label())).collect()
    };
    assert_ne!(labels("deeper"), labels("all.positions"));
}
