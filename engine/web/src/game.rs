//! Games as the page displays them: every position with its legal moves.

use othello_engine::board::notation::board_text;
use othello_engine::board::transcript::{self, Replay};
use othello_engine::board::{Position, Side, Squares, StatedPosition};
use othello_engine::text::Invalid;
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct ReadGame {
    start: String,
    moves: String,
}

#[derive(Serialize)]
pub(crate) struct Shown {
    board: String,
    legal: Vec<String>,
    over: bool,
    /// True if the other side had to pass before this position.
    passed: bool,
    black: u32,
    white: u32,
    /// The final score for black (the winner gets empty squares); `None` if the game is not over.
    score: Option<i32>,
}

pub(crate) fn read(text: &str) -> Result<ReadGame, String> {
    let said = |error: Invalid| error.to_string();
    let text = text.trim();
    let stated: StatedPosition = text.parse().map_err(said)?;
    if let Ok((_, Replay { steps, .. })) = transcript::read(text) {
        let start = board_text(&Position::START, Side::Black);
        return Ok(ReadGame { start, moves: steps.iter().map(|s| s.square.to_string()).collect() });
    }
    Ok(ReadGame { start: board_text(&stated.position, stated.side), moves: String::new() })
}

/// Returns the start position and the position after each move. If the side to move has no legal
/// move, it has already passed in the returned position.
pub(crate) fn positions(start: StatedPosition, moves: &str) -> Result<Vec<Shown>, String> {
    let StatedPosition { position, side, .. } = start;
    let mut replay = Replay::from(position, side);
    let mut shown = vec![Shown::new(&replay, replay.side != side)];
    for square in transcript::parse(moves).map_err(|error| error.to_string())? {
        let mover = replay.side;
        replay.push(square).map_err(|error| error.to_string())?;
        shown.push(Shown::new(&replay, mover == replay.side));
    }
    Ok(shown)
}

impl Shown {
    fn new(replay: &Replay, passed: bool) -> Self {
        let Replay { end, side, .. } = replay;
        let over = end.is_over();
        let discs = [end.player(), end.opponent()].map(u64::count_ones);
        let [black, white] = side.black_first(discs);
        Self {
            board: board_text(end, *side),
            legal: Squares(end.moves()).map(|square| square.to_string()).collect(),
            over,
            passed: passed && !over,
            black,
            white,
            score: replay.black_score(),
        }
    }
}
