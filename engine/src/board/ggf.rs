//! The notation of GGF, the Generic Game Format: fields `NAME[value]`, boards and moves.

use super::notation::{BoardLine, board_text};
use super::{Position, Side, Square};
use crate::text::excerpt;

/// The fields of a game: each its name and its value, where `\` took the character after it as it is.
#[derive(Clone, Debug)]
pub struct Fields<'a>(pub &'a str);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(&'a str, String), String>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.0.trim_start();
        if text.is_empty() {
            return None;
        }
        let field = split_field(text);
        self.0 = field.as_ref().map_or("", |field| field.2);
        Some(field.map(|(name, value, _)| (name, value)))
    }
}

/// The name and the value of the first field, and what follows it.
fn split_field(text: &str) -> Result<(&str, String, &str), String> {
    let wrong = || format!("`{}` is no field; expected NAME[value]", excerpt(text));
    let (name, rest) = text.split_once('[').ok_or_else(wrong)?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(wrong());
    }
    let (mut value, mut characters) = (String::new(), rest.char_indices());
    while let Some((at, character)) = characters.next() {
        match character {
            ']' => return Ok((name, value, &rest[at + 1..])),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    Err(wrong())
}

/// Reads a board: `8`, 64 squares (`*` black, `O` white, `-` empty), the side to move (`*` where there is none),
/// blanks anywhere.
pub fn read_board(value: &str) -> Option<(Position, Side)> {
    let squares: String = value.split_ascii_whitespace().collect();
    let (board, side) = squares.strip_prefix('8')?.split_at_checked(64)?;
    let line: BoardLine = format!("{board} {side}").parse().ok()?;
    Some((line.position, line.side))
}

/// Reads a move, `f5/1.25/3.1`, or a pass, `pa`, which is `None`.
///
/// The error is the word that stands there.
pub fn read_turn(value: &str) -> Result<Option<Square>, String> {
    let word = value.split('/').next().unwrap_or_default().trim().to_ascii_lowercase();
    if ["pa", "pass", "--"].contains(&word.as_str()) {
        return Ok(None);
    }
    word.parse().map(Some).map_err(|error: super::notation::NotationError| error.to_string())
}

/// A game that begins with `position` and `side` to move, and its turns so far; `None` is a pass.
pub fn game(position: &Position, side: Side, turns: &[Option<Square>]) -> String {
    let board = board_text(position, side).replace('X', "*");
    let mut text =
        format!("(;GM[Othello]PC[othello]PB[black]PW[white]RE[?]TI[0]TY[8]BO[8 {board}]");
    let mut mover = side;
    for turn in turns {
        let name = if mover == Side::Black { 'B' } else { 'W' };
        let turn = turn.map_or("PA".to_owned(), |square| square.to_string().to_ascii_uppercase());
        text += &format!("{name}[{turn}]");
        mover = mover.other();
    }
    text + ";)"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_is_written_has_the_fields_that_are_read() {
        let turns = ["f5", "d6"].map(|square| Some(square.parse().unwrap()));
        let text = game(&Position::START, Side::Black, &[turns[0], None, turns[1]]);
        let fields = text.strip_prefix("(;").and_then(|text| text.strip_suffix(";)")).unwrap();
        let fields: Vec<(&str, String)> = Fields(fields).collect::<Result<_, _>>().unwrap();
        let named = |wanted: &str| -> Vec<&str> {
            let named = fields.iter().filter(|(name, _)| *name == wanted);
            named.map(|(_, value)| value.as_str()).collect()
        };
        assert_eq!(read_board(named("BO")[0]), Some((Position::START, Side::Black)));
        let read = |name| -> Vec<_> {
            named(name).into_iter().map(|turn| read_turn(turn).unwrap()).collect()
        };
        assert_eq!(read("B"), turns);
        assert_eq!(read("W"), [None]);
    }

    #[test]
    fn what_is_none_is_refused() {
        assert!(Fields("B[f5").next().is_some_and(|field| field.is_err()));
        assert!(read_turn("i9/1.0").unwrap_err().contains("`i9`"));
        for board in ["", "8", "10 ---", "8 --- X", &format!("8 {} *", "é".repeat(64))] {
            assert_eq!(read_board(board), None, "{board}");
        }
    }
}
