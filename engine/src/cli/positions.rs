//! The positions that an argument specifies: in a file, on standard input, or in the argument
//! itself.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use super::Session;
use crate::board::StatedPosition;
use crate::board::transcript::Form;
use crate::progress::Progress as _;
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

/// Returns whether a text resembles a board, a game or a pass more than the name of a file.
fn looks_like_a_position(text: &str) -> bool {
    let is_square = |pair: &[u8]| matches!(pair, [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8']);
    let bytes = text.as_bytes();
    let squares = bytes.windows(2).filter(|pair| is_square(pair)).count();
    let is_name = text.contains(['.', '/', '\\']) && !text.contains(' ');
    text.len() >= 60
        && (text.starts_with('[') || bytes[..20].iter().all(|byte| b"XxOoBbWw*-. ".contains(byte)))
        || squares > 0 && 4 * squares >= text.len() && !is_name
}

impl Positions {
    /// Reads all positions; refuses a source without one.
    pub(super) fn all<T: FromStr<Err: Display>>(&self) -> Result<Vec<T>, TextError> {
        let mut lines = self.lines()?;
        let positions = lines.next_lines(usize::MAX)?;
        if positions.is_empty() { Err(no_position(&lines)) } else { Ok(positions) }
    }

    /// Returns the lines of the source, from which positions are read.
    pub(super) fn lines(&self) -> Result<Lines, TextError> {
        match self {
            Self::Stated(text) => Ok(TextSource::of_text(text)?.into()),
            Self::StandardInput => Ok(TextSource::standard_input()?.into()),
            Self::File(path) => Lines::open(path),
        }
    }
}

/// Returns the error for a source without a position.
pub(super) fn no_position(lines: &Lines) -> TextError {
    let reason = "has no position; expected boards, OBF or transcripts, one a line".to_owned();
    TextError::Content { path: lines.source().path().to_owned(), reason }
}

/// Reports in which forms of other programs the positions were written.
pub(super) fn report_forms(forms: impl IntoIterator<Item = Form>, session: &Session) {
    Form::report(forms).into_iter().for_each(|report| session.progress().message(&report));
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
        // A regression: such words were taken as names of files that do not exist.
        let ggs = "[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";
        assert_eq!(parse(ggs), Ok(Positions::Stated(ggs.to_owned())));
        for text in [
            "paf5",
            "f5pad6",
            "1. f5 d7",
            "f5,d7",
            &ggs.replace("O*", "Q*"),
            &format!("{board} f4pa"),
        ] {
            let refused = parse(text).unwrap_err();
            assert!(refused.contains("neither a file nor a position: "), "{text}: {refused}");
        }
        assert!(parse(&board.replace(" O", " Q")).unwrap_err().contains("`Q`"));
    }
}
