//! The positions that an argument specifies: in a file, on standard input, or in the argument
//! itself.

use std::path::PathBuf;
use std::str::FromStr;

use crate::board::StatedPosition;
use crate::text::{Lines, TextError, TextSource};

/// The source of positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Positions {
    /// A position as the argument itself.
    Stated(String),
    /// Standard input, one position a line, for `-`.
    StandardInput,
    /// A file, one position a line, for any other argument.
    File(PathBuf),
}

impl FromStr for Positions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self::StandardInput);
        }
        match text.parse::<StatedPosition>() {
            Ok(_) => Ok(Self::Stated(text.to_owned())),
            // File names do not look like that.
            Err(error) if looks_like_a_position(text) && !PathBuf::from(text).exists() => {
                Err(format!("neither a file nor a position: {error}"))
            }
            Err(_) => Ok(Self::File(text.into())),
        }
    }
}

/// Returns whether a text has only the characters of a board, or begins like a transcript.
fn looks_like_a_position(text: &str) -> bool {
    let is_square = |pair: &[u8]| matches!(pair, [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8']);
    let bytes = text.as_bytes();
    text.len() >= 64 && bytes.iter().take(60).all(|byte| b"XxOo*-.".contains(byte))
        || text.len() >= 4
            && bytes.iter().all(u8::is_ascii_alphanumeric)
            && bytes[..4].chunks(2).all(is_square)
}

impl Positions {
    /// Returns the lines to read positions from.
    pub(super) fn lines(&self) -> Result<Lines, TextError> {
        match self {
            Self::Stated(text) => Ok(TextSource::of_text(text)?.into()),
            Self::StandardInput => Ok(TextSource::standard_input()?.into()),
            Self::File(path) => Lines::open(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_a_position_standard_input_or_a_file() {
        let parse = |text: &str| text.parse::<Positions>();
        assert_eq!(parse("-"), Ok(Positions::StandardInput));
        assert_eq!(parse("f5d6"), Ok(Positions::Stated("f5d6".to_owned())));
        let board = "---------------------------OX------XO--------------------------- O";
        assert_eq!(parse(board), Ok(Positions::Stated(board.to_owned())));
        assert_eq!(parse("boards.txt"), Ok(Positions::File("boards.txt".into())));
        assert_eq!(parse("/dev/stdin"), Ok(Positions::File("/dev/stdin".into())));
        let refused = parse("f5d6a1").unwrap_err();
        assert!(refused.contains("neither a file nor a position: move 3: a1"), "{refused}");
        // A misspelt transcript is refused; a file name that begins like one is not.
        let refused = parse("f5d6x").unwrap_err();
        assert!(refused.contains("neither a file nor a position: "), "{refused}");
        assert_eq!(parse("f5d6.txt"), Ok(Positions::File("f5d6.txt".into())));
        assert!(parse(&board.replace(" O", " Q")).unwrap_err().contains("`Q`"));
    }
}
