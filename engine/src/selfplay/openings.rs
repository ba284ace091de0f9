use std::path::PathBuf;
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
    /// The listed openings (at least one) in turn. Random moves continue an opening to the number
    /// of plies drawn for the game. An opening with more plies is not continued.
    Listed(Arc<[Opening]>),
}

/// An opening: moves from the start position, after which the game is not over; and the notation in
/// which the file states them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening(Box<[Square]>, Form);

impl Opening {
    pub(super) fn replay(&self) -> Replay {
        Replay::from_start(&self.0).expect("an opening replays")
    }
}

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
                let none =
                    "no game that reaches this board was found; name the opening by its moves";
                let found = game_to(position, side).ok_or_else(|| Invalid(none.to_owned()))?;
                Replay::from_start(&found)?
            }
            _ => transcript::read(text)?.1,
        };
        if replay.black_score().is_some() {
            let over = "the game is over after these moves; expected the beginning of one";
            return Err(Invalid(over.to_owned()));
        }
        Ok(Self(replay.steps.iter().map(|step| step.square).collect(), form))
    }
}

impl Openings {
    /// Loads openings, one per line. Reports to `progress` which notations of other programs occur.
    pub fn load(choice: &OpeningsChoice, progress: &dyn Progress) -> Result<Self, FileError> {
        Ok(match choice {
            OpeningsChoice::Random => Self::Random,
            OpeningsChoice::Distinct => Self::Distinct,
            OpeningsChoice::File(path) => {
                let openings: Vec<Opening> = Lines::open(path)?.all("an opening")?;
                Form::report(openings.iter().map(|opening| opening.1), progress);
                Self::Listed(openings.into())
            }
        })
    }

    /// Returns a text that identifies the openings: `distinct`, or the SHA-256 of the moves of
    /// listed openings. Returns `None` for random openings.
    pub fn identity(&self) -> Option<String> {
        let line = |Opening(squares, _): &Opening| {
            squares.iter().map(Square::to_string).collect::<String>() + "\n"
        };
        match self {
            Self::Random => None,
            Self::Distinct => Some(OpeningsChoice::Distinct.to_string()),
            Self::Listed(all) => {
                Some(sha256_of(all.iter().map(line).collect::<String>().as_bytes()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use othello_testing::scratch;

    use super::*;
    use crate::progress::Silent;

    fn read(text: &str) -> Result<Openings, FileError> {
        scratch::with_file("openings", text.as_bytes(), |path| {
            Openings::load(&OpeningsChoice::File(path.to_owned()), &Silent)
        })
    }

    fn replays(openings: &Openings) -> Vec<Replay> {
        let Openings::Listed(all) = openings else { panic!("{openings:?}") };
        all.iter().map(Opening::replay).collect()
    }

    #[test]
    fn openings_are_lines() {
        let listed = replays(&read("f5d6c3\n\n  F5 f6\n").unwrap());
        let plies: Vec<usize> = listed.iter().map(|game| game.steps.len()).collect();
        assert_eq!(plies, [3, 2]);
    }

    /// The expected identity of openings is the output of `printf 'f5d6c3\nf5f6\n' | sha256sum`.
    #[test]
    fn the_moves_identify_them_however_they_are_written() {
        let sum = "f629c17c955c0fbbaa6edc52f3cb4242c53ee92685e992d74d1ce41549930e14";
        for text in ["f5d6c3\nf5f6\n", "F5d6 C3\r\n\r\nf5 F6"] {
            assert_eq!(read(text).unwrap().identity().unwrap(), sum);
        }
    }

    #[test]
    fn a_board_is_an_opening_if_a_game_leads_to_it() {
        let board = "---------------------------OX------OXX-----O--------------------";
        let listed = replays(&read(&format!("{board} X\n{board} X; c3:+0\nf5d6\n")).unwrap());
        let ends: Vec<_> = listed.iter().map(|game| game.end).collect();
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
