//! Reads GGF, the Generic Game Format of the Generic Game Server,
//! `(;GM[Othello]…BO[8 …]B[f5]W[d6]…;)`, and the main lines of SGF, `(;GM[2]FF[4]…;B[f5];W[d6])`.
//! A file has any number of games, with any text between them, and may be compressed by zstd.
//!
//! Fields of GGF are `NAME[value]`; in a value, `\` takes the next character literally. `BO` has
//! the board at the start, `B` and `W` a move (a square and `/value/seconds`, which is ignored),
//! `TY` the rules, `RE` the result.

use std::path::Path;

use othello_engine::board::{Discs, Side, StatedGame, ggf, sgf};
use othello_engine::record::{Game, ScoredPosition};
use othello_engine::text::excerpt;

use super::pieces::{self, NO_END};
use super::{Entries, Result};

/// Reads the games of a file of GGF.
pub fn read(path: &Path) -> Result<Entries<Game>> {
    pieces::entries(path, false, parse, pieces::game)
}

/// Reads the positions of games that do not begin with the standard position. The label of a
/// position is the result of its game.
pub fn read_other_boards(path: &Path) -> Result<Entries<ScoredPosition>> {
    pieces::entries(path, false, parse, pieces::positions)
}

/// Reads the games of a file of SGF.
pub fn read_sgf(path: &Path) -> Result<Entries<Game>> {
    let parse = |text: &str| match text.ends_with(')') {
        true => sgf::parse(text),
        false if text.contains("(;") => Err(NO_END.to_owned()),
        false => Err("has no game of SGF; expected (;GM[2]…)".to_owned()),
    };
    pieces::entries(path, true, parse, pieces::game)
}

fn parse(text: &str) -> Result<StatedGame, String> {
    let (_, game) = text.split_once("(;").ok_or_else(|| {
        format!("`{}` does not begin a game; expected (;GM[Othello]…;)", excerpt(text.trim()))
    })?;
    let game = game.strip_suffix(')').ok_or(NO_END)?.trim_end_matches(';');
    let (mut begin, mut turns, mut result, mut rules) = (None, vec![], None, String::new());
    for field in ggf::fields(game) {
        let (name, value) = field?;
        match name {
            "GM" if !value.eq_ignore_ascii_case("othello") => {
                return Err(format!("a game of `{}`, not of Othello", excerpt(&value)));
            }
            "TY" => rules = ggf::read_rules(&value)?,
            "RE" => result = read_result(&value),
            "BO" => {
                begin = Some(ggf::read_board(&value).ok_or_else(|| {
                    format!("it begins with `{}`, not with a board of 8 by 8", excerpt(&value))
                })?);
            }
            "B" | "W" => {
                let turn = ggf::read_turn(&value);
                let turn = turn.map_err(|error| format!("move {}: {error}", turns.len() + 1))?;
                turns.push((if name == "B" { Side::Black } else { Side::White }, turn));
            }
            _ => {}
        }
    }
    let (position, side) = begin.ok_or("it does not begin with a board; expected BO[8 …]")?;
    // The result of a game with komi is not the difference of the discs.
    let result = result.filter(|_| !rules.contains('k'));
    Ok(StatedGame { position, side, turns, result })
}

/// Reads a result such as `+48.00` or `-64:r` in discs, rounded; `None` if unknown or invalid.
fn read_result(value: &str) -> Option<Discs> {
    let discs = value.split(':').next()?.trim().parse::<f64>().ok()?;
    (-64.0..=64.0).contains(&discs).then_some(discs.round() as Discs)
}

#[cfg(test)]
mod tests {
    use othello_engine::board::transcript::Replay;

    use super::*;
    use crate::source::tests::entries_of;

    const HEAD: &str = "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]\
        RB[2197.01]RW[2199.72]TI[05:00//02:00]TY[8]RE[+0.00]";
    const BOARD: &str =
        "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

    fn game(moves: &str) -> String {
        format!("{HEAD}{BOARD}{moves};)")
    }

    fn read(bytes: &[u8]) -> Vec<Result<Game, String>> {
        entries_of("games.ggf", bytes, super::read).unwrap()
    }

    const WIPE_OUT: &str = "B[f5]W[d6//0.1]B[C5/1.5/3]W[f4]B[e7]W[f6]B[g5]W[e6]B[e3]";

    #[test]
    fn games_are_read_one_after_the_other() {
        let text = format!("1 {}\n\n2 {}{}\n", game(WIPE_OUT), game("B[f5]"), game(""));
        for bytes in [text.as_bytes().to_vec(), zstd::bulk::compress(text.as_bytes(), 3).unwrap()] {
            let games = read(&bytes);
            assert_eq!(games.len(), 3);
            assert_eq!(games[0].as_ref().unwrap().black_score(), Some(64));
            assert_eq!(games[1].as_ref().unwrap().squares().len(), 1);
            assert!(games[2].as_ref().unwrap().squares().is_empty());
        }
        assert!(read(b"").is_empty() && read(b" \n\n").is_empty());
    }

    #[test]
    fn passes_may_be_written_and_values_may_be_escaped() {
        // After these moves white must pass.
        let moves = "f5f6d3g5h5h4f7h6g6f4h3h7f3g4e3d2c3f8c1e6h8d1";
        let squares = othello_engine::board::transcript::parse(moves).unwrap();
        let mut replay = Replay::from_start(&[]).unwrap();
        let mut text = String::from("CO[a \\] and a (parenthesis)]");
        let mut passes = 0;
        for square in squares {
            if replay.push(square).is_err() {
                break;
            }
            let step = replay.steps[replay.steps.len() - 1];
            text += &format!("{}[{square}]", if step.side == Side::Black { "B" } else { "W" });
            if replay.side == step.side {
                text += if step.side == Side::Black { "W[pa]" } else { "B[PASS//2.0]" };
                passes += 1;
            }
        }
        assert_eq!(passes, 1);
        let games = read(game(&text).as_bytes());
        assert_eq!(games[0].as_ref().unwrap().squares().len(), replay.steps.len());
    }

    #[test]
    fn what_is_no_game_is_named_and_the_others_are_read() {
        let bad = [
            game("B[f5]W[f5]"),
            game("B[f5]B[d6]"),
            game("B[f5]W[zz]"),
            game("B[f5").replace(";)", "];)").replace("]]", "]").replace("B[f5]", "B f5"),
            game("").replace("Othello", "Chess"),
            game("").replace("---O*---", "---*O---"),
            game("").replace("BO[8", "BO[10"),
            format!("{HEAD};)"),
            "nonsense ;)".to_owned(),
            format!("{}{}", "x".repeat(70_000), game("")),
        ];
        let text = format!(
            "{}\n{}\n{}",
            bad.join("\n"),
            game("B[f5]"),
            game("B[f5]").trim_end_matches(";)")
        );
        let games = read(text.as_bytes());
        let expected = [
            "line 1, game 1 (Saio1200 against Saio3000): move 2: f5 is not legal here",
            "line 2, game 2 (Saio1200 against Saio3000): move 2: B[d6], but it is the other side's",
            "line 3, game 3 (Saio1200 against Saio3000): move 2: `zz` is not a square",
            "line 4, game 4 (Saio1200 against Saio3000): `B f5",
            "line 5, game 5 (Saio1200 against Saio3000): a game of `Chess`, not of Othello",
            "line 6, game 6 (Saio1200 against Saio3000): it begins with `----",
            "line 7, game 7 (Saio1200 against Saio3000): it begins with `10 ---",
            "line 8, game 8 (Saio1200 against Saio3000): it does not begin with a board",
            "line 9, game 9: `nonsense ;)` does not begin a game",
            "line 10, game 10: longer than 65536 bytes",
        ];
        assert_eq!(games.len(), 12);
        for (game, expected) in games.iter().zip(expected) {
            let message = game.as_ref().unwrap_err();
            assert!(message.contains(&format!("games.ggf: {expected}")), "{message}");
        }
        assert_eq!(games[10].as_ref().unwrap().squares().len(), 1);
        let message = games[11].as_ref().unwrap_err();
        assert!(
            message.contains("line 12, game 12 (Saio1200 against Saio3000): the game has no end"),
            "{message}"
        );
    }

    #[test]
    fn games_of_other_rules_are_refused_by_name() {
        let typed = |rules: &str| game("B[f5]").replace("TY[8]", &format!("TY[{rules}]"));
        for rules in ["8", "8k", "s8", "8r20", "s8r18:l", "S8K", "8b", "s8w"] {
            assert!(read(typed(rules).as_bytes())[0].is_ok(), "{rules}");
        }
        for (rules, said) in [
            ("8a", "(Saio1200 against Saio3000): an anti game, TY[8a]"),
            ("s8ar20", "an anti game"),
            ("8A", "an anti game"),
            ("8x", "other rules, TY[8x]"),
        ] {
            let games = read(format!("{}{}", typed(rules), game("B[f5]")).as_bytes());
            let error = games[0].as_ref().unwrap_err();
            assert!(error.contains(said) && games[1].is_ok(), "{rules}: {error}");
        }
    }

    /// An unfinished game must not hide the next game. `;)` in a field's value must not end a game.
    #[test]
    fn a_cut_game_and_the_end_of_a_game_within_a_value_cost_no_other_game() {
        let whole = game("B[f5]W[d6]");
        for cut in
            [24, 80, 150, whole.len() - 10, whole.len() - 5, whole.len() - 3, whole.len() - 2]
        {
            for between in ["\n", "", "\n\n2 "] {
                let text = format!("{}{between}{whole}\n{whole}", &whole[..cut]);
                let games = read(text.as_bytes());
                let there = games.iter().map(Result::is_ok).collect::<Vec<_>>();
                assert_eq!(there, [false, true, true], "cut at {cut}: {games:?}");
                let line = if between.is_empty() { 1 } else { 2 };
                let said = games[0].as_ref().unwrap_err();
                assert!(
                    said.contains("line 1, game 1") && said.contains("has no end"),
                    "{line} {said}"
                );
            }
        }
        let values = [
            "well played ;) thanks",
            "a \\] b ;) c",
            ";)",
            "(;",
            ")(",
            "(a (b)",
            "as (;GM[Othello\\]BO[8 x\\];)",
        ];
        for value in values {
            let text = format!("{}\n{whole}", game(&format!("CO[{value}]B[f5]")));
            let games = read(text.as_bytes());
            assert!(games.len() == 2 && games.iter().all(Result::is_ok), "{value}: {games:?}");
        }
    }

    #[test]
    fn passes_that_are_not_allowed_are_refused_with_their_place() {
        for moves in ["B[f5]W[pa]B[pa]W[d6]", "B[f5]W[pa]", "B[pa]W[f5]"] {
            let error = read(game(moves).as_bytes())[0].clone().unwrap_err();
            assert!(error.contains(": a pass, but"), "{moves}: {error}");
        }
        assert!(read(game(&format!("{WIPE_OUT}W[pa]B[pa]")).as_bytes())[0].is_ok());
    }

    /// A result must be kept if it contradicts the moves, or if the game is unfinished.
    #[test]
    fn a_stated_result_that_the_moves_do_not_give_is_kept() {
        let stated = |result: &str, moves: &str| {
            let text = game(moves).replace("RE[+0.00]", &format!("RE[{result}]"));
            read(text.as_bytes())[0].as_ref().unwrap().stated()
        };
        // The last board has 13 black discs. With the empty squares, black wins by 64.
        for (result, expected) in
            [("+64.00", None), ("+13", None), ("-64", Some(-64)), ("+62:r", Some(62)), ("?", None)]
        {
            assert_eq!(stated(result, WIPE_OUT), expected, "{result}");
        }
        assert_eq!(stated("-12:t", "B[f5]"), Some(-12));
        let komi = game(WIPE_OUT).replace("TY[8]", "TY[8k]");
        assert_eq!(read(komi.as_bytes())[0].as_ref().unwrap().stated(), None);
    }

    #[test]
    fn names_in_iso_8859_1_do_not_block_the_moves() {
        let name = [b"Ren".as_slice(), b"\xE9", b"e"].concat();
        let text = game(WIPE_OUT);
        let at = text.find("Saio1200").unwrap();
        let bytes = [&text.as_bytes()[..at], &name, &text.as_bytes()[at..]].concat();
        assert_eq!(read(&bytes)[0].as_ref().unwrap().squares().len(), 9);
    }

    /// Black's only move, d1, flips b1 and c1 and ends the game. The result, 62, must be the label.
    #[test]
    fn positions_of_games_from_other_boards_have_the_result_as_label() {
        let row = "-------- ".repeat(7);
        let other = game("B[d1]").replace(BOARD, &format!("BO[8 *OO----O {row}*]"));
        let broken_off = game("B[f5]").replace("---O*---", "---OO---");
        let text = format!("{}{other}{broken_off}", game(WIPE_OUT));
        let rows = entries_of("games.ggf", text.as_bytes(), read_other_boards).unwrap();
        let row = rows[0].as_ref().unwrap();
        assert_eq!((row.position().player(), row.label().discs()), (1, 62.0));
        assert!(rows[1].as_ref().unwrap_err().contains("unfinished"), "{rows:?}");
        assert_eq!(rows.len(), 2);
    }

    #[test]
    fn the_main_lines_of_games_are_read_one_after_the_other() {
        let wipe_out = "(;GM[2]FF[4]SZ[8]PB[R\u{E9}mi];B[f5];W[d6];B[c5];W[f4]C[;) (]\
                        (;B[e7];W[f6];B[g5];W[e6];B[e3])(;B[c4]))";
        let latin: Vec<u8> = wipe_out.chars().map(|letter| letter as u8).collect();
        let cut = b"\n(;FF[4]GM[2];B[f5](;W[d6](;B[".as_slice();
        let more = b"(;FF[4]GM[2]RE[B+10];B[f5])(;GM[2]AB[a1:d1]PL[W])(;GM[1];B[aa])";
        let bytes = [&latin, cut, b"\n", &latin, more].concat();
        let games = entries_of("games.sgf", &bytes, read_sgf).unwrap();
        let plies = |at: usize| games[at].as_ref().map(|game| game.squares().len());
        assert_eq!([plies(0), plies(2), plies(3)], [Ok(9), Ok(9), Ok(1)], "{games:?}");
        assert_eq!(games[3].as_ref().unwrap().stated(), Some(10));
        for (at, said) in [
            (1, "games.sgf: line 2, game 2: the game has no end"),
            (4, "game 5: it begins with `XXXX"),
            (5, "game 6: is of game `1`"),
        ] {
            let error = games[at].as_ref().unwrap_err();
            assert!(error.contains(said), "{error}");
        }
        assert_eq!(games.len(), 6);
    }
}
