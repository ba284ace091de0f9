//! Tests of commands with positions and games in the forms that other programs write.

use othello_testing::program::message;

use crate::folder;

/// A game with a pass that the rules do not allow: after f5, white has a legal move.
const PASS: &str = "f5pad6\n";

const HINT: &str = "hint {} --depth 1 --weights mobility";
const EVALUATE: &str = "evaluate {} --weights mobility";
const SOLVE: &str = "solve {} --weights mobility";
const SELFPLAY: &str = "selfplay --games 1 --seed 1 --depth 1 --exact 1 --weights mobility \
                        --out a.games --openings {}";

fn on(command: &str, file: &str) -> String {
    command.replace("{}", file)
}

/// A regression: for a file without a position, commands had exit status 0.
#[test]
fn a_file_without_a_position_is_refused() {
    let folder = folder();
    for (text, end) in [("", 1), ("\n \n", 3), ("% a comment\n", 2)] {
        folder.write("empty.obf", text);
        for command in [HINT, EVALUATE, SOLVE, "ablate {}"] {
            let said =
                format!("empty.obf: line {end}: the input ends without a position; expected");
            folder.refuses(&on(command, "empty.obf"), &said);
        }
        folder.refuses(&on(SELFPLAY, "empty.obf"), "the input ends without an opening");
    }
}

/// A regression: forbidden passes were ignored, and a row of dashes was read as an empty game.
#[test]
fn a_pass_that_is_not_allowed_is_refused_by_every_command() {
    let folder = folder();
    for (text, said) in [
        (PASS, "line 1: move 2: a pass"),
        ("f5\n1. f5 -- 2. d6", "line 2: move 2: a pass"),
        ("f5\npa", "line 2: move 1: a pass"),
        ("f5d6\n--------------------", "line 2"),
    ] {
        folder.write("games.txt", text);
        for command in [HINT, EVALUATE, SOLVE, SELFPLAY] {
            folder.refuses(&on(command, "games.txt"), said);
        }
    }
}

/// A regression: only plain transcripts, and boards in the characters X, O, * and -, were read.
#[test]
fn positions_and_openings_in_other_forms_are_read_and_the_forms_reported() {
    let folder = folder();
    let ggs = "[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";
    let pgn = "[Event \"?\"]\n[Site \"PlayOK\"]\n\n1. f5 d6\n2. c3\n";
    folder
        .write("all.txt", format!("id,moves\n1,f5d6c3\nf5,d6,c3\n{ggs} f5d6c3\n\n{pgn}\nf5d6c3\n"));
    let hints = folder.json(&on(HINT, "all.txt"));
    let boards = hints["boards"].as_array().unwrap();
    assert_eq!(boards.len(), 5);
    assert!(boards.iter().all(|board| *board == boards[0]), "{hints}");
    let said = message(&folder.run(&on(EVALUATE, "all.txt")));
    for form in
        ["1 as table or label", "1 as moves with commas", "1 as board and moves", "1 as PGN"]
    {
        assert!(said.contains(form), "{form}: {said}");
    }
    folder.write("openings.txt", format!("id,moves\n1,f5d6c3\n{pgn}"));
    folder.runs(&on(SELFPLAY, "openings.txt"));
}

/// A regression: comments and scores without a move were refused, and wrong scores of passes were
/// not found.
#[test]
fn scores_of_obf_are_checked_alone_and_at_a_pass() {
    let folder = folder();
    let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let pass = "XXXXXXXXXXO-XXXXXXOOOXXXXXOXOXXXXXXXXOOXOOXXOOOXOOOOOOOXX-OOO-OX O";
    folder.write("right.obf", format!("% problems\n{board}; +18; % FFO 40\n{pass}; PA:-48;\n"));
    let right = folder.json("solve right.obf --hash-mb 1");
    assert_eq!((&right["wrong"], &right["positions"][1]["expected"]), (&0.into(), &(-48).into()));
    for (line, wrong) in [(format!("{board}; +16;"), "+16"), (format!("{pass}; --:-46;"), "-46")] {
        folder.write("wrong.obf", line);
        let output = folder.run("solve wrong.obf --hash-mb 1");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(&format!("expected {wrong}")), "{text}");
    }
}

#[test]
fn letters_that_are_not_utf_8_do_not_block_a_line_of_moves() {
    let folder = folder();
    folder.write("names.txt", b"\xE4\xE9;\xD6l;f5d6c3\n");
    assert_eq!(folder.json(&on(EVALUATE, "names.txt"))["values"].as_array().unwrap().len(), 1);
}
