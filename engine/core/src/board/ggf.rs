//! The notation of GGF, the Generic Game Format: fields `NAME[value]`, boards and moves.

use std::time::Duration;

use super::notation::board_text;
use super::{Position, Side, Square, StatedPosition};
use crate::text::{Invalid, excerpt};

/// Returns the name and the value of each field of a GGF game. `text` is the game without the
/// enclosing `(;` and `;)`. Resolves the escapes (`\`) in values. Ends after the first error.
pub fn fields(text: &str) -> impl Iterator<Item = Result<(&str, String), String>> {
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        let field = (!rest.is_empty()).then(|| split_field(rest))?;
        rest = field.as_ref().map_or("", |(.., rest)| rest.trim_start());
        Some(field.map(|(name, value, _)| (name, value)))
    })
}

fn split_field(text: &str) -> Result<(&str, String, &str), String> {
    let wrong = || format!("`{}` is not a field; expected NAME[value]", excerpt(text));
    let (name, rest) = text.split_once('[').ok_or_else(wrong)?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(wrong());
    }
    let (value, rest) = split_value(rest).ok_or_else(wrong)?;
    Ok((name, value, rest))
}

pub(super) fn split_value(text: &str) -> Option<(String, &str)> {
    let (mut value, mut characters) = (String::new(), text.char_indices());
    while let Some((at, character)) = characters.next() {
        match character {
            ']' => return Some((value, &text[at + 1..])),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    None
}

/// Reads a board: `8` (its size), 64 squares (`*` black, `O` white, `-` empty), the side to move.
pub fn read_board(value: &str) -> Option<(Position, Side)> {
    let squares: String = value.split_ascii_whitespace().collect();
    let (board, side) = squares.strip_prefix('8')?.split_at_checked(64)?;
    let line: StatedPosition = format!("{board} {side}").parse().ok()?;
    Some((line.position, line.side))
}

/// Returns the letters of a game type, such as `sr` for `s8r18`: `s` for two games at once with
/// swapped colours, `r` for a random start, `k` for komi, `b` or `w` for a requested colour.
pub fn read_rules(value: &str) -> Result<String, String> {
    let rules = value.split(':').next().unwrap_or_default();
    let letters = rules.to_ascii_lowercase().replace(|c: char| !c.is_ascii_alphabetic(), "");
    match letters.chars().find(|letter| !"bkrsw".contains(*letter)) {
        None => Ok(letters),
        Some('a') => Err(format!("an anti game, TY[{}]: fewer discs win", excerpt(value))),
        Some(_) => Err(format!("a game of other rules, TY[{}]", excerpt(value))),
    }
}

/// Reads a turn such as `f5/1.25/3.1` (square, evaluation, seconds); `None` for a pass, `pa`.
pub fn read_turn(value: &str) -> Result<Option<Square>, String> {
    let word = value.split('/').next().unwrap_or_default().trim().to_ascii_lowercase();
    if ["pa", "pass", "--"].contains(&word.as_str()) {
        return Ok(None);
    }
    word.parse().map(Some).map_err(|error: Invalid| error.to_string())
}

/// Reads the time of a turn, such as 3.1 s in `f5/1.25/3.1`; zero if it is missing or not a time.
pub fn read_time(value: &str) -> Duration {
    let seconds = value.split('/').nth(2).and_then(|word| word.trim().parse().ok());
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or_default()
}

/// Reads the main time of a clock, such as `15:00` or `1:15:00/overtime`; `None` if there is none.
pub fn read_clock(value: &str) -> Option<Duration> {
    let main = value.split(['/', ',']).next()?.trim();
    let mut seconds = 0_u64;
    for part in main.split(':') {
        let part: u32 = part.trim().parse().ok()?;
        seconds = seconds.checked_mul(60)?.checked_add(part.into())?;
    }
    // A time without a colon is in minutes; otherwise, the last part is in seconds.
    let seconds = if main.contains(':') { seconds } else { seconds.checked_mul(60)? };
    (seconds > 0).then_some(Duration::from_secs(seconds))
}

/// Returns the GGF text of a game from `position`, with `side` to move. A turn of `None` is a pass.
pub fn game(position: &Position, side: Side, turns: &[Option<Square>]) -> String {
    let timeless: Vec<_> = turns.iter().map(|&turn| (turn, Duration::ZERO)).collect();
    timed_game(position, side, None, &timeless)
}

/// Returns a game in GGF with the time of each turn. `clock` is each player's main time, if any.
pub fn timed_game(
    position: &Position,
    side: Side,
    clock: Option<Duration>,
    turns: &[(Option<Square>, Duration)],
) -> String {
    let board = board_text(position, side).replace('X', "*");
    let clock = clock.map_or("0".to_owned(), |clock| {
        format!("{:02}:{:02}", clock.as_secs() / 60, clock.as_secs() % 60)
    });
    let mut text =
        format!("(;GM[Othello]PC[othello]PB[black]PW[white]RE[?]TI[{clock}]TY[8]BO[8 {board}]");
    let mut mover = side;
    for (turn, time) in turns {
        let name = if mover == Side::Black { 'B' } else { 'W' };
        let turn = turn.map_or("PA".to_owned(), |square| square.to_string().to_ascii_uppercase());
        text += &match time.as_secs_f64() {
            0.0 => format!("{name}[{turn}]"),
            seconds => format!("{name}[{turn}//{seconds:.2}]"),
        };
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
        let fields: Vec<(&str, String)> = super::fields(fields).collect::<Result<_, _>>().unwrap();
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
    fn clocks_and_times_are_read_as_they_are_written() {
        for (text, seconds) in
            [("15:00", 900), ("1:15:00", 4500), ("05:00//02:00", 300), ("00:07,N5", 7), ("5", 300)]
        {
            assert_eq!(read_clock(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "0", "00:00", "soon", "-1:00", "99999999999:00"] {
            assert_eq!(read_clock(text), None, "{text}");
        }
        let turns = [("f5", 1.5), ("d6", 0.0)]
            .map(|(turn, time)| (Some(turn.parse().unwrap()), Duration::from_secs_f64(time)));
        let clock = Some(Duration::from_secs(67));
        let text = timed_game(&Position::START, Side::Black, clock, &turns);
        assert!(text.contains("TI[01:07]") && text.ends_with("B[F5//1.50]W[D6];)"), "{text}");
        assert_eq!(read_time("F5//1.50"), Duration::from_millis(1500));
        for value in ["F5", "F5/1.5", "F5//", "F5//-1", "F5//x", "F5//1e300"] {
            assert_eq!(read_time(value), Duration::ZERO, "{value}");
        }
    }

    #[test]
    fn damaged_fields_are_refused() {
        assert!(fields("B[f5").next().is_some_and(|field| field.is_err()));
        assert!(read_turn("i9/1.0").unwrap_err().contains("`i9`"));
        for board in ["", "8", "10 ---", "8 --- X", &format!("8 {} *", "é".repeat(64))] {
            assert_eq!(read_board(board), None, "{board}");
        }
    }
}
