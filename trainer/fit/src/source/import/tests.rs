//! Tests of an unfinished import, and of the whole WTHOR database if it is there.

use std::fs;

use othello_engine::progress::Silent;
use othello_engine::record::PositionReader;

use super::*;
use crate::source::transcripts;

fn import<'a>(format: &'a str, paths: &'a [PathBuf], out: &'a Path) -> Import<'a> {
    Import { format, paths, random_plies: &[], out, existing: Existing::Keep }
}

/// A regression: an unfinished output was accepted even if frames were missing or duplicated.
#[test]
fn an_unfinished_import_is_made_again_whatever_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let moves = |number: usize| &"f5d6c5f4e7f6g5e6e3"[..2 * (1 + number * number / 7 % 9)];
    let text: String = (0..900).map(|number| format!("{}\n", moves(number))).collect();
    let paths = [folder.path().join("a.txt")];
    fs::write(&paths[0], &text).unwrap();
    let imported =
        |out: &Path| import("transcripts", &paths, out).run(transcripts::read, &Silent).unwrap();
    let whole = folder.path().join("whole.games");
    let summary = imported(&whole);
    let bytes = fs::read(&whole).unwrap();
    for left in [0, 5, bytes.len() - 5, bytes.len()] {
        let out = folder.path().join(format!("{left}.games"));
        fs::write(out.with_added_extension("partial"), &bytes[..left]).unwrap();
        assert_eq!(imported(&out), summary, "{left}");
        assert_eq!(fs::read(&out).unwrap(), bytes, "{left}");
    }
}

/// Checks the numbers published for WTHOR. 4,884 positions of 2019 to 2022, up to symmetry, have
/// exact scores and are not reached by a game of an earlier year (4,886 with duplicates).
#[test]
#[ignore = "WTHOR is not ours to ship: OTHELLO_SHARED names a folder with data/wthor/*.wtb"]
fn wthor_has_the_games_and_positions_it_is_known_for() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("OTHELLO_SHARED").map_or(beside, PathBuf::from);
    let data = shared.join("data/wthor");
    assert!(data.is_dir(), "no WTHOR files in {}", data.display());
    let folder = tempfile::tempdir().unwrap();
    let [all, earlier, later] =
        ["all.games", "earlier.games", "later.positions"].map(|name| folder.path().join(name));
    let whole = import("wthor", std::slice::from_ref(&data), &all);
    let summary = whole.run(wthor::read, &Silent).unwrap();
    let counts = (summary.games, summary.rejected, summary.incomplete);
    assert_eq!(counts, (129_259, 0, 413));
    assert!(fs::metadata(&all).unwrap().len() < 50 * 129_259);

    let years = |years: std::ops::RangeInclusive<u32>| -> Vec<PathBuf> {
        years.map(|year| data.join(format!("WTH_{year}.wtb"))).collect()
    };
    import("wthor", &years(1977..=2018), &earlier).run(wthor::read, &Silent).unwrap();
    let summary =
        import("wthor", &years(2019..=2022), &later).run_solved(&[earlier], &Silent).unwrap();
    assert_eq!((summary.games, summary.positions), (4_933, 4_884));
    let rows = PositionReader::open(&later).unwrap().map(|row| row.unwrap());
    assert!(rows.into_iter().all(|row| row.position().empties() == 24));
}
