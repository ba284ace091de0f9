//! Reads games from text, each of one line or several, in the forms that [`transcript`] accepts.

use std::path::Path;

use othello_engine::board::transcript::{self, Form};
use othello_engine::record::Game;

use super::{Entries, Result, with_result};

/// Reads the games of a file.
pub fn read(path: &Path) -> Result<Entries<Game>> {
    Entries::of_lines(path, parse)
}

fn parse(line: &str) -> Result<(Game, Form), String> {
    let (turns, replay) = transcript::read(line).map_err(|error| error.to_string())?;
    let game = with_result(&replay, turns.result).map_err(|error| error.to_string())?;
    Ok((game, turns.form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_named_and_the_others_are_read() {
        let long = "f5".repeat(9000);
        let text = format!("f5d6c5f4e7f6g5e6e3\r\n\nf5f5\nnonsense\n{long}\nf5d6");
        let bytes = [text.as_bytes(), b"\n\xFF\n"].concat();
        let games = crate::source::tests::entries_of("games.txt", &bytes, read).unwrap();
        assert_eq!(games.len(), 6);
        assert_eq!(games[0].as_ref().unwrap().black_score(), Some(64));
        let reasons: Vec<_> = games[1..4].iter().map(|game| game.as_ref().unwrap_err()).collect();
        assert!(reasons[0].ends_with("games.txt: line 3: move 2: f5 is not legal here"));
        assert!(reasons[1].ends_with("line 4: `no` is not a square; expected a1 to h8"));
        assert!(reasons[2].ends_with("line 5: longer than 4096 bytes"));
        assert_eq!(games[4].as_ref().unwrap().squares().len(), 2);
        assert!(games[5].as_ref().unwrap_err().contains("line 7"));
    }
}
