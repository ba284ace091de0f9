//! Reads scored boards as text, one per line: `64 characters [X|O] score`.

use std::path::Path;

use othello_engine::board::notation::BoardLine;
use othello_engine::record::{Label, ScoredPosition};

use super::lines::Records;
use super::{Entries, SourceError, labelled};

/// Reads the positions of a file and skips blank lines. If the player must pass, the record is the
/// position after the pass, with the score for the other side.
pub fn read(path: &Path) -> Result<impl Entries<ScoredPosition> + use<>, SourceError> {
    Records::open(path, parse)
}

fn parse(line: &str) -> Result<ScoredPosition, String> {
    let board: BoardLine = line.parse().map_err(|error| format!("{error}"))?;
    let score = board.score.ok_or("the line has no score")?;
    let label = Label::of_discs(score).ok_or("the score is beyond 64 discs")?;
    labelled(board.position, label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::board::Position;

    const START: &str = "---------------------------OX------XO---------------------------";

    #[test]
    fn the_score_is_that_of_the_side_to_move() {
        let row = parse(&format!("{START} O -2.5")).unwrap();
        assert_eq!((row.position(), row.label().discs()), (Position::START.pass(), -2.5));
    }

    #[test]
    fn a_player_who_must_pass_hands_over_the_position() {
        // Black (to move) holds a1, white b1 and c1: black has d1. With colours swapped the side
        // to move has none.
        let line = |side| format!("XOO-{}X {side} 10", "-".repeat(59));
        assert_eq!(parse(&line("X")).unwrap().label().discs(), 10.0);
        let passed = parse(&line("O")).unwrap();
        assert_eq!(passed.label().discs(), -10.0);
        assert_eq!(passed.position(), parse(&line("X")).unwrap().position());
    }

    #[test]
    fn a_line_without_score_or_moves_is_rejected() {
        assert!(parse(START).is_err());
        let over = format!("XXXX{} 64", "-".repeat(60));
        assert!(parse(&over).unwrap_err().contains("over"));
    }
}
