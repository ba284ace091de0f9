//! Reads the main lines of SGF games, `(;GM[2]FF[4]…;B[f5];W[d6])`, plain or compressed by zstd.

use std::path::Path;

use othello_engine::board::sgf;
use othello_engine::record::Game;
use othello_engine::text::TextSource;

use super::pieces::{self, Games, NO_END};
use super::{Entries, Result};

/// Reads the games of a file one after the other.
pub fn read(path: &Path) -> Result<impl Entries<Game> + use<>> {
    let parse = |text: &str| match text.ends_with(')') {
        true => sgf::parse(text),
        false if text.contains("(;") => Err(NO_END.to_owned()),
        false => Err("has no game of SGF; expected (;GM[2]…)".to_owned()),
    };
    Ok(Games::new(TextSource::open(path)?, true, parse, pieces::game))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::entries_of;

    #[test]
    fn the_main_lines_of_games_are_read_one_after_the_other() {
        let wipe_out = "(;GM[2]FF[4]SZ[8]PB[R\u{E9}mi];B[f5];W[d6];B[c5];W[f4]C[;) (]\
                        (;B[e7];W[f6];B[g5];W[e6];B[e3])(;B[c4]))";
        let latin: Vec<u8> = wipe_out.chars().map(|letter| letter as u8).collect();
        let cut = b"\n(;FF[4]GM[2];B[f5](;W[d6](;B[".as_slice();
        let more = b"(;FF[4]GM[2]RE[B+10];B[f5])(;GM[2]AB[a1:d1]PL[W])(;GM[1];B[aa])";
        let bytes = [&latin, cut, b"\n", &latin, more].concat();
        let games = entries_of("games.sgf", &bytes, read).unwrap();
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
