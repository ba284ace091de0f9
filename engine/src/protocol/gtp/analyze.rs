//! The commands by which GoGui shows values of moves and the best line.

use super::super::board::{Board, Turn};
use super::Gtp;
use crate::analysis::RatedMove;
use crate::board::Side;
use crate::eval::Evaluate;
use crate::search::Limits;

/// The analysis commands of GoGui, each as `type of the answer/menu item/command`.
pub(super) const COMMANDS: [&str; 3] = [
    "gfx/Values of moves/othello-values",
    "var/Best line/othello-line",
    "string/Value of the position/othello-value",
];

impl<E: Evaluate> Gtp<'_, E> {
    pub(super) fn value(&mut self, limits: &Limits) -> String {
        format!("{:+.2}", self.player.value(self.board.position(), limits).value)
    }

    /// Returns the value of each move as a label, and the best value for the status line.
    pub(super) fn values(&mut self, limits: &Limits) -> String {
        let position = self.board.position();
        let rated = self.player.rated_moves(position, limits);
        let Some(best) = rated.first() else { return "TEXT no move is legal".to_owned() };
        let label = |rated: &RatedMove| format!("{} {:+.1}", rated.square, rated.value);
        let labels: Vec<String> = rated.iter().map(label).collect();
        let how = best.how(position.empties());
        format!("LABEL {}\nTEXT {} {:+.2}, {how}", labels.join(" "), best.square, best.value)
    }

    /// Returns the best line as text: the side and the square of each move, including passes.
    pub(super) fn line(&mut self, limits: &Limits) -> Result<String, String> {
        let rated = self.player.rated_moves(self.board.position(), limits);
        let Some(best) = rated.first() else { return Ok(String::new()) };
        let (mut line, mut said) = (self.board.clone(), vec![]);
        for &square in &best.line {
            if line.position().moves() == 0 {
                said.push(play(&mut line, None)?);
            }
            said.push(play(&mut line, Some(square))?);
        }
        Ok(said.join(" "))
    }
}

fn play(board: &mut Board, turn: Turn) -> Result<String, String> {
    let side = if board.side() == Side::Black { "b" } else { "w" };
    board.play(board.side(), turn)?;
    Ok(format!("{side} {}", turn.map_or("pass".to_owned(), |square| square.to_string())))
}
