//! The commands with which GoGui shows values of moves and the best line of a position.
//!
//! `gogui-analyze_commands` lists these commands with the types of their answers, as GoGui
//! documents them.

use super::super::board::{Board, Turn};
use super::super::player::Player;
use crate::board::Side;
use crate::eval::Evaluate;
use crate::search::Limits;

/// The commands, each with the type of its answer and its name in GoGui's menu.
pub(super) const COMMANDS: [&str; 3] = [
    "gfx/Values of moves/othello-values",
    "var/Best line/othello-line",
    "string/Value of the position/othello-value",
];

/// Returns the value of the position in discs for the side to move.
pub(super) fn value<E: Evaluate>(
    player: &mut Player<'_, E>,
    board: &Board,
    limits: &Limits,
) -> Result<String, String> {
    Ok(format!("{:+.2}", player.value(board.position(), limits).value))
}

/// Returns the value of every move in discs for the side to move, as a label on its square, and the
/// best move for the status line.
pub(super) fn values<E: Evaluate>(
    player: &mut Player<'_, E>,
    board: &Board,
    limits: &Limits,
) -> Result<String, String> {
    let rated = player.rated_moves(board.position(), limits);
    let Some(best) = rated.first() else { return Ok("TEXT no move is legal".to_owned()) };
    let label =
        |rated: &crate::analysis::RatedMove| format!("{} {:+.1}", rated.square, rated.value);
    let labels: Vec<String> = rated.iter().map(label).collect();
    let how = best.how(board.position().empties());
    Ok(format!("LABEL {}\nTEXT {} {:+.2}, {how}", labels.join(" "), best.square, best.value))
}

/// Returns the best line, each move with its side, passes included.
pub(super) fn line<E: Evaluate>(
    player: &mut Player<'_, E>,
    board: &Board,
    limits: &Limits,
) -> Result<String, String> {
    let rated = player.rated_moves(board.position(), limits);
    let Some(best) = rated.first() else { return Ok(String::new()) };
    let (mut line, mut said) = (board.clone(), vec![]);
    for &square in &best.line {
        if line.position().moves() == 0 {
            said.push(play(&mut line, None)?);
        }
        said.push(play(&mut line, Some(square))?);
    }
    Ok(said.join(" "))
}

/// Plays a turn of the side to move and returns it as text.
fn play(board: &mut Board, turn: Turn) -> Result<String, String> {
    let side = if board.side() == Side::Black { "b" } else { "w" };
    board.play(board.side(), turn)?;
    Ok(format!("{side} {}", turn.map_or("pass".to_owned(), |square| square.to_string())))
}
