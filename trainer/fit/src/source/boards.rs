//! Reads scored boards, one per line: `64 characters [X|O] score`, or OBF (64 characters, followed
//! by `X; f5:+2; d3:-4;`, for example). The score of a line of OBF is the score of the position or,
//! if the line does not state it, the score of the best move.

use std::path::Path;

use othello_engine::board::StatedPosition;
use othello_engine::board::transcript::Form;
use othello_engine::file::{FileError, sha256_of_file};
use othello_engine::progress::Silent;
use othello_engine::record::{Label, Record as _, RecordError, ScoredPosition};
use othello_engine::text::Lines;

use super::{Entries, Result, labelled};

/// Reads the positions of a file. If the side to move must pass, the record is the position after
/// the pass, with the score for the other side.
pub fn read(path: &Path) -> Result<Entries<ScoredPosition>> {
    Entries::of_lines(path, parse)
}

/// A text file of scored boards, read as training data. Lines without a score, and finished games,
/// are skipped; a line of another form is an error.
pub struct ScoredBoards {
    lines: Lines,
    sha256: Option<String>,
}

impl ScoredBoards {
    /// Opens a file if one of its first two lines with text is a valid board; else `None`.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, FileError> {
        let mut lines = Lines::open(path)?;
        let is_board = |line: Option<Result<_, String>>| matches!(line, Some(Ok(_)));
        let is_text = is_board(lines.next_by(str::parse::<StatedPosition>)?)
            // If only the first line is wrong, reading the file names this line.
            || is_board(lines.next_by(str::parse::<StatedPosition>)?);
        Ok(if is_text { Some(Self { lines: Lines::open(path)?, sha256: None }) } else { None })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.lines.source().bytes()
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.lines.source().bytes_read()
    }

    pub(super) fn sha256(&self) -> Option<&str> {
        self.sha256.as_deref()
    }

    pub(super) fn next_frame(&mut self) -> Result<Option<Vec<ScoredPosition>>, RecordError> {
        let lines: Vec<StatedPosition> = self.lines.next_lines(ScoredPosition::PER_FRAME)?;
        if lines.is_empty() {
            self.sha256 = Some(sha256_of_file(self.lines.source().path(), &Silent)?);
            return Ok(None);
        }
        let row =
            |line: &StatedPosition| labelled(line.position, Label::of_discs(line.score?)?).ok();
        Ok(Some(lines.iter().filter_map(row).collect()))
    }
}

fn parse(line: &str) -> Result<(ScoredPosition, Form), String> {
    let board: StatedPosition = line.parse().map_err(|error| format!("{error}"))?;
    let score = board.score.ok_or("the line has no score")?;
    let label = Label::of_discs(score).ok_or("the score is beyond 64 discs")?;
    Ok((labelled(board.position, label)?, board.form))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::records::{Frame, Records};
    use othello_engine::board::Position;
    use othello_testing::scratch;

    const START: &str = "---------------------------OX------XO---------------------------";

    #[test]
    fn a_line_has_the_score_of_the_side_to_move_or_is_rejected() {
        // Black (a1) has the legal move d1; white (b1 and c1) has no legal move.
        let must_pass = |side| format!("XOO-{}X {side} 10", "-".repeat(59));
        let black = Position::new(1 | 1 << 63, 0b110).unwrap();
        for (line, position, discs) in [
            (format!("{START} X; f5:+2; d3:-4; % a comment"), Position::START, 2.0),
            (format!("{START} O; -18;"), Position::START.pass(), -18.0),
            (format!("{START} O -2.5"), Position::START.pass(), -2.5),
            (must_pass("X"), black, 10.0),
            (must_pass("O"), black, -10.0),
        ] {
            let row = parse(&line).unwrap().0;
            assert_eq!((row.position(), row.label().discs()), (position, discs), "{line}");
        }
        let over = format!("XXXX{} 64", "-".repeat(60));
        for (line, reason) in
            [(&*format!("{START} X; f5"), "no score"), (START, "no score"), (&over, "over")]
        {
            assert!(parse(line).unwrap_err().contains(reason), "{line}");
        }
    }

    #[test]
    fn a_text_of_boards_is_data_as_records_are() {
        let text = format!("% problems\n{START} X; f5:+2;\n{START} X\n{START} O -4\n");
        let labels = scratch::with_file("a.obf", text.as_bytes(), |path| {
            let mut records = Records::open(path).unwrap();
            let ranges = records.ranges(path, [1, 1], &Silent).unwrap();
            assert_eq!((ranges.len(), ranges[0].records), (1, 2));
            assert_eq!(records.sha256(), Some(sha256_of_file(path, &Silent).unwrap().as_str()));
            let mut labels = vec![];
            let read = ranges[0].each_frame(|frame| {
                if let Frame::Positions(rows) = frame {
                    labels.extend(rows.iter().map(|row| row.label().discs()));
                }
                Ok::<(), RecordError>(())
            });
            read.map(|()| labels)
        });
        assert_eq!(labels.unwrap(), [2.0, -4.0]);
        for other in ["hello\n", "\x7FELF and more bytes", "id,moves\n"] {
            let error = scratch::with_file("a.obf", other.as_bytes(), |path| {
                Records::open(path).err().unwrap().to_string()
            });
            assert!(error.contains("not a file of this program"), "{error}");
        }
    }
}
