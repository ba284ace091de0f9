//! Tests with the shards of small runs.

use std::fs;
use std::sync::OnceLock;

use othello_engine::eval::Mobility;
use othello_engine::file::Provenance;
use othello_engine::openings as enumerated;
use othello_engine::progress::Silent;
use othello_engine::record::{Game, Label, PositionWriter, ScoredPosition, Shard, Weight};
use othello_engine::selfplay::{PerSide, Played, Run, Settings, play_games};
use othello_testing::records;

use super::*;
use crate::records::testing::Folder;

/// Returns a run of self-play with so few random moves that shards have games in common.
fn run() -> Run {
    let random_plies = "3..=9".parse().unwrap();
    let settings = Settings { values: true, ..Settings::new(5, random_plies, 1, 4) };
    Run::whole(settings, 600)
}

/// Returns the whole run, and its parts in 3 and in 7 shards, some without a frame; made once.
fn played() -> &'static Folder {
    static PLAYED: OnceLock<Folder> = OnceLock::new();
    PLAYED.get_or_init(|| {
        let folder = Folder::new();
        let play = |shard: &str| {
            let path = folder.path(&shard.replace('/', "of"));
            let run = Run { shard: shard.parse().unwrap(), ..run() };
            play_games(&path, &run, PerSide::both(&Mobility), Existing::Keep, &Silent).unwrap();
        };
        play("1/1");
        for count in [3, 7] {
            (1..=count).for_each(|number| play(&format!("{number}/{count}")));
        }
        folder
    })
}

/// Returns the shards of the run, the last first.
fn shards(count: u64) -> Vec<PathBuf> {
    (1..=count).rev().map(|number| played().path(&format!("{number}of{count}"))).collect()
}

/// Starts from the least memory that a merge takes, with which all keys go through a temporary
/// file.
#[test]
fn a_limit_on_memory_changes_no_byte_and_too_little_is_refused() {
    let whole = fs::read(played().path("1of1")).unwrap();
    let folder = Folder::new();
    let out = folder.path("merged.records");
    for bytes in [200, 4000, 1 << 20] {
        let limit = MemoryLimit::beside(&out, bytes);
        merge_within(&limit, &shards(7), &out, Existing::Replace, &Silent).unwrap();
        assert_eq!(fs::read(&out).unwrap(), whole, "{bytes} bytes");
    }
    let merge = |limit| merge_within(&limit, &shards(7), &out, Existing::Replace, &Silent);
    let error = merge(MemoryLimit::beside(&out, 100)).unwrap_err().to_string();
    assert!(error.contains("600 games") && error.contains("--memory-mb"), "{error}");
    let error = merge(MemoryLimit { bytes: 200, folder: "/no/such/folder".into() });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("/no/such/folder") && error.contains("free space there"), "{error}");
}

fn merge_in(folder: &Folder, paths: &[PathBuf]) -> Result<Merged, MergeError> {
    merge(paths, &folder.path("merged.records"), Existing::Keep, &Silent)
}

/// Writes a file with some of the frames of another and a different provenance.
fn change(
    folder: &Folder,
    name: &str,
    of: &Path,
    changed: impl FnOnce(Provenance) -> Provenance,
    frames: usize,
) -> PathBuf {
    let (provenance, there) = records::frames::<Game>(of);
    let mut writer = records::begin(&folder.path(name), &changed(provenance));
    there[..frames].iter().for_each(|frame| writer.write_frame(frame).unwrap());
    writer.finish().unwrap();
    folder.path(name)
}

#[test]
fn shards_become_the_file_of_an_undivided_run() {
    let whole = played().path("1of1");
    let run = Run { shard: Shard::WHOLE, ..run() };
    let undivided =
        play_games(&whole, &run, PerSide::both(&Mobility), Existing::Keep, &Silent).unwrap();
    assert!(undivided.duplicates > 0);
    for count in [1, 3, 7] {
        let folder = Folder::new();
        let merged = merge_in(&folder, &shards(count)).unwrap();
        assert_eq!(folder.bytes("merged.records"), fs::read(&whole).unwrap());
        let Played { games, duplicates, positions, .. } = undivided;
        let counts = (Content::Games { games, duplicates }, positions);
        assert_eq!((merged.content, merged.positions), counts);
        assert_eq!((merged.shards, &merged.summary), (count, &undivided.summary));
        // A second merge finds the file done and reports the same.
        assert_eq!(merge_in(&folder, &shards(count)).unwrap(), merged);
    }
}

#[test]
fn a_killed_merge_goes_on_at_a_frame() {
    let folder = Folder::new();
    folder.goes_on("merged.records", 7, || merge_in(&folder, &shards(3)).unwrap());
}

/// A past bug: frames with right checksums that were doubled or left out were kept, and the merge
/// continued after them.
#[test]
fn a_doubled_or_dropped_frame_of_an_unfinished_merge_is_written_again() {
    let folder = Folder::new();
    let orders: [&[usize]; 5] = [&[0, 0], &[1], &[0, 2], &[2, 1, 0], &[0, 1, 2, 2]];
    let merge = || merge_in(&folder, &shards(3)).unwrap();
    folder.writes_again("merged.records", &orders, merge);
}

#[test]
fn an_output_that_is_one_of_the_shards_is_refused_with_force_too() {
    let folder = Folder::new();
    let shards: Vec<PathBuf> = shards(3)
        .iter()
        .zip(["3", "2", "1"])
        .map(|(path, name)| {
            fs::copy(path, folder.path(name)).unwrap();
            folder.path(name)
        })
        .collect();
    let before = fs::read(&shards[0]).unwrap();
    let error = merge(&shards, &shards[0], Existing::Replace, &Silent).unwrap_err().to_string();
    assert!(error.contains("3: is also an input"), "{error}");
    assert_eq!(fs::read(&shards[0]).unwrap(), before);
}

#[test]
fn what_does_not_belong_together_is_refused_by_name() {
    let folder = Folder::new();
    let shards = shards(3);
    let refuses = |paths: &[PathBuf], expected: &str| {
        let error = merge_in(&folder, paths).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let and = |other: &PathBuf| [&shards[..], std::slice::from_ref(other)].concat();
    refuses(&shards[1..], "shard 3 of 3 is missing; make it with `--shard I/3`");
    refuses(&shards[1..2], "shards 1, 3 of 3 are missing; make them");

    let copy = folder.path("copy.games");
    fs::copy(&shards[1], &copy).unwrap();
    refuses(&and(&copy), "copy.games are both shard 2/3");

    // A foreign file is named at any place in the list.
    let foreign =
        change(&folder, "foreign.games", &shards[0], |made| made.with("weights", "none"), 1);
    let foreign = [std::slice::from_ref(&foreign), &shards[..]].concat();
    refuses(&foreign, "foreign.games: is a shard of another run");
    refuses(&foreign, "weights: \"none\" there, \"mobility\" wanted");
    let other = played().path("1of7");
    refuses(&and(&other), "1of7: is a shard of another run");
    refuses(&and(&other), "of 7 shards there, 3 wanted");
    let imported = change(
        &folder,
        "imported.games",
        &shards[0],
        |made| made.with("command", "import").without("shard"),
        1,
    );
    refuses(&and(&imported), "imported.games: is no shard: `import` makes none");

    fs::write(folder.path("5.partial"), "").unwrap();
    refuses(&[folder.path("5")], "5: is no shard: it is not finished");
    refuses(&[folder.path("6")], "cannot open it");
    assert!(!folder.path("merged.records").exists());
    assert!(!folder.path("merged.records.partial").exists());
}

#[test]
fn a_shard_without_all_its_frames_is_refused() {
    let folder = Folder::new();
    let mut shards = shards(3);
    shards[0] = change(&folder, "short.games", &shards[0], |made| made.with("shard", "3/3"), 0);
    let error = merge_in(&folder, &shards).unwrap_err().to_string();
    assert!(error.contains("short.games: has 0 frames, where shard 3/3 has 1"), "{error}");
}

/// Returns the openings to ply 7 in 2 shards and as a whole, with their settings.
fn openings(folder: &Folder) -> (enumerated::Settings, Vec<PathBuf>, PathBuf) {
    let settings = enumerated::Settings::whole(7, 1);
    let write = |shard: &str| {
        let path = folder.path(&format!("{}.openings", shard.replace('/', "of")));
        let settings = enumerated::Settings { shard: shard.parse().unwrap(), ..settings };
        enumerated::write_openings(&path, &settings, &Mobility, Existing::Keep, &Silent).unwrap();
        path
    };
    let (shards, whole) = (["2/2", "1/2"].map(write).to_vec(), write("1/1"));
    (settings, shards, whole)
}

#[test]
fn parts_of_the_openings_become_the_file_of_an_undivided_run() {
    let folder = Folder::new();
    let (_, shards, whole) = openings(&folder);
    let merged = merge_in(&folder, &shards).unwrap();
    assert_eq!(folder.bytes("merged.records"), fs::read(&whole).unwrap());
    assert_eq!((merged.shards, merged.content, merged.positions), (2, Content::Openings, 12_823));
    assert_eq!(merge_in(&folder, &shards).unwrap(), merged);

    folder.goes_on("merged.records", 5, || merge_in(&folder, &shards).unwrap());
}

#[test]
fn openings_that_are_no_parts_of_one_run_are_refused_by_name() {
    let folder = Folder::new();
    let (settings, shards, whole) = openings(&folder);
    let refused = |paths: &[PathBuf]| merge_in(&folder, paths).unwrap_err().to_string();
    assert!(refused(&shards[..1]).contains("shard 1 of 2 is missing"));
    assert!(refused(&[whole]).contains("its provenance says not which"));
    let and_games = [shards[0].clone(), played().path("1of3")];
    assert!(refused(&and_games).contains("is a shard of another run"));

    // All positions of the first part, except that one is replaced.
    let other = folder.path("other.openings");
    let settings = enumerated::Settings { shard: "1/2".parse().unwrap(), ..settings };
    let provenance = settings.provenance("mobility");
    let begun = PositionWriter::begin_openings(&other, &provenance, Existing::Keep).unwrap();
    let mut rows: Vec<ScoredPosition> = folder.read("1of2.openings");
    let (start, label) = (othello_engine::board::Position::START, Label::of_score(0).unwrap());
    *rows.last_mut().unwrap() = ScoredPosition::new(start, label, Weight::ONE);
    records::finish(records::begun(begun), rows);
    let error = refused(&[shards[0].clone(), other]);
    let expected = "other.openings: its positions are not those of shard 1/2, 4096 of ply 7";
    assert!(error.contains(expected), "{error}");
    assert!(!folder.path("merged.records").exists());
}
