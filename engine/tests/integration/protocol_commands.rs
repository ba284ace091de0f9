//! Tests of every command of the NBoard protocol as its page describes it, and of GTP besides
//! playing: SGF games, clocks, books, and GoGui's analysis commands.

use std::path::Path;

use othello_engine::board::{Position, Side, Squares, ggf};
use othello_engine::eval::{Mobility, Zero};
use othello_engine::file::Existing;
use othello_engine::openings::{Book, Settings, write_openings};
use othello_engine::progress::Silent;
use othello_engine::protocol::gtp::Gtp;
use othello_engine::protocol::nboard::Nboard;
use othello_engine::protocol::{Player, Reply, Server};
use othello_engine::search::{Level, Limits, Search};

fn player(level: u32) -> Player<'static, Zero> {
    Player::new(&Search::new(&Zero).hash_mb(1), Level::new(level).unwrap()).unwrap()
}

/// Returns whether a text is as expected, word by word: `#` is a number, `..` any words, `M` a
/// move.
fn is_like(text: &str, expected: &str) -> bool {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let line = |(said, expected): (&String, &String)| {
        let (mut said, mut expected) = (said.split([' ', '/']), expected.split([' ', '/']));
        loop {
            match (said.next(), expected.next()) {
                (_, Some("..")) | (None, None) => return true,
                (Some(word), Some("#")) if word.parse::<f64>().is_ok() => {}
                (Some(word), Some("M")) if ggf::read_turn(&word[..2]).is_ok() => {}
                (Some(word), Some(expected)) if word == expected => {}
                _ => return false,
            }
        }
    };
    let (said, expected) = (lines(text), lines(expected));
    said.len() == expected.len() && said.iter().zip(&expected).all(line)
}

/// The lines of NBoard 2.0 and the engine's answers, in the order of a conversation.
const NBOARD: &[(&str, &str)] = &[
    ("nboard 2", "set myname othello-engine"),
    ("set depth 3", "set myname othello-engine 3"),
    ("set depth deep", "status set depth: expected a number"),
    ("set contempt 0", ""),
    ("set contempt -100", ""),
    ("set of a later version", ""),
    ("ping 1", "pong 1"),
    // The game of the page's example session.
    (
        "set game (;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]BO[8 \
         ---------------------------O*------*O--------------------------- *]B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)",
        "",
    ),
    ("ping 2", "pong 2"),
    ("go", "nodestats # #\n=== M/#/#"),
    ("hint 2", "status ..\nsearch M # 0 3\nsearch M # 0 3\nnodestats # #\nstatus"),
    ("hint 1", "status ..\nsearch M # 0 3\nnodestats # #\nstatus"),
    ("hint", "status ..\nsearch M # 0 3\nnodestats # #\nstatus"),
    ("move D6/1.50/0.3", ""),
    ("move c6//2.0", ""),
    (
        "analyze",
        "status ..\nanalysis 10 #\nanalysis 9 #\nanalysis 8 #\nanalysis 7 #\nanalysis 6 #\nanalysis 5 #\n\
        analysis 4 #\nanalysis 3 #\nanalysis 2 #\nanalysis 1 #\nanalysis 0 #\nstatus",
    ),
    ("move a1", "status move: a1 is not legal"),
    ("move PA", "status move: a side that can move may not pass"),
    ("move", "status move: `` is not a square; expected a1 to h8"),
    ("learn", "learned"),
    ("", ""),
    ("a command of a later version", ""),
    // White is to move and must pass; then black takes the last white disc.
    (
        concat!(
            "set game ",
            "(;BO[8 ***O",
            "------------------------------------------------------------",
            " O];)"
        ),
        "",
    ),
    ("go", "=== PA"),
    ("hint 3", "status ..\nsearch PA -64.00 0 3\nstatus"),
    ("move PA", ""),
    ("go", "nodestats # #\n=== E1/64.00/#"),
    ("analyze", "status ..\nanalysis 1 64.00\nanalysis 0 -64.00\nstatus"),
    // Early versions of NBoard send only the move.
    ("E1", ""),
    ("go", "=== PA"),
    ("hint 1", "status ..\nnodestats # #\nstatus"),
    ("analyze", "status ..\nanalysis 2 -64.00\nanalysis 1 64.00\nanalysis 0 -64.00\nstatus"),
    ("set game f5d6", "status set game: expected (;GM[Othello]…;)"),
    ("set game (;B[f5];)", "status set game: a move stands before the board"),
    ("set game (;GM[Othello];)", "status set game: it has no board that it begins with"),
];

#[test]
fn every_command_of_nboard_is_answered_as_its_protocol_says() {
    let mut server = Nboard::new(player(1));
    for (command, expected) in NBOARD {
        let said = server.answer(command);
        assert!(is_like(&said.text, expected), "{command}:\n{}\nexpected:\n{expected}", said.text);
        assert!(!said.quits && (said.text.is_empty() || said.text.ends_with('\n')));
    }
    assert_eq!(server.answer("quit"), Reply { quits: true, ..Reply::default() });
}

/// A line of a hint is a legal line of moves that begins with the rated move; the best move comes
/// first.
#[test]
fn hints_are_legal_lines_in_the_order_of_their_values() {
    let mut server = Nboard::new(player(4));
    let said = server.answer("hint 60").text;
    let lines: Vec<Vec<&str>> = said
        .lines()
        .filter(|line| line.starts_with("search"))
        .map(|line| line.split(' ').collect())
        .collect();
    assert_eq!(lines.len(), 4);
    let value = |line: &Vec<&str>| line[2].parse::<f64>().unwrap();
    assert!(lines.is_sorted_by(|one, next| value(one) >= value(next)), "{said}");
    for line in &lines {
        othello_engine::board::transcript::Replay::from_start(
            &othello_engine::board::transcript::parse(line[1]).unwrap(),
        )
        .unwrap();
    }
}

/// Returns the answer to a GTP command, without `= ` and the empty line; `Err` if it is refused.
fn ask(
    server: &mut Gtp<'_, impl othello_engine::eval::Evaluate>,
    command: &str,
) -> Result<String, String> {
    let text = server.answer(command).text;
    let body = text[1..].strip_suffix("\n\n").unwrap().trim_start_matches(' ').to_owned();
    if text.starts_with('=') { Ok(body) } else { Err(body) }
}

#[test]
fn games_of_sgf_are_loaded_up_to_any_move() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("game.sgf"), "(;GM[2]FF[4]SZ[8];B[f5];W[fd](;B[d3]C[best])(;B[c4]))")
        .unwrap();
    std::fs::write(path("illegal.sgf"), "(;GM[2];B[f5];W[a1])").unwrap();
    std::fs::write(path("go.sgf"), "(;GM[1];B[aa])").unwrap();
    // Black is on a1 to c1, and white on d1 cannot move: a pass that is left out.
    std::fs::write(path("pass.sgf"), "(;GM[2]AB[a1:c1]AW[d1]PL[W];B[e1])").unwrap();
    let (mut loaded, mut played) = (Gtp::new(player(1)), Gtp::new(player(1)));
    for turn in ["black f5", "white f4", "black d3"] {
        ask(&mut played, &format!("play {turn}")).unwrap();
    }
    assert_eq!(ask(&mut loaded, &format!("loadsgf {}", path("game.sgf"))).unwrap(), "");
    assert_eq!(ask(&mut loaded, "showboard"), ask(&mut played, "showboard"));
    // Shows the position before the move with that number.
    for number in [3, 2, 1] {
        ask(&mut played, "undo").unwrap();
        ask(&mut loaded, &format!("loadsgf {} {number}", path("game.sgf"))).unwrap();
        assert_eq!(ask(&mut loaded, "showboard"), ask(&mut played, "showboard"), "move {number}");
    }
    ask(&mut loaded, &format!("loadsgf {}", path("pass.sgf"))).unwrap();
    assert_eq!(ask(&mut loaded, "final_score").unwrap(), "B+64");
    let before = ask(&mut loaded, "showboard");
    for (file, said) in [
        ("illegal.sgf", "illegal.sgf: move 2: a1 is not legal"),
        ("go.sgf", "not of Othello, GM[2]"),
        ("nothing.sgf", "nothing.sgf: cannot open it"),
        (".", "is a folder, and no ordinary file"),
    ] {
        let refused = ask(&mut loaded, &format!("loadsgf {}", path(file))).unwrap_err();
        assert!(refused.starts_with("cannot load file: ") && refused.contains(said), "{refused}");
    }
    assert_eq!(ask(&mut loaded, "showboard"), before);
    assert_eq!(ask(&mut loaded, "loadsgf").unwrap_err(), "syntax error");
}

/// The first bytes of any file were told, and a device was read for ever.
#[cfg(target_os = "linux")]
#[test]
fn what_is_no_game_is_not_told_and_what_never_ends_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("secret"), "root:secret:0\n".repeat(1000)).unwrap();
    std::fs::write(path("long"), format!("(;GM[{}])", "9".repeat(100_000))).unwrap();
    let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
    assert!(made.success());
    let mut server = Gtp::new(player(1));
    for (file, said) in [
        (path("secret"), "begins no game of SGF"),
        (path("long"), "not of Othello, GM[2]"),
        (path("pipe"), "is a named pipe, and no ordinary file"),
        ("/dev/zero".to_owned(), "is a device, and no ordinary file"),
    ] {
        let refused = ask(&mut server, &format!("loadsgf {file}")).unwrap_err();
        assert!(refused.contains(said) && refused.len() < 400, "{refused}");
        assert!(!refused.contains("root:"), "{refused}");
    }
}

#[test]
fn what_gogui_analyzes_is_listed_and_says_what_a_search_finds() {
    let mut server = Gtp::new(player(3));
    let known = ask(&mut server, "list_commands").unwrap();
    let listed = ask(&mut server, "gogui-analyze_commands").unwrap();
    for line in listed.lines() {
        let [kind, label, command] = line.split('/').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        assert!(["gfx", "var", "string"].contains(&kind) && !label.is_empty(), "{line}");
        assert!(known.lines().any(|known| known == command), "{line}");
    }
    ask(&mut server, "play black f5").unwrap();
    let after = Position::START.play("f5".parse().unwrap()).unwrap();
    let rated = player(3).rated_moves(&after, &Limits::default());
    let values = ask(&mut server, "othello-values").unwrap();
    let labels = values.lines().next().unwrap().strip_prefix("LABEL ").unwrap();
    let words: Vec<&str> = labels.split(' ').collect();
    assert_eq!(words.len(), 2 * rated.len());
    for (words, rated) in words.chunks(2).zip(&rated) {
        assert_eq!(
            (words[0], words[1]),
            (&*rated.square.to_string(), &*format!("{:+.1}", rated.value))
        );
    }
    assert_eq!(ask(&mut server, "othello-value").unwrap(), format!("{:+.2}", rated[0].value));
    let line = ask(&mut server, "othello-line").unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!((words.len(), words[0], words[2], words[4]), (6, "w", "b", "w"));
    for turn in words.chunks(2) {
        ask(&mut server, &format!("play {} {}", turn[0], turn[1])).unwrap();
    }
}

#[test]
fn nothing_is_analyzed_where_the_game_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("over.sgf");
    std::fs::write(&path, "(;GM[2]AB[a1:h1])").unwrap();
    let mut server = Gtp::new(player(3));
    ask(&mut server, &format!("loadsgf {}", path.display())).unwrap();
    assert_eq!(ask(&mut server, "othello-value").unwrap(), "+64.00");
    assert_eq!(ask(&mut server, "othello-line").unwrap(), "");
    assert_eq!(ask(&mut server, "othello-values").unwrap(), "TEXT no move is legal");
}

/// Level 60 searches to the end of the game, which would take a lifetime.
#[test]
fn a_clock_ends_searches_that_a_level_does_not() {
    let mut server = Gtp::new(player(60));
    ask(&mut server, "time_settings 1 0 0").unwrap();
    ask(&mut server, "genmove black").unwrap();
    ask(&mut server, "time_left white 0 0").unwrap();
    ask(&mut server, "genmove white").unwrap();
    ask(&mut server, "time_settings 0 1 10").unwrap();
    ask(&mut server, "reg_genmove black").unwrap();
    for (command, said) in [
        ("time_settings 1 0", "syntax error"),
        ("time_settings -1 0 0", "syntax error: expected a number of seconds"),
        ("time_left black 1 few", "syntax error: expected a number of moves"),
        ("time_left red 1 0", "syntax error: expected black or white"),
    ] {
        assert_eq!(ask(&mut server, command).unwrap_err(), said);
    }
    let mut server = Nboard::new(player(60));
    let game = ggf::game(&Position::START, Side::Black, &[]).replace("TI[0]", "TI[00:01]");
    server.answer(&format!("set game {game}"));
    assert!(server.answer("go").text.contains("=== "));
}

/// Writes and reads a book of openings of three moves, scored by another evaluation than the
/// player's.
fn book(folder: &Path) -> Book {
    let path = folder.join("book.openings");
    write_openings(&path, &Settings::whole(3, 2), &Mobility, Existing::Keep, &Silent).unwrap();
    Book::read(&path).unwrap()
}

#[test]
fn servers_play_from_a_book_while_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let book = book(folder.path());
    let with_book = || player(1).with_book(Some(book.clone()));
    let (mut gtp, mut nboard) = (Gtp::new(with_book()), Nboard::new(with_book()));
    let (mut position, mut from_book) = (Position::START, 0);
    for (side, ply) in ["black", "white", "black", "white", "black"].iter().zip(0..) {
        let (said, hints) = (nboard.answer("go").text, nboard.answer("hint 3").text);
        let turn = ask(&mut gtp, &format!("genmove {side}")).unwrap();
        nboard.answer(&format!("move {turn}"));
        if let Some((square, value)) = book.best_move(&position) {
            from_book += 1;
            assert_eq!(turn, square.to_string(), "ply {ply}");
            let line = format!("book {} {value:.2} 0 0\n", square.to_string().to_ascii_uppercase());
            assert!(said.starts_with(&line) && hints.contains(&line), "{said}{hints}");
        } else {
            assert!(said.starts_with("nodestats") && hints.contains("\nsearch "), "{said}{hints}");
        }
        assert!(Squares(position.moves()).any(|square| square.to_string() == turn));
        position = position.play(turn.parse().unwrap()).unwrap();
    }
    assert_eq!(from_book, 3);
}
