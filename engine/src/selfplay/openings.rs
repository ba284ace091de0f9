use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use crate::board::transcript::{self, Form, Replay};
use crate::board::{Square, StatedPosition};
use crate::file::{FileError, sha256_of};
use crate::openings::game_to;
use crate::progress::Progress;
use crate::text::{Invalid, Lines};

/// The choice of openings, as given by a command-line argument.
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Display)]
#[display(rename_all = "lowercase")]
pub enum OpeningsChoice {
    /// `random`: random moves from the start of the game.
    Random,
    /// `distinct`: openings in random order. An opening of up to 9 plies is used again only after
    /// all others of its length.
    Distinct,
    /// Any other text: the path of a file of transcripts or boards.
    #[display("{}", _0.display())]
    File(PathBuf),
}

/// The openings with which the games of a run begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Openings {
    /// Random moves from the start of the game.
    Random,
    /// All distinct openings in random order; for more than 9 plies, the same as [`Self::Random`].
    Distinct,
    /// The listed openings in turn. Random moves continue each up to a total number of plies, which
    /// is drawn for each game; an opening that is longer stays unchanged.
    Listed(ListedOpenings),
}

/// The openings of a file. There is at least one, and none is a finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedOpenings(Arc<[Opening]>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Opening(Box<[Square]>, Form);

impl FromStr for OpeningsChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "random" => Self::Random,
            "distinct" => Self::Distinct,
            path => Self::File(path.into()),
        })
    }
}

impl FromStr for Opening {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let StatedPosition { position, side, form, .. } = text.parse()?;
        let replay = match form {
            Form::Board | Form::Ggs | Form::Obf | Form::BoardAndMoves => {
                let found = game_to(position, side).ok_or_else(|| {
                    Invalid(
                        "no game that reaches this board was found; name the opening by its moves"
                            .to_owned(),
                    )
                })?;
                Replay::from_start(&found)?
            }
            _ => transcript::read(text)?.1,
        };
        match replay.black_score() {
            Some(_) => {
                let over = "the game is over after these moves; expected the beginning of one";
                Err(Invalid(over.to_owned()))
            }
            None => Ok(Self(replay.steps.iter().map(|step| step.square).collect(), form)),
        }
    }
}

impl Openings {
    /// Loads openings, one per line. Reports to `progress` if some use another program's notation.
    pub fn load(choice: &OpeningsChoice, progress: &dyn Progress) -> Result<Self, FileError> {
        Ok(match choice {
            OpeningsChoice::Random => Self::Random,
            OpeningsChoice::Distinct => Self::Distinct,
            OpeningsChoice::File(path) => Self::Listed(ListedOpenings::read(path, progress)?),
        })
    }

    /// Returns `distinct`, or the SHA-256 of the listed moves; `None` for [`Self::Random`].
    pub fn identity(&self) -> Option<String> {
        match self {
            Self::Random => None,
            Self::Distinct => Some(OpeningsChoice::Distinct.to_string()),
            Self::Listed(listed) => Some(listed.sha256()),
        }
    }
}

impl ListedOpenings {
    fn read(path: &Path, progress: &dyn Progress) -> Result<Self, FileError> {
        let openings: Vec<Opening> = Lines::open(path)?.all("an opening")?;
        Form::report(openings.iter().map(|opening| opening.1), progress);
        Ok(Self(openings.into()))
    }

    pub(super) fn of(&self, index: u64) -> Replay {
        let Opening(squares, _) = &self.0[(index % self.0.len() as u64) as usize];
        Replay::from_start(squares).expect("an opening replays")
    }

    /// Returns the SHA-256, in hexadecimal, of the transcripts in lower case, one on each line.
    fn sha256(&self) -> String {
        let line = |Opening(squares, _): &Opening| -> String {
            squares.iter().map(Square::to_string).chain(["\n".to_owned()]).collect()
        };
        sha256_of(self.0.iter().map(line).collect::<String>().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use othello_testing::scratch;

    use super::*;
    use crate::progress::Silent;

    fn read(text: &str) -> Result<ListedOpenings, FileError> {
        scratch::with_file("openings", text.as_bytes(), |path| ListedOpenings::read(path, &Silent))
    }

    #[test]
    fn openings_take_turns() {
        let listed = read("f5d6c3\n\n  F5 f6\n").unwrap();
        let plies = |index| listed.of(index).steps.len();
        assert_eq!([0, 1, 2, u64::MAX].map(plies), [3, 2, 3, 2]);
    }

    /// The expected checksum is the output of `printf 'f5d6c3\nf5f6\n' | sha256sum`.
    #[test]
    fn the_moves_identify_them_however_they_are_written() {
        let sum = "f629c17c955c0fbbaa6edc52f3cb4242c53ee92685e992d74d1ce41549930e14";
        for text in ["f5d6c3\nf5f6\n", "F5d6 C3\r\n\r\nf5 F6"] {
            assert_eq!(Openings::Listed(read(text).unwrap()).identity().unwrap(), sum);
        }
    }

    #[test]
    fn a_board_is_an_opening_if_a_game_leads_to_it() {
        let board = "---------------------------OX------OXX-----O--------------------";
        let listed = read(&format!("{board} X\n{board} X; c3:+0\nf5d6\n")).unwrap();
        let ends = [0, 1, 2].map(|index| listed.of(index).end);
        assert_eq!(ends, [ends[2]; 3]);
        let far = format!("{}XXXX", "-".repeat(60));
        assert!(
            read(&far).unwrap_err().to_string().contains("line 1: no game that reaches this board")
        );
    }

    #[test]
    fn other_lines_are_refused_with_their_number() {
        for (text, expected) in [
            ("f5\nf5f3\n", "line 2: move 2: f3 is not legal here"),
            ("f5\n\nf5d6c5f4e7f6g5e6e3", "line 3: the game is over after these moves"),
            ("h9", "line 1: `h9` is not a square"),
            ("x9", "line 1: column 2: `9` is not a square; expected X"),
            ("\n \n", "line 3: the input ends without an opening; expected boards"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
