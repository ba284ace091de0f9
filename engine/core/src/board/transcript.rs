//! Games written as lists of moves: `f5d6c3…`, and the notations of other programs.
//!
//! | form | example |
//! |---|---|
//! | [`Form::Transcript`] | `f5d6c3`, `F5 D6 C3`, `f5-d6-c3` |
//! | [`Form::Commas`] | `f5,d6,c3`, `f5\|d6`, `["f5", "d6"]`, `['f5', 'd6']` |
//! | [`Form::Numbered`] | `1. f5 d6 2. c3`, `1) f5 2) d6`, `1 f5 2 d6` |
//! | [`Form::Tagged`] | PGN: `[White "name"]`, then moves, then `56-8` |
//! | [`Form::Logbook`] | `+f5-d6+c3: +048 00:00 1` |
//! | [`Form::Column`] | a row of a table, or moves after a label: `7,f5d6c3`, `moves: f5d6c3` |
//!
//! A text may omit a pass that the rules demand, or write it as `pass`, `pa`, `ps` or `--`.

use super::{Discs, Position, Side, Square};
use crate::progress::Progress;
use crate::text::{Invalid, excerpt};

/// The notation of a text that contains a game or a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, derive_more::Display)]
#[allow(missing_docs)]
pub enum Form {
    #[display("transcript")]
    Transcript,
    #[display("moves with commas")]
    Commas,
    #[display("numbered moves")]
    Numbered,
    #[display("PGN")]
    Tagged,
    #[display("logbook")]
    Logbook,
    #[display("table or label")]
    Column,
    #[display("board")]
    Board,
    #[display("board of GGS")]
    Ggs,
    #[display("OBF")]
    Obf,
    #[display("board and moves")]
    BoardAndMoves,
}

impl Form {
    /// Shows the number of texts in each notation; nothing if all are transcripts, boards or OBF.
    pub fn report(forms: impl IntoIterator<Item = Self>, progress: &dyn Progress) {
        let mut counts = std::collections::BTreeMap::<Self, u64>::new();
        for form in forms {
            *counts.entry(form).or_default() += 1;
        }
        let is_own = |form: &Self| matches!(form, Self::Transcript | Self::Board | Self::Obf);
        if !counts.keys().all(is_own) {
            let parts = counts.iter().map(|(form, count)| format!("{count} as {form}"));
            progress.message(&format!("read {}", parts.collect::<Vec<_>>().join(", ")));
        }
    }
}

/// The moves and passes of a game that was read from a text, not yet checked by the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turns {
    /// The notation of the text.
    pub form: Form,
    /// The moves and passes in order; `None` for a pass. A pass that the text omits has no entry.
    pub turns: Vec<Option<Square>>,
    /// Black's discs minus white's, as the text states; `None` if it states no result in discs.
    pub result: Option<Discs>,
}

/// Reads the moves of a game, without checking the rules. Refuses a text that states a pass.
pub fn parse(text: &str) -> Result<Vec<Square>, Invalid> {
    let squares: Option<Vec<Square>> = Turns::scan(text)?.turns.into_iter().collect();
    squares.ok_or_else(|| Invalid("has a pass; expected moves only".to_owned()))
}

/// Reads a game from the start position in any supported notation; refuses a text without a move.
pub fn read(text: &str) -> Result<(Turns, Replay), Invalid> {
    let read = |text: &str| {
        if text.starts_with("(;") {
            let form = "a game of GGF or SGF; `import ggf` and `import sgf` read such games";
            return Err(Invalid(form.to_owned()));
        }
        let turns = Turns::scan(text)?;
        if turns.turns.is_empty() {
            return Err(Invalid(format!("`{}` has no move", excerpt(text))));
        }
        let replay = Replay::from(Position::START, Side::Black).continued(&turns.turns)?;
        Ok((turns, replay))
    };
    read(text).or_else(|error| {
        let (turns, replay) = column(text).map_or(Err(error), read)?;
        Ok((Turns { form: Form::Column, ..turns }, replay))
    })
}

/// Returns the moves in a text such as `7,f5d6c3` or `moves: f5d6c3`: the longest field that begins
/// with a square. Returns `None` if another field begins with a square but is not a prefix of this
/// field, or if the text contains a board.
pub(super) fn column(text: &str) -> Option<&str> {
    let is_of_board = |word: &str| word.len() >= 6 && word.bytes().all(|b| b"-.*oOxX".contains(&b));
    if text.split([' ', ',', ';', '\t', '"']).any(is_of_board) {
        return None;
    }
    let fields = |separators: &[char]| of_moves(text.split(separators).map(str::trim_ascii));
    fields(&[',', ';', '\t', '|', ':', '=', '"', '\'', '{', '}', '<', '>'])
        .filter(|field| field.len() < text.trim_ascii().len())
        .or_else(|| fields(&[' ']).filter(|_| !begins_with(text, 1) && !text.starts_with('[')))
}

fn of_moves<'a>(fields: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let moves: Vec<&str> = fields.filter(|field| begins_with(field, 1)).collect();
    let longest = *moves.iter().max_by_key(|field| field.len())?;
    let opens = |field: &&str| longest.to_ascii_lowercase().starts_with(&field.to_lowercase());
    let second = longest.get(2..)?.trim_ascii_start().to_ascii_lowercase();
    let is_list = begins_with(longest, 2) || PASSES.iter().any(|pass| second.starts_with(pass));
    (is_list && moves.iter().all(opens)).then_some(longest)
}

/// Splits a text that begins with a PGN tag, such as `[White "name"]`, into the tag without its
/// brackets and the rest. A quoted value may contain `]`. A list of moves in brackets is not a tag.
fn first_tag(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('[')?;
    let (mut last, mut is_quoted) = (' ', false);
    let closes = |letter| {
        is_quoted ^= letter == '"' && last != '\\';
        last = letter;
        letter == ']' && !is_quoted
    };
    let (tag, after) = text.split_at(text.find(closes).or_else(|| text.find(']'))?);
    let is_tag = !begins_with(tag, 1) && tag.trim_ascii_start().starts_with(char::is_alphabetic);
    is_tag.then_some((tag.trim_ascii(), &after[1..]))
}

fn begins_with(text: &str, moves: usize) -> bool {
    let mut letters = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let is_square = |pair: [Option<u8>; 2]| {
        matches!(pair, [Some(b'a'..=b'h' | b'A'..=b'H'), Some(b'1'..=b'8')])
    };
    (0..moves).all(|_| is_square([letters.next(), letters.next()]))
}

/// The notations of a pass. The first match is taken, so `pass` must precede its prefix `pa`.
const PASSES: [&str; 4] = ["pass", "pa", "ps", "--"];

impl Turns {
    /// Reads turns in any form except [`Form::Column`]. Does not check them by the rules.
    pub fn scan(text: &str) -> Result<Self, Invalid> {
        let mut read = Self { form: Form::Transcript, turns: vec![], result: None };
        let mut rest = text.trim_ascii();
        while let Some((tag, after)) = first_tag(rest) {
            read.form = Form::Tagged;
            read.tag(tag)?;
            rest = after.trim_ascii_start();
        }
        while !rest.is_empty() {
            rest = read.take_token(rest)?;
        }
        Ok(read)
    }

    fn tag(&mut self, tag: &str) -> Result<(), Invalid> {
        let (name, value) = tag.split_once(' ').unwrap_or((tag, ""));
        let value = value.trim_matches([' ', '"']);
        let is_usual = ["0", "standard", "Othello", "Reversi"].contains(&value);
        match name {
            "Result" => self.result = result(value),
            "FEN" | "SetUp" | "Variant" if !is_usual => {
                let (name, value) = (excerpt(name), excerpt(value));
                return Err(Invalid(format!("{name} `{value}`; expected a game from the start")));
            }
            _ => {}
        }
        Ok(())
    }

    fn take_token<'a>(&mut self, text: &'a str) -> Result<&'a str, Invalid> {
        let start = |length| text.chars().take(length).collect::<String>();
        let wrong = || Invalid::not(&start(2), "a square", "a1 to h8");
        let form = |own: &mut Form, form| *own = if *own == Form::Transcript { form } else { *own };
        if let Some(Ok(square)) = text.get(..2).map(str::parse) {
            self.turns.push(Some(square));
            return Ok(&text[2..]);
        }
        let lower = start(4).to_ascii_lowercase();
        if let Some(pass) = PASSES.iter().find(|pass| lower.starts_with(*pass)) {
            self.turns.push(None);
            return Ok(&text[pass.len()..]);
        }
        let first = text.chars().next().ok_or_else(wrong)?;
        let after = &text[first.len_utf8()..];
        match first {
            '+' => form(&mut self.form, Form::Logbook),
            ',' | ';' | '|' | '/' => form(&mut self.form, Form::Commas),
            '{' | '(' => {
                let end = if first == '{' { '}' } else { ')' };
                return after.split_once(end).map(|(_, after)| after).ok_or_else(wrong);
            }
            ':' if self.form == Form::Logbook && !self.turns.is_empty() => {
                let score = after.split_ascii_whitespace().next().unwrap_or_default();
                self.result = score.parse().ok().filter(|score| (-64..=64).contains(score));
                return Ok("");
            }
            '*' if after.is_empty() && !self.turns.is_empty() => {}
            '0'..='9' => {
                let digits = text.bytes().take_while(u8::is_ascii_digit).count();
                let after = &text[digits..];
                let (turns, number) = (self.turns.len(), text[..digits].parse::<usize>());
                let is_next = number.is_ok_and(|n| n == turns + 1 || n == turns / 2 + 1);
                if after.starts_with(['.', ')']) || is_next && after.starts_with(' ') {
                    form(&mut self.form, Form::Numbered);
                    return Ok(after.trim_start_matches(['.', ')']));
                }
                if turns == 0 || !text.contains(['-', ':']) {
                    return Err(wrong());
                }
                if !PGN_RESULTS.contains(&text) {
                    self.result = Some(result(text).ok_or_else(wrong)?);
                }
                return Ok("");
            }
            '-' | '!' | '?' | '"' | '\'' | '[' | ']' => {}
            blank if blank.is_whitespace() => {}
            _ => return Err(wrong()),
        }
        Ok(after)
    }
}

const PGN_RESULTS: [&str; 3] = ["1-0", "0-1", "1/2-1/2"];

fn result(text: &str) -> Option<Discs> {
    let (black, white) = text.split_once(['-', ':'])?;
    let [black, white]: [u8; 2] = [black.trim().parse().ok()?, white.trim().parse().ok()?];
    let is_in_discs = (4..=64).contains(&(u16::from(black) + u16::from(white)));
    is_in_discs.then(|| Discs::from(black) - Discs::from(white))
}

/// A position of a game and the move played in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The position before the move; its player has a legal move.
    pub position: Position,
    /// The side that moves.
    pub side: Side,
    /// The square of the move.
    pub square: Square,
}

/// A game that was replayed by the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The moves in order, each with the position in which it was played.
    pub steps: Vec<Step>,
    /// The position after the last move, or, if the rules then demand a pass, after this pass.
    pub end: Position,
    /// The side to move in the position `end`.
    pub side: Side,
    /// The number of passes that a game's text may still state here: 1 after a forced pass, which
    /// `end` already includes; 2 (one of each side) if the game is over; otherwise 0.
    passes: u8,
}

impl Replay {
    /// Begins a game. If the side has no legal move and the game is not over, the side passes.
    pub fn from(position: Position, side: Side) -> Self {
        let mut replay = Self { steps: vec![], end: position, side, passes: 0 };
        replay.pass_if_needed();
        replay
    }

    /// Plays moves from the start position, and the passes that the rules demand.
    pub fn from_start(squares: &[Square]) -> Result<Self, Invalid> {
        let mut replay = Self::from(Position::START, Side::Black);
        squares.iter().try_for_each(|&square| replay.push(square))?;
        Ok(replay)
    }

    /// Plays further turns; `None` is a pass. Returns an error at the first forbidden turn.
    pub fn continued(mut self, turns: &[Option<Square>]) -> Result<Self, Invalid> {
        turns.iter().try_for_each(|&turn| self.turn(None, turn))?;
        Ok(self)
    }

    /// Plays a move, and a pass of the other side if the rules demand it. Refuses an illegal move.
    pub fn push(&mut self, square: Square) -> Result<(), Invalid> {
        let next = self.end.play(square);
        let next = next.ok_or_else(|| illegal(self.steps.len() + 1, square))?;
        self.steps.push(Step { position: self.end, side: self.side, square });
        (self.end, self.side) = (next, self.side.other());
        self.pass_if_needed();
        Ok(())
    }

    /// Plays a move or, for `None`, a pass. `side` is the side of the turn, if the text names it.
    /// Refuses an illegal move, a move of the wrong side, and a pass that the rules do not demand.
    pub fn turn(&mut self, side: Option<Side>, turn: Option<Square>) -> Result<(), Invalid> {
        let is_over = self.end.is_over();
        let wrong = |what: &str| Invalid(format!("move {}: {what}", self.steps.len() + 1));
        let name = if side == Some(Side::White) { "W" } else { "B" };
        match turn {
            Some(square) if !is_over && side.is_some_and(|side| side != self.side) => {
                Err(wrong(&format!("{name}[{square}], but it is the other side's turn")))
            }
            Some(square) => self.push(square),
            None if self.passes == 0 || !is_over && side == Some(self.side) => {
                Err(wrong("a pass, but the side to move has a legal move"))
            }
            None => {
                self.passes -= 1;
                Ok(())
            }
        }
    }

    fn pass_if_needed(&mut self) {
        let passed = self.end.pass();
        self.passes = match (self.end.moves(), passed.moves()) {
            (0, 0) => 2,
            (0, _) => {
                (self.end, self.side) = (passed, self.side.other());
                1
            }
            _ => 0,
        };
    }

    /// Returns the numbers of discs of black and of white in the last position.
    pub fn discs(&self) -> [Discs; 2] {
        let discs = [self.end.player(), self.end.opponent()];
        self.side.black_first(discs.map(|discs| discs.count_ones() as Discs))
    }

    /// Returns the final score for black in discs; `None` if the game is not over.
    pub fn black_score(&self) -> Option<Discs> {
        (self.end.moves() == 0).then(|| self.end.score() * self.side.sign())
    }
}

pub(super) fn illegal(number: usize, square: Square) -> Invalid {
    Invalid(format!("move {number}: {square} is not legal here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game of 60 moves with three passes. It ends 56-8 for black.
    const GAME: &str = "e6f6f5f4g6c5d3g5c4e3h4h5g4g7h6e7h8h3e2e1f2c3b3b4f7g2c6g3d7b2f3c7a2b5a1b1h1\
        e8a3g1b7h7c1d8b6g8d6c8h2a6a8a4a5a7d1c2f1f8b8d2";

    #[test]
    fn games_are_read_in_the_forms_of_other_programs() {
        let squares = parse(GAME).unwrap();
        let joined = |before: &str, between: &str| -> String {
            let words = squares.iter().map(|square| format!("{before}{square}"));
            words.collect::<Vec<_>>().join(between)
        };
        let with_pass = |pass: &str| {
            ["f1", "f8", "b8"]
                .iter()
                .fold(GAME.to_owned(), |text, at| text.replace(at, &format!("{at}{pass}")))
        };
        let words = with_pass(",pass").replace(',', " ");
        let pairs = parse(GAME).unwrap();
        let numbered: String = {
            let mut turns = Vec::new();
            let mut replay = Replay::from(Position::START, Side::Black);
            for square in pairs {
                let side = replay.side;
                replay.push(square).unwrap();
                turns.push(square.to_string());
                if replay.side == side {
                    turns.push("--".to_owned());
                }
            }
            let pair = |(at, pair): (usize, &[String])| format!("{}. {}", at + 1, pair.join(" "));
            turns.chunks(2).enumerate().map(pair).collect::<Vec<_>>().join("\n")
        };
        let tags = "[Event \"?\"]\n[Black \"a [b\"]\n[Result \"56-8\"]\n\n";
        for (text, form, result) in [
            (GAME.to_ascii_uppercase(), Form::Transcript, None),
            (joined("", "-"), Form::Transcript, None),
            (words, Form::Transcript, None),
            (with_pass("pa"), Form::Transcript, None),
            (with_pass("PASS"), Form::Transcript, None),
            (with_pass("--"), Form::Transcript, None),
            (joined("", ","), Form::Commas, None),
            (joined("", "; "), Form::Commas, None),
            (joined("", "|"), Form::Commas, None),
            (joined("", "/"), Form::Commas, None),
            (format!("\"{}\"", joined("", ",")), Form::Commas, None),
            (format!("[{}]", joined("", ", ")), Form::Commas, None),
            (format!("[\"{}\"]", joined("", "\", \"")), Form::Commas, None),
            (format!("['{}']", joined("", "', '")), Form::Commas, None),
            (numbered.clone(), Form::Numbered, None),
            (numbered.replace(". ", "."), Form::Numbered, None),
            (numbered.replace(". ", ") "), Form::Numbered, None),
            (numbered.replace(". ", " "), Form::Numbered, None),
            (format!("{numbered} {{good}} 56:08"), Form::Numbered, Some(48)),
            (format!("{tags}{numbered}\n56-8"), Form::Tagged, Some(48)),
            (format!("{tags}{GAME}"), Form::Tagged, Some(48)),
            (format!("[ Result \"56-8\" ] {GAME}"), Form::Tagged, Some(48)),
            (format!("[White \"[A] \\\"b]\"]\n{numbered}\n1-0"), Form::Tagged, None),
            (format!("[White \"a\"b\"]\n{numbered} 1/2-1/2"), Form::Tagged, None),
            (format!("{numbered} 0-1"), Form::Numbered, None),
            (
                format!("{}: +048 00:00 1", joined("+", "-").replace("-+", "-")),
                Form::Logbook,
                Some(48),
            ),
            (format!("900000,1,{GAME}"), Form::Column, None),
            (format!("\"{GAME}\";e6f6;-48"), Form::Column, None),
            (format!("12\t{}", joined("", " ")), Form::Column, None),
            (format!("{{\"moves\": \"{GAME}\", \"id\": 3}}"), Form::Column, None),
            (format!("[12, \"{GAME}\"]"), Form::Column, None),
            (format!("Zugfolge: {GAME} "), Form::Column, None),
            (format!("Game 12 {GAME}"), Form::Column, None),
        ] {
            let (turns, replay) = read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((turns.form, turns.result), (form, result), "{text}");
            assert_eq!((replay.steps.len(), replay.black_score()), (60, Some(48)), "{text}");
        }
    }

    #[test]
    fn passes_that_are_not_allowed_are_refused_with_their_place() {
        let end = |passes: &str| format!("f5d6c5f4e7f6g5e6e3{passes}");
        for text in [end(""), end("pa"), end("pass pass"), end("--")] {
            assert_eq!(read(&text).unwrap().1.black_score(), Some(64), "{text}");
        }
        for (text, number) in [
            ("f5pad6", 2),
            ("f5papad6", 2),
            ("paf5", 1),
            ("pa", 1),
            ("--------------------", 1),
            (&end("papapa"), 10),
            ("3,f5pad6,1", 2),
            ("moves: F5 -- D6", 2),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("move {number}: a pass, but")), "{text}: {error}");
        }
        // The pass after f1 may be stated once, but not twice.
        let text = GAME.replace("f1", "f1papa");
        assert!(read(&text).unwrap_err().to_string().starts_with("move 58: a pass"));
    }

    #[test]
    fn what_is_no_game_is_refused() {
        // Formerly, a board of another size was ignored like a tag, and the moves were a game.
        let ten = "[10 ---------- ---------- *]";
        // Formerly, moves in one word after a board were played from the start position.
        let eight = format!("{}OX------XXX{} X", "-".repeat(27), "-".repeat(26));
        for (text, said) in [
            ("", "has no move"),
            (",,", "has no move"),
            ("[Variant \"Anti\"]\nf5d6", "Variant `Anti`"),
            (&format!("{ten} f5"), "`10`"),
            (&format!("{ten} f5d6"), "`10`"),
            ("[6] f5d6", "`6]`"),
            (&format!("{eight} f5d6"), "`OX`"),
            (&format!("{eight},f5d6"), "`OX`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert!(parse("f5d6pa").is_err());
    }
}
