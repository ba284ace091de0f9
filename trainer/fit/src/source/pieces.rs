//! Splits a file of GGF or SGF into its games, `(;NAME[value]…)`.

use std::path::Path;

use othello_engine::board::notation::board_text;
use othello_engine::board::transcript::Step;
use othello_engine::board::{Position, Side, StatedGame, ggf};
use othello_engine::record::{Game, Label, ScoredPosition};
use othello_engine::text::{TextSource, decode, excerpt};

use super::{Entries, Place, Result, labelled, with_result};

/// The greatest size of a game in bytes; without it, other data would be read as one huge game.
const MAX_GAME_BYTES: u64 = 1 << 16;

/// The strings with which games begin. Variations within a game of SGF begin with other strings.
const BEGINNINGS: [&[u8]; 5] = [b"(;GM[", b"(;FF[", b"(;CA[", b"(;AP[", b"(;SZ["];

pub(super) const NO_END: &str = "the game has no end; expected ;)";

type Parse = fn(&str) -> Result<StatedGame, String>;

/// Reads the games of a file with `parse`, and converts each game to records with `make`.
pub(super) fn entries<T: 'static>(
    path: &Path,
    has_variations: bool,
    parse: Parse,
    make: fn(&StatedGame) -> Result<Vec<T>, String>,
) -> Result<Entries<T>> {
    let (source, ahead) = (TextSource::open(path)?, vec![]);
    let mut games = Games { source, ahead, line: 1, number: 0, has_variations, parse };
    let mut made = vec![].into_iter();
    Ok(Entries::new("line", move |at| {
        loop {
            if let Some(record) = made.next() {
                return Ok(Some(Ok(record)));
            }
            let piece = games.next_piece(at)?;
            at.bytes_read = games.source.bytes_read();
            let Some(piece) = piece else { return Ok(None) };
            match games.read(&piece).and_then(|game| make(&game)) {
                Ok(records) => made = records.into_iter(),
                Err(reason) => return Ok(Some(Err(reason))),
            }
        }
    }))
}

struct Games {
    source: TextSource,
    /// The bytes that were read beyond the end of the last game.
    ahead: Vec<u8>,
    /// The number of the line on which the bytes in `ahead` begin.
    line: u64,
    number: u64,
    has_variations: bool,
    parse: Parse,
}

impl Games {
    /// Returns the text of a game, up to its end or to the next game; `None` at the file's end.
    fn next_piece(&mut self, place: &mut Place) -> Result<Option<Vec<u8>>> {
        let (mut scan, mut at) = (Scan::default(), 0);
        loop {
            while at < self.ahead.len() {
                if scan.depth > 0 && !scan.in_value && begins(&self.ahead[at..]) {
                    return Ok(Some(self.take(at, place)));
                }
                at += 1;
                if scan.ends(self.ahead[at - 1], self.has_variations) {
                    return Ok(Some(self.take(at, place)));
                }
            }
            let left = MAX_GAME_BYTES.saturating_sub(self.ahead.len() as u64);
            let read = self.source.read_until(b')', left, &mut self.ahead)?;
            if read == 0 && self.ahead.trim_ascii().is_empty() {
                return Ok(None);
            }
            if read == 0 || read > left {
                let piece = self.take(self.ahead.len(), place);
                self.line = self.source.line();
                return Ok(Some(piece));
            }
        }
    }

    fn take(&mut self, bytes: usize, place: &mut Place) -> Vec<u8> {
        let rest = self.ahead.split_off(bytes);
        let piece = std::mem::replace(&mut self.ahead, rest);
        let (blank, text) = piece.split_at(piece.len() - piece.trim_ascii_start().len());
        self.number += 1;
        place.number = self.line + lines(blank);
        place.details = format!(", game {}{}", self.number, players(&decode(text)));
        self.line = place.number + lines(text);
        piece
    }

    /// Parses the game in `piece`. If another game begins before its end, returns an error for the
    /// unfinished game, and puts the text of the other game back, to be read next.
    fn read(&mut self, piece: &[u8]) -> Result<StatedGame, String> {
        let game = self.parsed(piece);
        let first = piece.windows(2).position(|pair| pair == b"(;").unwrap_or(piece.len());
        let next = (first + 1..piece.len()).find(|&at| begins(&piece[at..]));
        let Some(next) = next else { return game };
        let swallowed = &piece[next..];
        // A comment may quote the beginning of a game, so the supposed next game must be valid.
        if game.is_ok() && self.parsed(swallowed).is_err() {
            return game;
        }
        self.line -= lines(swallowed).min(self.line);
        self.ahead.splice(..0, swallowed.iter().copied());
        Err(NO_END.to_owned())
    }

    fn parsed(&self, piece: &[u8]) -> Result<StatedGame, String> {
        if piece.len() as u64 > MAX_GAME_BYTES {
            return Err(format!("longer than {MAX_GAME_BYTES} bytes"));
        }
        (self.parse)(&decode(piece))
    }
}

fn begins(text: &[u8]) -> bool {
    text.starts_with(b"(;") && BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

fn lines(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}

fn players(text: &str) -> String {
    let game = text.split_once("(;").map_or("", |(_, game)| game);
    let fields: Vec<_> = ggf::fields(game).map_while(Result::ok).collect();
    let player = |wanted: &str| fields.iter().find(|(name, _)| *name == wanted);
    match (player("PB"), player("PW")) {
        (Some((_, black)), Some((_, white))) => {
            format!(" ({} against {})", excerpt(black), excerpt(white))
        }
        _ => String::new(),
    }
}

#[derive(Default)]
struct Scan {
    /// The number of open parentheses; 0 before the game begins.
    depth: u32,
    in_value: bool,
    is_escaped: bool,
    /// The last non-blank byte read so far, apart from the bytes of property values (`[…]`).
    last: u8,
}

impl Scan {
    /// Returns true if `byte` is the `)` that ends a game: the first one or, if `has_variations`
    /// (SGF), the one that closes the outermost `(`. Also returns true at a `;)` outside of games,
    /// which ends a damaged game without a beginning.
    fn ends(&mut self, byte: u8, has_variations: bool) -> bool {
        if self.in_value {
            self.in_value = self.is_escaped || byte != b']';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return false;
        }
        let last = self.last;
        if !byte.is_ascii_whitespace() {
            self.last = byte;
        }
        match (byte, self.depth) {
            (b';', 0) if last == b'(' => self.depth = 1,
            (b')', 0) => return last == b';',
            (_, 0) => {}
            (b'[', _) => self.in_value = true,
            (b'(', _) => self.depth += 1,
            (b')', _) => {
                self.depth -= 1;
                return !has_variations || self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

pub(super) fn game(game: &StatedGame) -> Result<Vec<Game>, String> {
    if (game.position, game.side) != (Position::START, Side::Black) {
        let board = board_text(&game.position, game.side);
        return Err(format!(
            "it begins with `{}`, not with the standard start position",
            excerpt(&board)
        ));
    }
    let replay = game.replay().map_err(|error| error.to_string())?;
    let game = with_result(&replay, game.result).map_err(|error| error.to_string())?;
    Ok(vec![game])
}

pub(super) fn positions(game: &StatedGame) -> Result<Vec<ScoredPosition>, String> {
    if (game.position, game.side) == (Position::START, Side::Black) {
        return Ok(vec![]);
    }
    let replay = game.replay().map_err(|error| error.to_string())?;
    let score =
        replay.black_score().ok_or("the game is unfinished, so its positions have no label")?;
    let row = |step: &Step| {
        let label = Label::of_score(score * step.side.sign()).ok_or("a score beyond 64 discs")?;
        labelled(step.position, label)
    };
    replay.steps.iter().map(row).collect()
}
