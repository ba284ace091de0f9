use othello_engine::board::notation::board_text;
use othello_engine::board::transcript::{self, Replay};
use othello_engine::board::{Position, Side, Squares, StatedPosition};
use othello_engine::text::Invalid;
use serde_json::{Value as Json, json};

pub(crate) fn read(text: &str) -> Result<Json, String> {
    let text = text.trim();
    let stated: StatedPosition = text.parse().map_err(|error: Invalid| error.to_string())?;
    let (start, moves) = match transcript::read(text) {
        Ok((_, Replay { steps, .. })) => (
            board_text(&Position::START, Side::Black),
            steps.iter().map(|step| step.square.to_string()).collect(),
        ),
        Err(_) => (board_text(&stated.position, stated.side), String::new()),
    };
    Ok(json!({ "start": start, "moves": moves }))
}

/// Returns the start position, and the position after each move (and the pass that may follow it).
pub(crate) fn positions(start: &StatedPosition, moves: &str) -> Result<Json, String> {
    let mut replay = Replay::from(start.position, start.side);
    let mut all = vec![shown(&replay, replay.side != start.side)];
    for square in transcript::parse(moves).map_err(|error| error.to_string())? {
        let mover = replay.side;
        replay.push(square).map_err(|error| error.to_string())?;
        all.push(shown(&replay, mover == replay.side));
    }
    Ok(all.into())
}

/// Returns the last position of a game as JSON. `passed` is true if the other side had to pass
/// before this position.
fn shown(replay: &Replay, passed: bool) -> Json {
    let Replay { end, side, .. } = replay;
    let over = end.is_over();
    let [black, white] = replay.discs();
    json!({
        "board": board_text(end, *side),
        "legal": Squares(end.moves()).map(|square| square.to_string()).collect::<Vec<_>>(),
        "over": over,
        "passed": passed && !over,
        "black": black,
        "white": white,
        "score": replay.black_score(),
    })
}
