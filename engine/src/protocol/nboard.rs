//! The NBoard protocol, version 2: a command a line. A program that shows the board tells the game so far and
//! asks for a move (`go`) or for what moves are worth (`hint`); the engine plays nothing by itself.
//! A command that is not known is passed over.

use std::fmt::Write as _;
use std::time::Instant;

use super::board::Board;
use super::player::Player;
use super::{Reply, Server};
use crate::analysis::{Level, RatedMove};
use crate::board::ggf::{self, Fields};
use crate::board::{Side, Square};
use crate::eval::Evaluate;

/// A server of the NBoard protocol.
#[derive(Debug)]
pub struct Nboard<'a, E: Evaluate> {
    player: Player<'a, E>,
    board: Board,
}

impl<'a, E: Evaluate> Nboard<'a, E> {
    /// A server at the start of a game.
    pub fn new(player: Player<'a, E>) -> Self {
        Self { player, board: Board::default() }
    }

    fn set(&mut self, what: &str) -> Reply {
        let (name, value) = what.split_once(char::is_whitespace).unwrap_or((what, ""));
        match name {
            "depth" => {
                let level = value.trim().parse().ok().map(|depth: u32| depth.clamp(1, 60));
                match level.and_then(Level::new) {
                    Some(level) => {
                        self.player.level = level;
                        Reply::says(format!("set myname othello-engine {}\n", value.trim()))
                    }
                    None => Reply::says("status set depth: expected a number\n"),
                }
            }
            "game" => match read_game(value) {
                Ok(board) => {
                    self.board = board;
                    self.player.new_game();
                    Reply::default()
                }
                Err(reason) => Reply::says(format!("status set game: {reason}\n")),
            },
            _ => Reply::default(),
        }
    }

    /// Plays a turn of the side to move.
    fn play(&mut self, turn: &str) -> Reply {
        let side = self.board.side();
        match ggf::read_turn(turn).and_then(|turn| self.board.play(side, turn)) {
            Ok(()) => Reply::default(),
            Err(reason) => Reply::says(format!("status move: {reason}\n")),
        }
    }

    /// The turn to play, its value in discs and the seconds that it took.
    fn go(&mut self) -> Reply {
        let position = *self.board.position();
        if position.moves() == 0 {
            return Reply::says("=== PA\n");
        }
        let begun = Instant::now();
        let found = self.player.search(&position);
        let seconds = begun.elapsed().as_secs_f64();
        let square = found.best.map_or("PA".to_owned(), capital);
        let (nodes, value) = (found.nodes, found.value);
        Reply::says(format!(
            "nodestats {nodes} {seconds:.2}\n=== {square}/{value:.2}/{seconds:.2}\n"
        ))
    }

    /// The best moves with their lines and values.
    fn hint(&mut self, most: usize) -> Reply {
        let mut text = "status analysing\n".to_owned();
        for rated in self.player.rated_moves(self.board.position()).iter().take(most) {
            let RatedMove { value, depth, exact, line, .. } = rated;
            let line: String = line.iter().map(|&square| capital(square)).collect();
            let depth = if *exact { "100%".to_owned() } else { depth.to_string() };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "search {line} {value:.2} 0 {depth}");
        }
        Reply::says(text + "status\n")
    }
}

impl<E: Evaluate> Server for Nboard<'_, E> {
    fn answer(&mut self, line: &str) -> Reply {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "nboard" => Reply::says("set myname othello-engine\n"),
            "set" => self.set(rest),
            "move" => self.play(rest),
            "go" => self.go(),
            "hint" => self.hint(rest.parse().unwrap_or(1)),
            "ping" => Reply::says(format!("pong {rest}\n")),
            "learn" => Reply::says("learned\n"),
            "quit" => Reply { quits: true, ..Reply::default() },
            // Early versions of NBoard say the move alone.
            turn if turn.len() == 2 && ggf::read_turn(turn).is_ok() => self.play(turn),
            _ => Reply::default(),
        }
    }
}

fn capital(square: Square) -> String {
    square.to_string().to_ascii_uppercase()
}

/// The board at the end of a game in GGF.
fn read_game(text: &str) -> Result<Board, String> {
    let game = text.trim().strip_prefix("(;").and_then(|text| text.strip_suffix(";)"));
    let game = game.ok_or("expected (;GM[Othello]…;)")?;
    let mut board = None;
    for field in Fields(game) {
        let (name, value) = field?;
        match (name, &mut board) {
            ("BO", board) => {
                let (position, side) =
                    ggf::read_board(&value).ok_or("the board is none of 8 by 8 squares")?;
                *board = Some(Board::new(position, side));
            }
            ("B" | "W", Some(board)) => {
                let side = if name == "B" { Side::Black } else { Side::White };
                board.play(side, ggf::read_turn(&value)?)?;
            }
            ("B" | "W", None) => return Err("a move stands before the board".to_owned()),
            _ => {}
        }
    }
    board.ok_or_else(|| "it has no board that it begins with".to_owned())
}
