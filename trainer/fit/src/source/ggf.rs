//! Reads GGF, the Generic Game Format of the Generic Game Server:
//! `(;GM[Othello]…BO[8 …]B[f5]W[d6]…;)`, with any number of games in a file, plain or compressed by
//! zstd.
//!
//! Fields are `NAME[value]`; `\` escapes the next character. `BO` is the board at the start of the
//! game. `B` and `W` are moves: the square, then optionally `/value/seconds`, which is ignored.
//! Text between games, such as their number in a match, is skipped.

use std::path::{Path, PathBuf};

use othello_engine::board::ggf::{self, Fields};
use othello_engine::board::transcript::Replay;
use othello_engine::board::{Position, Side, Square};
use othello_engine::record::Game;
use othello_engine::text::{TextSource, excerpt};

use super::{Entries, Rejection, SourceError};

/// The greatest size of a game in bytes, so that a file without games cannot fill the memory.
const MAX_GAME_BYTES: u64 = 1 << 16;

/// Reads the games of a file one after another.
pub fn read(path: &Path) -> Result<impl Entries<Game> + use<>, SourceError> {
    Ok(GgfGames { source: TextSource::open(path)?, piece: vec![], number: 0 })
}

struct GgfGames {
    source: TextSource,
    piece: Vec<u8>,
    number: u64,
}

impl GgfGames {
    /// Reads up to the end of the next game; returns the line of the game's beginning, if there is
    /// one.
    fn next_piece(&mut self) -> Result<Option<u64>, SourceError> {
        self.piece.clear();
        let mut line = self.source.line();
        loop {
            let from = self.piece.len();
            let left = MAX_GAME_BYTES.saturating_sub(from as u64);
            let bytes = self.source.read_until(b')', left, &mut self.piece)?;
            if self.piece.trim_ascii().is_empty() {
                return Ok(None);
            }
            if from == 0 {
                let blank = self.piece.len() - self.piece.trim_ascii_start().len();
                line += self.piece[..blank].iter().filter(|&&byte| byte == b'\n').count() as u64;
            }
            if bytes == 0 || self.piece.ends_with(b";)") || bytes > left {
                self.number += 1;
                return Ok(Some(line));
            }
        }
    }
}

fn parse(piece: &[u8]) -> Result<Game, String> {
    if piece.len() as u64 > MAX_GAME_BYTES {
        return Err(format!("longer than {MAX_GAME_BYTES} bytes"));
    }
    let text = str::from_utf8(piece).map_err(|_| "is not text in UTF-8")?;
    let (_, game) = text.split_once("(;").ok_or_else(|| {
        format!("`{}` does not begin a game; expected (;GM[Othello]…;)", excerpt(text.trim()))
    })?;
    let game = game.strip_suffix(";)").ok_or("the game has no end; expected ;)")?;
    let mut replay = Replay::from_start(&[]).map_err(|error| error.to_string())?;
    let mut begins = false;
    for field in Fields(game) {
        let (name, value) = field?;
        match name {
            "GM" if !value.eq_ignore_ascii_case("othello") => {
                return Err(format!("a game of `{}`, not of Othello", excerpt(&value)));
            }
            "BO" => {
                check_board(&value)?;
                begins = true;
            }
            "B" | "W" => push(&mut replay, name, &value)?,
            _ => {}
        }
    }
    if !begins {
        return Err("no board that it begins with; expected BO[8 …]".to_owned());
    }
    let squares: Vec<Square> = replay.steps.iter().map(|step| step.square).collect();
    Game::new(0, &squares).map_err(|error| error.to_string())
}

/// Returns the players for a message, ` (one against other)`, if the game names them.
fn players(piece: &[u8]) -> String {
    let text = String::from_utf8_lossy(piece);
    let game = text.split_once("(;").map_or("", |(_, game)| game);
    let fields: Vec<_> = Fields(game).map_while(Result::ok).collect();
    let player = |wanted: &str| fields.iter().find(|(name, _)| *name == wanted);
    match (player("PB"), player("PW")) {
        (Some((_, black)), Some((_, white))) => {
            format!(" ({} against {})", excerpt(black), excerpt(white))
        }
        _ => String::new(),
    }
}

/// Refuses a game that does not start from the usual position.
fn check_board(value: &str) -> Result<(), String> {
    if ggf::read_board(value) == Some((Position::START, Side::Black)) {
        return Ok(());
    }
    Err(format!("it begins with `{}`, not with the usual board", excerpt(value)))
}

/// Plays a move, `f5/1.25/3.1`, or a pass, `pa`.
fn push(replay: &mut Replay, name: &str, value: &str) -> Result<(), String> {
    let number = replay.steps.len() + 1;
    let turn = ggf::read_turn(value).map_err(|error| format!("move {number}: {error}"))?;
    // The replay passes by itself if a side must; other passes are not allowed.
    let Some(square) = turn else { return Ok(()) };
    let side = if name == "B" { Side::Black } else { Side::White };
    if side != replay.side && replay.end.moves() != 0 {
        return Err(format!(
            "move {number}: {name}[{}], but it is the other side's turn",
            excerpt(value)
        ));
    }
    replay.push(square).map_err(|error| error.to_string())
}

impl Iterator for GgfGames {
    type Item = Result<Result<Game, Rejection>, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = match self.next_piece().transpose()? {
            Ok(line) => line,
            Err(error) => return Some(Err(error)),
        };
        let rejected = |reason| {
            let path: PathBuf = self.source.path().to_owned();
            let place = format!("line {line}, game {}{}", self.number, players(&self.piece));
            Rejection { path, place, reason }
        };
        Some(Ok(parse(&self.piece).map_err(rejected)))
    }
}

impl Entries<Game> for GgfGames {
    fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_testing::scratch;

    const HEAD: &str = "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]\
        RB[2197.01]RW[2199.72]TI[05:00//02:00]TY[8]RE[+0.00]";
    const BOARD: &str =
        "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

    fn game(moves: &str) -> String {
        format!("{HEAD}{BOARD}{moves};)")
    }

    fn read(bytes: &[u8]) -> Vec<Result<Game, String>> {
        let mut games = scratch::with_file("games.ggf", bytes, super::read).unwrap();
        let read = games.by_ref().map(|game| game.unwrap().map_err(|error| error.to_string()));
        let read = read.collect();
        assert_eq!(games.bytes_read(), bytes.len() as u64);
        read
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
            "line 6, game 6 (Saio1200 against Saio3000): it begins with `8 ----",
            "line 7, game 7 (Saio1200 against Saio3000): it begins with `10 ---",
            "line 8, game 8 (Saio1200 against Saio3000): no board that it begins with",
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
}
