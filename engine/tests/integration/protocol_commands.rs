//! Tests of every NBoard command against the documentation, and of the GTP commands for clocks,
//! books and GoGui. `tests/cmd/gtp.stdin` tests the other GTP commands.

use std::path::Path;

use othello_engine::board::{Position, Side, Squares, ggf};
use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::openings::{Book, Settings, write_openings};
use othello_engine::progress::Silent;
use othello_engine::protocol::gtp::Gtp;
use othello_engine::protocol::nboard::Nboard;
use othello_engine::protocol::{Reply, Server};
use othello_engine::search::Limits;

use crate::protocols::player;

/// Compares word by word: in the pattern, `#` is a number, `..` any words, `M` a move.
fn is_like(text: &str, expected: &str) -> bool {
    let line = |(said, expected): (&str, &str)| {
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
    text.lines().count() == expected.lines().count() && text.lines().zip(expected.lines()).all(line)
}

#[test]
fn every_command_of_nboard_is_answered_as_its_protocol_says() {
    let mut server = Nboard::new(player(1));
    let (_, conversation) = include_str!("nboard.txt").split_once("\n> ").unwrap();
    for exchange in conversation.split("\n> ") {
        let (command, expected) = exchange.split_once('\n').unwrap_or((exchange, ""));
        let said = server.answer(command);
        assert!(is_like(&said.text, expected), "{command}:\n{}\nexpected:\n{expected}", said.text);
        assert!(!said.quits && (said.text.is_empty() || said.text.ends_with('\n')));
    }
    assert_eq!(server.answer("quit"), Reply { quits: true, ..Reply::default() });
}

/// Each line must begin with the rated move, and the best move must come first.
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

/// Returns the answer to a GTP command, without `= ` and the empty line; `Err` if it is rejected.
pub(crate) fn ask(
    server: &mut Gtp<'_, impl othello_engine::eval::Evaluate>,
    command: &str,
) -> Result<String, String> {
    let text = server.answer(command).text;
    let body = text[1..].strip_suffix("\n\n").unwrap().trim_start_matches(' ').to_owned();
    if text.starts_with('=') { Ok(body) } else { Err(body) }
}

/// Regressions: `loadsgf` printed the first bytes of any file, and never stopped reading a device.
#[cfg(target_os = "linux")]
#[test]
fn a_file_without_a_game_is_not_printed_and_an_endless_one_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("secret"), "root:secret:0\n".repeat(1000)).unwrap();
    std::fs::write(path("long"), format!("(;GM[{}])", "9".repeat(100_000))).unwrap();
    let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
    assert!(made.success());
    let mut server = Gtp::new(player(1));
    for (file, said) in [
        (path("secret"), "has no game of SGF"),
        (path("long"), "not of Othello, GM[2]"),
        (path("pipe"), "is a named pipe, not an ordinary file"),
        ("/dev/zero".to_owned(), "is a device, not an ordinary file"),
    ] {
        let refused = ask(&mut server, &format!("loadsgf {file}")).unwrap_err();
        assert!(refused.contains(said) && refused.len() < 400, "{refused}");
        assert!(!refused.contains("root:"), "{refused}");
    }
}

#[test]
fn analysis_commands_of_gogui_are_listed_and_give_the_values_of_a_search() {
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
    for command in known.lines() {
        let answer = Gtp::new(player(1)).answer(command).text;
        assert_ne!(answer, "? unknown command\n\n", "{command}");
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

/// Level 60 searches to the end of the game, which would take years.
#[test]
fn a_clock_ends_searches_that_a_level_does_not() {
    let mut server = Gtp::new(player(60));
    ask(&mut server, "time_settings 1 0 0").unwrap();
    ask(&mut server, "genmove black").unwrap();
    ask(&mut server, "time_left white 0 0").unwrap();
    ask(&mut server, "genmove white").unwrap();
    ask(&mut server, "time_settings 0 1 10").unwrap();
    ask(&mut server, "reg_genmove black").unwrap();
    let mut server = Nboard::new(player(60));
    let game = ggf::game(&Position::START, Side::Black, &[]).replace("TI[0]", "TI[00:01]");
    server.answer(&format!("set game {game}"));
    assert!(server.answer("go").text.contains("=== "));
}

/// A book of openings of three moves, scored by another evaluation than the player's.
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
