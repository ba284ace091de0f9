//! Tests imports of small files, and of the whole WTHOR database if it is there.

use std::fs;

use othello_engine::progress::Silent;
use othello_engine::record::{GameReader, PositionReader};

use super::*;
use crate::source::{boards, transcripts};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn files(&self, input: &str, out: &str) -> Files {
        files(vec![self.path(input)], self.path(out))
    }
}

struct Files {
    paths: Vec<PathBuf>,
    out: PathBuf,
    existing: Existing,
}

fn files(paths: Vec<PathBuf>, out: PathBuf) -> Files {
    Files { paths, out, existing: Existing::Keep }
}

impl Files {
    fn of<'a>(&'a self, format: &'a str) -> Import<'a> {
        let Self { paths, out, existing } = self;
        Import { format, paths, random_plies: &[], out, existing: *existing }
    }
}

fn import_transcripts(files: &Files) -> Result<Summary, SourceError> {
    files.of("transcripts").run(transcripts::read, &Silent)
}

const START: &str = "---------------------------OX------XO---------------------------";

#[test]
fn transcripts_become_games() {
    let folder = Folder::new();
    fs::write(folder.path("a.txt"), "f5d6c5f4e7f6g5e6e3\nf5d6\nf5f5\n").unwrap();
    let files = folder.files("a.txt", "a.games");
    let summary = import_transcripts(&files).unwrap();
    let counts = (summary.games, summary.positions, summary.rejected, summary.incomplete);
    assert_eq!(counts, (2, 11, 1, 1));
    let mut reader = GameReader::open(&files.out).unwrap();
    assert_eq!(reader.by_ref().map(|game| game.unwrap().squares().len()).sum::<usize>(), 11);
    assert_eq!(reader.sha256(), Some(summary.sha256.as_str()));
    assert_eq!(import_transcripts(&files).unwrap(), summary);
}

/// A regression: an unfinished output was accepted even if frames were missing or duplicated.
#[test]
fn an_unfinished_import_is_made_again_whatever_it_holds() {
    let folder = Folder::new();
    let moves = |number: usize| &"f5d6c5f4e7f6g5e6e3"[..2 * (1 + number * number / 7 % 9)];
    let text: String = (0..900).map(|number| format!("{}\n", moves(number))).collect();
    fs::write(folder.path("a.txt"), &text).unwrap();
    let whole = folder.files("a.txt", "whole.games");
    let summary = import_transcripts(&whole).unwrap();
    let bytes = fs::read(&whole.out).unwrap();
    for left in [0, 5, 900, bytes.len()] {
        let files = folder.files("a.txt", &format!("{left}.games"));
        fs::write(files.out.with_added_extension("partial"), &bytes[..left]).unwrap();
        assert_eq!(import_transcripts(&files).unwrap(), summary, "{left}");
        assert_eq!(fs::read(&files.out).unwrap(), bytes, "{left}");
    }
}

#[test]
fn an_output_that_is_an_input_is_refused_with_force_too() {
    let folder = Folder::new();
    fs::write(folder.path("a.txt"), "f5d6c5").unwrap();
    let mut files = folder.files("a.txt", "a.txt");
    files.existing = Existing::Replace;
    let error = import_transcripts(&files).unwrap_err().to_string();
    assert!(error.contains("a.txt: is also an input"), "{error}");
    assert_eq!(fs::read_to_string(folder.path("a.txt")).unwrap(), "f5d6c5");
}

#[test]
fn other_inputs_are_refused_without_force() {
    let folder = Folder::new();
    fs::write(folder.path("a.txt"), "f5d6").unwrap();
    let mut files = folder.files("a.txt", "a.games");
    let first = import_transcripts(&files).unwrap();
    fs::write(folder.path("a.txt"), "f5d6c5").unwrap();
    assert!(import_transcripts(&files).unwrap_err().to_string().contains("--force"));
    files.existing = Existing::Replace;
    assert_ne!(import_transcripts(&files).unwrap().sha256, first.sha256);
    // The content must not depend on the path of the input.
    fs::create_dir(folder.path("folder")).unwrap();
    fs::rename(folder.path("a.txt"), folder.path("folder/b.txt")).unwrap();
    files.paths = vec![folder.path("folder")];
    files.existing = Existing::Keep;
    import_transcripts(&files).unwrap();
}

/// A regression: a table's games were not read, and its line of dashes was read as a game.
#[test]
fn games_of_other_programs_are_counted_and_what_is_none_is_rejected() {
    let folder = Folder::new();
    let end = "f5d6c5f4e7f6g5e6e3";
    for (text, counts) in [
        (format!("{end}\n--------------------\nf5f6e6\npa\n"), (2, 2, 0)),
        (format!("id,winner,game_moves\n1,1,{end}\n2,1,{end}\n3,1,\n"), (2, 1, 0)),
        (format!("[Result \"13-0\"]\n\n{end}\n\n[Result \"0-64\"]\n\n{end}\n"), (2, 0, 1)),
        ("+f5-d6+c3: +048 00:00 1\n".to_owned(), (1, 0, 0)),
    ] {
        fs::write(folder.path("a.txt"), &text).unwrap();
        let files = Files { existing: Existing::Replace, ..folder.files("a.txt", "a.games") };
        let summary = import_transcripts(&files).unwrap();
        let found = (summary.games, summary.rejected, summary.differing);
        assert_eq!(found, counts, "{text}");
    }
}

/// A regression: positions before the end of the random moves also got labels.
#[test]
fn the_first_moves_of_games_can_be_random_by_file_and_folder() {
    let folder = Folder::new();
    fs::create_dir(folder.path("20")).unwrap();
    fs::write(folder.path("20/a.txt"), "f5d6c3d3c4\nf5\n").unwrap();
    fs::write(folder.path("b.txt"), "f5f6e6\n").unwrap();
    let paths = [folder.path("20"), folder.path("b.txt")];
    let rule = |text: String| text.parse::<RandomPlies>().unwrap();
    let of_folder = rule(format!("{}=2", folder.path("20").display()));
    for (random_plies, expected, positions) in [
        (vec![], [0, 0, 0], 9),
        (vec![rule("1".to_owned())], [1, 1, 1], 6),
        (vec![rule("1".to_owned()), of_folder.clone()], [2, 1, 1], 5),
        (vec![of_folder], [2, 1, 0], 6),
        (vec![rule(format!("{}=2", folder.path("./20/../20").display()))], [2, 1, 0], 6),
    ] {
        let out = folder.path("a.games");
        let (paths, existing) = (&paths, Existing::Replace);
        let import = Import {
            format: "transcripts",
            paths,
            random_plies: &random_plies,
            out: &out,
            existing,
        };
        let summary = import.run(transcripts::read, &Silent).unwrap();
        let games = GameReader::open(&out).unwrap();
        let plies: Vec<u8> = games.map(|game| game.unwrap().random_plies()).collect();
        assert_eq!((plies, summary.positions), (expected.to_vec(), positions));
    }
    // A regression: a rule was ignored if its path was not one of the inputs.
    let nowhere = [rule("nowhere=2".to_owned())];
    let files = files(paths.to_vec(), folder.path("b.games"));
    let import = Import { random_plies: &nowhere, ..files.of("transcripts") };
    let error = import.run(transcripts::read, &Silent).unwrap_err().to_string();
    assert!(error.contains("`nowhere=2`: none of the inputs"), "{error}");
    assert!("a=61".parse::<RandomPlies>().is_err() && "x".parse::<RandomPlies>().is_err());
}

#[test]
fn boards_become_positions() {
    let folder = Folder::new();
    fs::write(folder.path("a.txt"), format!("{START} X 2\n{START} -1.5\n{START}\n")).unwrap();
    let files = folder.files("a.txt", "a.positions");
    let summary = files.of("boards").run(boards::read, &Silent).unwrap();
    assert_eq!((summary.games, summary.positions, summary.rejected), (0, 2, 1));
    let rows = PositionReader::open(&files.out).unwrap();
    assert_eq!(rows.map(|row| row.unwrap().label().discs()).collect::<Vec<_>>(), [2.0, -1.5]);
}

#[test]
fn files_without_a_single_record_are_an_error() {
    let folder = Folder::new();
    fs::write(folder.path("a.txt"), "nothing\nto see\n").unwrap();
    let error = import_transcripts(&folder.files("a.txt", "a.games")).unwrap_err();
    assert!(error.to_string().contains("no game"), "{error}");
    assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 1);
    assert!(import_transcripts(&folder.files("none.txt", "a.games")).is_err());
    fs::create_dir(folder.path("empty")).unwrap();
    assert!(import_transcripts(&folder.files("empty", "a.games")).is_err());
}

/// The numbers published for the data set. 4,884 positions of 2019 to 2022, up to symmetry, have
/// exact scores and are not reached by a game of an earlier year (4,886 with duplicates).
#[test]
#[ignore = "WTHOR is not ours to ship: OTHELLO_SHARED names a folder with data/wthor/*.wtb"]
fn wthor_has_the_games_and_positions_it_is_known_for() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("OTHELLO_SHARED").map_or(beside, PathBuf::from);
    let data = shared.join("data/wthor");
    assert!(data.is_dir(), "no WTHOR files in {}", data.display());
    let folder = Folder::new();
    let all = files(vec![data.clone()], folder.path("all.games"));
    let summary = all.of("wthor").run(wthor::read, &Silent).unwrap();
    let counts = (summary.games, summary.rejected, summary.incomplete);
    assert_eq!(counts, (129_259, 0, 413));
    assert!(fs::metadata(&all.out).unwrap().len() < 50 * 129_259);

    let years = |years: std::ops::RangeInclusive<u32>| -> Vec<PathBuf> {
        years.map(|year| data.join(format!("WTH_{year}.wtb"))).collect()
    };
    let earlier = files(years(1977..=2018), folder.path("earlier.games"));
    earlier.of("wthor").run(wthor::read, &Silent).unwrap();
    let later = files(years(2019..=2022), folder.path("later.positions"));
    let summary = later.of("wthor").run_solved(&[earlier.out], &Silent).unwrap();
    assert_eq!((summary.games, summary.positions), (4_933, 4_884));
    let rows = PositionReader::open(&later.out).unwrap().map(|row| row.unwrap());
    assert!(rows.into_iter().all(|row| row.position().empties() == 24));
}
