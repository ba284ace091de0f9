//! Tests of imports from other programs, and of exports of games for them.

use othello_testing::program::message;

use super::folder::Folder;

/// Nine moves after which black has won all discs.
const WIPE_OUT: &str = "f5d6c5f4e7f6g5e6e3";

/// Returns a WTHOR file of games, each given as the stated number of black discs, and the moves.
fn wthor(games: &[(u8, &str)]) -> Vec<u8> {
    let mut bytes = vec![0; 16];
    (bytes[4], bytes[12]) = (games.len() as u8, 8);
    for (discs, moves) in games {
        let mut record = vec![0; 68];
        record[6] = *discs;
        for (code, square) in record[8..].iter_mut().zip(moves.as_bytes().chunks(2)) {
            *code = 10 * (square[1] - b'0') + (square[0] - b'a' + 1);
        }
        bytes.extend(record);
    }
    bytes
}

/// A regression: the import of WTHOR files took the discs on the last board of an unfinished game
/// as its result, and did not report a wrong stated result of a finished game.
#[test]
fn stated_results_of_wthor_are_compared_kept_and_written_back() {
    let folder = Folder::new();
    let games =
        wthor(&[(45, &WIPE_OUT[..12]), (0, &WIPE_OUT[..8]), (64, WIPE_OUT), (60, WIPE_OUT)]);
    folder.write("a.wtb", games);
    let summary = folder.json("import wthor a.wtb --out a.games");
    assert_eq!((&summary["differing"], &summary["stated"]), (&1.into(), &2.into()));
    let said = message(&folder.run("import wthor a.wtb --out b.games"));
    let expected = "a.wtb: record 4: the moves give +64 for black, the stated result is +56";
    assert!(said.contains(expected), "{said}");
    folder.runs("export a.games --format wthor --out back.wtb");
    let back = folder.read("back.wtb");
    let discs: Vec<u8> = (0..4).map(|game| back[16 + 68 * game + 6]).collect();
    assert_eq!(discs, [45, 0, 64, 60]);
    // A command that reads and writes records must keep the stated result.
    folder.runs("relabel a.games --exact 1 --depth 1 --weights mobility --out relabelled.games");
    folder.runs("export relabelled.games --format wthor --out again.wtb");
    assert_eq!(folder.read("again.wtb")[16 + 6], 45);
}

/// A regression: games could not be exported as text.
#[test]
fn games_are_exported_as_the_transcripts_that_are_imported() {
    let folder = Folder::new();
    folder.write("a.txt", format!("1. f5 d6 2. c3\n{WIPE_OUT}\n"));
    folder.runs("import transcripts a.txt --out a.games");
    folder.runs("export a.games --format transcripts --out b.txt");
    assert_eq!(folder.text("b.txt"), format!("f5d6c3\n{WIPE_OUT}\n"));
    folder.refuses("export mobility --format transcripts --out c.txt", "takes a file of games");
}

/// A regression: commands that read positions refused texts with a board on each line, and `import
/// boards` refused OBF.
#[test]
fn texts_of_boards_are_read_by_every_command_that_reads_positions() {
    let folder = Folder::new();
    let start = "---------------------------OX------XO---------------------------";
    folder
        .write("a.obf", format!("% a comment\n{start} X; f5:+2;\n{start} O; -4;\n{start} X 1.5\n"));
    let summary = folder.json("import boards a.obf --out a.positions");
    assert_eq!((&summary["positions"], &summary["rejected"]), (&3.into(), &0.into()));
    let errors = |data: &str| folder.json(&format!("loss mobility {data}"))["mae"].clone();
    assert_eq!(errors("a.obf"), errors("a.positions"));
    folder.runs("dataset a.obf --out a.dataset");
    folder.write("b.obf", format!("{start} X; f5:+2;\n{start} X; zz:1;\n"));
    folder.refuses("loss mobility b.obf", "b.obf: line 2: `zz` is not a square");
}
