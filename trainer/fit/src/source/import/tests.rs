use std::fs;

use othello_engine::progress::Silent;

use super::*;
use crate::source::transcripts;

/// A regression: an unfinished output was accepted even if frames were missing or duplicated.
#[test]
fn an_unfinished_import_is_made_again_whatever_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let moves = |number: usize| &"f5d6c5f4e7f6g5e6e3"[..2 * (1 + number * number / 7 % 9)];
    let text: String = (0..900).map(|number| format!("{}\n", moves(number))).collect();
    let paths = [folder.path().join("a.txt")];
    fs::write(&paths[0], &text).unwrap();
    let imported = |out: &Path| {
        let format = "transcripts";
        let import =
            Import { format, paths: &paths, random_plies: &[], out, existing: Existing::Keep };
        import.run(transcripts::read, &Silent).unwrap()
    };
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
