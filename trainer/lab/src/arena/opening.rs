//! Openings drawn from a file. For players that need all moves from the start of a game, an opening
//! may contain the moves that lead to it.

use std::collections::HashSet;
use std::path::Path;

use othello_engine::board::notation::board_text;
use othello_engine::board::transcript::{Form, Step};
use othello_engine::board::{Discs, Position, Side, StatedPosition, Symmetry};
use othello_engine::file::{self, FileError, sha256_of};
use othello_engine::openings::game_to;
use othello_engine::progress::Progress;
use othello_engine::protocol::Turn;
use othello_engine::random::Generator;
use othello_engine::record::{Game, PositionReader};
use othello_engine::text::Lines;
use othello_fit::source::DataError;

/// A position from which a game starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The position, from the view of the side to move.
    pub position: Position,
    /// The side to move; black if no game leads to the position.
    pub side: Side,
    /// The moves and passes from the start of the game to the position, if such a game was found.
    pub path: Option<Vec<Turn>>,
}

impl Opening {
    /// Looks for a game that leads to `position` or to a symmetric image of it. Stores the moves of
    /// the game and the position or image that they reach; without a game, stores only `position`.
    pub fn new(position: Position) -> Self {
        // Each symmetry keeps the start position or swaps its colours; one of each kind suffices.
        let swaps = |&symmetry: &Symmetry| Position::START.image(symmetry) != Position::START;
        let images = [position]
            .into_iter()
            .chain(Symmetry::all().find(swaps).map(|symmetry| position.image(symmetry)));
        // In a game without passes, black moves on even plies.
        let even = if position.ply().is_multiple_of(2) { Side::Black } else { Side::White };
        let ways = [even, even.other()].map(|side| images.clone().map(move |image| (image, side)));
        let reached = |(position, side)| {
            let game = Game::new(0, &game_to(position, side)?).ok()?;
            let path = Some(path(&game.replay().steps, side));
            Some(Self { position, side, path })
        };
        ways.into_iter().flatten().find_map(reached).unwrap_or_else(|| Self::without_path(position))
    }

    /// Returns an opening for each move of a game: the position before it, and the moves so far.
    pub fn along(game: &Game) -> Vec<Self> {
        let steps = game.replay().steps;
        let opening = |(at, step): (usize, &Step)| {
            let &Step { position, side, .. } = step;
            Self { position, side, path: Some(path(&steps[..at], side)) }
        };
        steps.iter().enumerate().map(opening).collect()
    }

    /// Creates an opening for players that can start from any position; black is to move.
    pub fn without_path(position: Position) -> Self {
        Self { position, side: Side::Black, path: None }
    }
}

/// Returns the moves of `steps`, the passes between them and, if the wrong side would be to move
/// after them, a last pass, so that `side` is to move.
fn path(steps: &[Step], side: Side) -> Vec<Turn> {
    let (mut turns, mut mover) = (vec![], Side::Black);
    let next = steps.iter().map(|step| (step.side, Some(step.square)));
    for (side, turn) in next.chain([(side, None)]) {
        if side != mover {
            turns.push(None);
        }
        turns.extend(turn.map(Some));
        mover = side.other();
    }
    turns
}

/// Draws `count` openings, distinct up to symmetry, from a file of positions or from a text with a
/// board or a transcript on each line. Omits positions with a score beyond ±`within` discs. From a
/// file that enumerates openings, uses only those with the most plies. Fails if fewer than `count`
/// are found.
pub fn draw_openings(
    path: &Path,
    count: usize,
    seed: u64,
    within: Discs,
    progress: &dyn Progress,
) -> Result<Vec<Position>, DataError> {
    let mut openings = match file::kind_of(path) {
        // The reader refuses files of other kinds.
        Ok(_) => labelled(path, within)?,
        Err(FileError::Foreign { .. }) => text(path, progress)?,
        Err(error) => return Err(error.into()),
    };
    let listed = openings.len();
    openings.sort_unstable();
    // Symmetric images of an opening lead to the same games up to symmetry.
    let mut seen = HashSet::new();
    openings.retain(|position| seen.insert(position.canonical()));
    Generator::new(seed).shuffle(&mut openings);
    if openings.len() < count {
        let found = openings.len();
        let reason = format!(
            "{found} openings up to symmetry, of {listed} to start from (labelled ones within \
             {within} discs of even); expected {count}: name a longer list, or ask for fewer pairs"
        );
        return Err(FileError::refused(path, reason).into());
    }
    openings.truncate(count);
    Ok(openings)
}

fn labelled(path: &Path, within: Discs) -> Result<Vec<Position>, DataError> {
    let mut reader = PositionReader::open(path)?;
    let mut rows = vec![];
    while let Some(frame) = reader.next_frame()? {
        rows.extend(frame);
    }
    let last_ply = rows.iter().map(|row| row.position().ply()).max();
    let enumerated = reader.is_enumerated();
    let wanted = rows.iter().filter(|row| {
        row.position().moves() != 0
            && row.label().discs().abs() <= f64::from(within)
            && (!enumerated || Some(row.position().ply()) == last_ply)
    });
    Ok(wanted.map(|row| row.position()).collect())
}

/// Returns the SHA-256 of the openings in their order, which identifies them in a provenance.
pub fn checksum(openings: &[Position]) -> String {
    let texts = openings.iter().map(|position| board_text(position, Side::Black) + "\n");
    sha256_of(texts.collect::<String>().as_bytes())
}

fn text(path: &Path, progress: &dyn Progress) -> Result<Vec<Position>, DataError> {
    let mut lines = Lines::open(path)?;
    let mut openings: Vec<StatedPosition> = lines.next_lines(usize::MAX)?;
    Form::report(openings.iter().map(|opening| opening.form), progress);
    openings.retain(|opening| opening.position.moves() != 0);
    if openings.is_empty() {
        return Err(lines.ended_without("an unfinished game to play on").into());
    }
    Ok(openings.iter().map(|opening| opening.position).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::progress::Silent;
    use othello_engine::protocol::Board;
    use othello_testing::random_games::random_moves;
    use othello_testing::scratch;

    #[test]
    fn openings_of_games_are_reached_whatever_image_they_are() {
        for game in 0..40 {
            let plies = 1 + game as usize % 12;
            let mut board = Board::default();
            for square in random_moves(game).into_iter().take(plies) {
                if board.position().moves() == 0 {
                    board.play(board.side(), None).unwrap();
                }
                board.play(board.side(), Some(square)).unwrap();
            }
            for symmetry in Symmetry::all() {
                let opening = Opening::new(board.position().image(symmetry));
                let mut replayed = Board::default();
                for turn in opening.path.unwrap() {
                    replayed.play(replayed.side(), turn).unwrap();
                }
                assert_eq!(
                    (*replayed.position(), replayed.side()),
                    (opening.position, opening.side)
                );
                assert_eq!(opening.position.canonical(), board.position().canonical());
            }
        }
    }

    #[test]
    fn every_position_of_a_game_is_reached_by_the_game_itself() {
        let mut passes = 0;
        for number in 0..40 {
            let squares = random_moves(number);
            let openings = Opening::along(&Game::new(4, &squares).unwrap());
            assert_eq!(openings.len(), squares.len());
            for (opening, square) in openings.iter().zip(squares) {
                let mut replayed = Board::default();
                let path = opening.path.as_ref().unwrap();
                path.iter().for_each(|&turn| replayed.play(replayed.side(), turn).unwrap());
                passes += path.iter().filter(|turn| turn.is_none()).count();
                assert_eq!(
                    (replayed.position(), replayed.side()),
                    (&opening.position, opening.side)
                );
                assert!(opening.position.is_legal(square));
            }
        }
        assert!(passes > 10);
    }

    #[test]
    fn a_position_of_no_game_is_its_own_opening() {
        let position = Position::new(0b1, 0b1110).unwrap();
        let opening = Opening { position, side: Side::Black, path: None };
        assert_eq!(Opening::new(position), opening);
    }

    #[test]
    fn the_seed_decides() {
        let text = "f5d6\nf5f4\nf5f6\nf5d6c3\nf5d6c4\nf5d6c5\nf5d6c6\nf5d6c7\n";
        let draw = |seed| {
            let drawn = |path: &Path| draw_openings(path, 4, seed, 64, &Silent);
            scratch::with_file("openings.txt", text.as_bytes(), drawn).unwrap()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
