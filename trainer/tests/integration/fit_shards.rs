//! Fits that several machines share, on the command line, with games of random moves.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::cargo_bin;
use othello_engine::eval::Mobility;
use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::progress::Silent;
use othello_engine::record::{Game, GameWriter};
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
use othello_testing::random_games::random_moves;
use tempfile::TempDir;

/// Creates a folder with random games.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder.path().join("a.games"), 0..600);
    folder
}

fn write_games(path: &Path, seeds: Range<u64>) {
    let begun = GameWriter::begin(path, &Provenance::new("test"), Existing::Keep).unwrap();
    let Begin::Writer(mut writer) = begun else { panic!("nothing is there") };
    seeds.for_each(|seed| writer.push(Game::new(6, &random_moves(seed)).unwrap()).unwrap());
    writer.finish().unwrap();
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(cargo_bin!("othello-trainer"));
    command.args(arguments.split_whitespace()).current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

fn runs(folder: &Path, arguments: &str) {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the message of a command that is refused.
fn refusal(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

/// Returns the names of the parts `NAME-1.weights` to `NAME-COUNT.weights`.
fn parts(name: &str, count: u32) -> String {
    (1..=count).map(|number| format!("{name}-{number}.weights ")).collect()
}

/// Checks that weights, metrics and report are equal.
fn assert_same_files(folder: &Path, one: &str, other: &str) {
    for extension in ["", ".metrics.jsonl", ".report.json"] {
        let read = |name: &str| fs::read(folder.join(format!("{name}{extension}"))).unwrap();
        assert!(read(one) == read(other), "{other}{extension} is not that of {one}");
    }
}

const FIT: &str = "--patterns small --epochs 4 --threads 1";

#[test]
fn twelve_parts_of_which_one_is_killed_are_the_fit_of_one_process() {
    let folder = folder();
    let at = folder.path();
    runs(at, &format!("fit a.games {FIT} --out one.weights"));
    runs(at, "dataset a.games --out laid-out");
    for number in 1..=12 {
        let fit = format!("fit laid-out {FIT} --shard {number}/12 --out part-{number}.weights");
        if number == 7 {
            let mut killed = command(at, &fit).stderr(Stdio::null()).spawn().unwrap();
            // Once a phase is finished, or all of them are.
            let checkpoint = at.join("part-7.weights.checkpoint.partial");
            while !checkpoint.exists() && killed.try_wait().unwrap().is_none() {}
            let _ = killed.kill();
            killed.wait().unwrap();
        }
        runs(at, &fit);
    }
    let merge = format!("merge {} --out merged.weights", parts("part", 12));
    runs(at, &merge);
    assert_same_files(at, "one.weights", "merged.weights");
    // The merged fit is done, and so is its report.
    runs(at, &merge);
    runs(at, &format!("fit a.games {FIT} --out merged.weights"));

    let merge = |parts: &str| refusal(at, &format!("merge {parts} --out refused.weights"));
    let all = parts("part", 12);
    let missing = merge(&all.replace("part-4.weights", "").replace("part-9.weights", ""));
    assert!(missing.contains("shards 4, 9 of 12 are missing"), "{missing}");
    let twice = merge(&format!("{all} part-3.weights"));
    assert!(twice.contains("both shard 3/12"), "{twice}");
    for (data, more, difference) in [
        (
            "a.games",
            "--patterns small --epochs 5",
            "settings.least_squares.epochs: 5 there, 4 wanted",
        ),
        ("a.games", "--patterns small --epochs 4 --seed 2", "settings.seed: 2 there, 1 wanted"),
        ("a.games*2", "--patterns small --epochs 4", "data[0].weight: 2.0 there, 1.0 wanted"),
        ("a.games", "--patterns discs --epochs 4", "pattern_set"),
    ] {
        runs(at, &format!("fit {data} {more} --shard 4/12 --out foreign.weights --force"));
        let foreign = merge(&all.replace("part-4", "foreign"));
        assert!(foreign.contains("foreign.weights: is a shard of another run"), "{foreign}");
        assert!(foreign.contains(difference), "{foreign}");
    }
    let weights = merge("one.weights");
    assert!(weights.contains("one.weights: is no shard"), "{weights}");
    let shards = refusal(at, "fit laid-out --patterns small --shard 1/61 --out a.weights");
    assert!(shards.contains("by 60 machines at most"), "{shards}");
}

/// A past bug: a run that ended between its last write and the rename left a part with twice as
/// many sections. Such a run leaves the whole file under the name of the partial one.
#[test]
fn a_part_that_was_killed_at_its_rename_is_that_of_the_undisturbed_run() {
    let folder = folder();
    let at = folder.path();
    let fit = "fit a.games --patterns small --epochs 2 --threads 1 --phases 30..33 --shard 1/1";
    runs(at, &format!("{fit} --out part.weights"));
    let (part, partial) = (at.join("part.weights"), at.join("part.weights.partial"));
    let whole = fs::read(&part).unwrap();
    // Sections with right checksums from another fit, which an earlier version took over unchecked.
    runs(at, &format!("{} --out forged.weights", fit.replace("epochs 2", "epochs 3")));
    let forged = forged_part(&at.join("forged.weights"), &whole);
    for there in [whole.as_slice(), &whole[..whole.len() - 20], &whole[..whole.len() / 2], &forged]
    {
        fs::rename(&part, &partial).unwrap();
        fs::write(&partial, there).unwrap();
        runs(at, &format!("{fit} --out part.weights"));
        assert!(fs::read(&part).unwrap() == whole, "{} bytes were there", there.len());
        assert!(!partial.exists());
    }
}

/// Returns the header of a part, followed by the sections of another.
fn forged_part(other: &Path, whole: &[u8]) -> Vec<u8> {
    let header = |bytes: &[u8]| bytes.windows(4).position(|marker| marker == b"SECT").unwrap();
    let other = fs::read(other).unwrap();
    [&whole[..header(whole)], &other[header(&other)..]].concat()
}

#[test]
fn parts_of_a_fit_that_began_from_weights_need_these() {
    let folder = folder();
    let at = folder.path();
    runs(at, &format!("fit a.games {FIT} --seed 3 --out first.weights"));
    let fit = "fit a.games --epochs 2 --init first.weights --phases 20..43";
    runs(at, &format!("{fit} --out one.weights"));
    for number in 1..=3 {
        runs(at, &format!("{fit} --shard {number}/3 --out part-{number}.weights"));
    }
    let merge = format!("merge {} --out merged.weights", parts("part", 3));
    let without = refusal(at, &merge);
    assert!(without.contains("name these with --init"), "{without}");
    runs(at, &format!("{merge} --init first.weights"));
    assert_same_files(at, "one.weights", "merged.weights");
}

#[test]
fn a_shard_never_splits_a_group_that_shares_factors() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let run = Run::whole(Settings::new(5, "4..=20".parse().unwrap(), 1, 6), 400);
    play_games(&at.join("a.games"), &run, PerSide::both(&Mobility), Existing::Keep, &Silent)
        .unwrap();
    let set = "name = \"tiny\"\nscalars = [\"moves_pair\"]\n[factors]\ndimensions = 8\nphases = 4\n\
               [[pattern]]\nsquares = \"a1 b1 c1 d1 a2\"\n";
    fs::write(at.join("set.toml"), set).unwrap();
    let fit = "--patterns set.toml --phases 38..49 --epochs 2";
    runs(at, &format!("fit a.games {fit} --out one.weights"));
    runs(at, "dataset a.games --out laid-out");
    for number in 1..=3 {
        runs(at, &format!("fit laid-out {fit} --shard {number}/3 --out part-{number}.weights"));
    }
    runs(at, &format!("merge {} --out merged.weights", parts("part", 3)));
    assert_same_files(at, "one.weights", "merged.weights");
    let shards = refusal(at, &format!("fit laid-out {fit} --shard 1/5 --out refused.weights"));
    assert!(shards.contains("by 4 machines at most"), "{shards}");
}

#[test]
fn a_dataset_in_a_folder_gives_the_weights_that_its_games_give() {
    let folder = folder();
    let at = folder.path();
    let dataset = "dataset a.games --labels all:result --seed 5 --memory-mb 1 --out laid-out";
    runs(at, dataset);
    let fit = format!("fit laid-out {FIT} --out from-folder.weights");
    runs(at, &fit);
    runs(at, &format!("fit a.games {FIT} --labels all:result --seed 5 --out from-games.weights"));
    assert_same_files(at, "from-games.weights", "from-folder.weights");
    runs(at, &format!("fit laid-out {FIT} --memory-mb 2 --out narrow.weights"));
    assert_same_files(at, "from-games.weights", "narrow.weights");

    let other = refusal(at, "fit laid-out --seed 6 --out refused.weights");
    assert!(other.contains("settings.seed: 5 there, 6 wanted"), "{other}");
    let more = refusal(at, "fit laid-out a.games --out refused.weights");
    assert!(more.contains("name it alone"), "{more}");
    let other = refusal(at, "dataset a.games --out laid-out");
    assert!(other.contains("dataset.json: exists"), "{other}");

    // An incomplete dataset is not a dataset; its complete files are kept.
    let file = |name: &str| at.join("laid-out").join(name);
    let manifest = fs::read(file("dataset.json")).unwrap();
    fs::remove_file(file("dataset.json")).unwrap();
    fs::remove_file(file("training-30.positions")).unwrap();
    assert!(refusal(at, &fit.replace("from-folder", "none")).contains("run that again to its end"));
    runs(at, dataset);
    assert_eq!(fs::read(file("dataset.json")).unwrap(), manifest);
    runs(at, &fit);

    // Damaged files, and files in each other's places.
    let refused = format!("fit laid-out {FIT} --phases 30..31 --out refused.weights");
    let sound = fs::read(file("training-30.positions")).unwrap();
    fs::copy(file("training-31.positions"), file("training-30.positions")).unwrap();
    assert!(
        refusal(at, &refused).contains("training-30.positions: it has a position of another phase")
    );
    fs::copy(file("validation-30.positions"), file("training-30.positions")).unwrap();
    assert!(refusal(at, &refused).contains("positions, where dataset.json says"));
    fs::write(file("training-30.positions"), &sound[..sound.len() / 2]).unwrap();
    assert!(refusal(at, &refused).contains("training-30.positions"));
    fs::write(file("training-30.positions"), &sound).unwrap();
    let text = String::from_utf8(manifest).unwrap();
    for (sound, damaged, said) in [
        ("\"version\": 2", "\"version\": 1", "of version 2, found"),
        ("\"phases\"", "\"faces\"", "no manifest of a dataset"),
        ("\"seed\": 5", "\"seed\": -5", "none of a dataset"),
    ] {
        fs::write(file("dataset.json"), text.replace(sound, damaged)).unwrap();
        let message = refusal(at, &refused);
        assert!(message.contains(said), "{message}");
    }
}

/// Returns all files of a folder with a dataset, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().display().to_string(), fs::read(&path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(file).collect()
}

/// Merging laid-out datasets with new games, in any order and with any memory, gives the bytes of
/// laying out everything at once.
#[test]
fn a_dataset_grows_without_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("games")).unwrap();
    // The second file has games of the first, and all have the positions after few moves.
    for (name, seeds) in [("1", 0..150), ("2", 100..250), ("3", 250..400)] {
        write_games(&at.join(format!("games/{name}.games")), seeds);
    }
    // Not in the folder, which is used as a whole further down.
    write_games(&at.join("test.games"), 400..460);
    let settings = "--labels all:result --seed 5";
    let weighted = "games/1.games games/2.games*0.7 games/3.games";
    runs(at, &format!("dataset {weighted} --test test.games {settings} --out all"));
    let all = files(&at.join("all"));
    assert!(all["sums-08.positions"].len() > all["sums-50.positions"].len(), "nothing was merged");
    runs(at, &format!("dataset games/1.games --test test.games {settings} --out 1"));
    fs::rename(at.join("games/1.games"), at.join("away")).unwrap();
    runs(at, "dataset 1 games/2.games*0.7 --out 1-2");
    runs(at, "dataset 1-2 games/3.games --out 1-2-3 --memory-mb 1");
    assert!(files(&at.join("1-2-3")) == all, "not the bytes of all at once");
    // A past bug: a settings file without labels meant those of a fit without one, and was refused.
    fs::write(at.join("ridge.toml"), "ridge = 20").unwrap();
    runs(at, "dataset 1-2 games/3.games --settings ridge.toml --out by-settings");
    assert!(files(&at.join("by-settings")) == all);
    let fit = "--patterns small --epochs 1 --phases 40 --settings ridge.toml";
    runs(at, &format!("fit by-settings {fit} --out ridge.weights"));
    let other = refusal(at, "dataset 1-2 games/3.games --seed 6 --out refused");
    assert!(other.contains("settings.seed: 5 there, 6 wanted"), "{other}");
    let itself = refusal(at, "dataset 1-2 games/3.games --out 1-2 --force");
    assert!(itself.contains("does not grow in its place"), "{itself}");

    // Three folders of datasets, and a folder of records.
    fs::rename(at.join("away"), at.join("games/1.games")).unwrap();
    for number in 1..=3 {
        runs(at, &format!("dataset games/{number}.games --out own-{number}"));
    }
    runs(at, "dataset own-1 own-2 own-3 --out merged");
    let unlisted = refusal(at, "dataset games --out refused");
    assert!(unlisted.contains("othello-trainer validate games --manifest"), "{unlisted}");
    runs(at, "validate games --manifest");
    runs(at, "dataset games --out listed");
    assert!(files(&at.join("listed")) == files(&at.join("merged")));
    fs::copy(at.join("own-2/training-30.positions"), at.join("own-1/training-30.positions"))
        .unwrap();
    let changed = refusal(at, "dataset own-1 own-3 --out refused");
    assert!(changed.contains("own-1/training-30.positions: it has"), "{changed}");
}
