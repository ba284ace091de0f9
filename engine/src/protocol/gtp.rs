//! GTP, the Go Text Protocol, version 2, for Othello: a command a line, perhaps with a number before it;
//! the answer begins with `=` or, for an error, `?`, and ends with an empty line.
//!
//! a1 is the upper left corner, as everywhere in this program. The commands `gogui-rules_…` let a board of
//! GoGui follow the game; as Go numbers its rows from below, `gogui-rules_board` begins with row 8, and the
//! squares that people see there have the names that are said here.

use super::board::{Board, Turn, name};
use super::player::Player;
use super::{Reply, Server};
use crate::analysis::Level;
use crate::board::{Discs, Side, Squares};
use crate::eval::Evaluate;

/// The commands that are understood.
const COMMANDS: [&str; 24] = [
    "boardsize",
    "clear_board",
    "final_score",
    "genmove",
    "gogui-rules_board",
    "gogui-rules_board_size",
    "gogui-rules_final_result",
    "gogui-rules_game_id",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "known_command",
    "komi",
    "level",
    "list_commands",
    "name",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// A server of GTP.
#[derive(Debug)]
pub struct Gtp<'a, E: Evaluate> {
    player: Player<'a, E>,
    board: Board,
}

impl<'a, E: Evaluate> Gtp<'a, E> {
    /// A server at the start of a game.
    pub fn new(player: Player<'a, E>) -> Self {
        Self { player, board: Board::default() }
    }

    fn command(&mut self, command: &str, arguments: &[&str]) -> Result<String, String> {
        match (command, arguments) {
            ("protocol_version", _) => Ok("2".to_owned()),
            ("name", _) => Ok("othello-engine".to_owned()),
            ("version", _) => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            ("list_commands", _) => Ok(COMMANDS.join("\n")),
            ("known_command", [command]) => Ok(COMMANDS.contains(command).to_string()),
            ("quit", _) => Ok(String::new()),
            // There is no clock: the level decides. Komi is of Go.
            ("komi" | "time_settings" | "time_left", _) => Ok(String::new()),
            ("boardsize", ["8"]) => self.clear(),
            ("boardsize", _) => Err("unacceptable size".to_owned()),
            ("clear_board", _) => self.clear(),
            ("level", [level]) => {
                self.player.level = level.parse::<Level>()?;
                Ok(String::new())
            }
            ("play", [side, turn]) => {
                let illegal = |reason| format!("illegal move: {reason}");
                self.board.play(read_side(side)?, read_turn(turn)?).map_err(illegal)?;
                Ok(String::new())
            }
            ("genmove" | "reg_genmove", [side]) => {
                self.generate(read_side(side)?, command == "genmove")
            }
            ("undo", _) if self.board.undo() => Ok(String::new()),
            ("undo", _) => Err("cannot undo".to_owned()),
            ("showboard", _) => Ok(format!("\n{}", self.drawing())),
            ("final_score" | "gogui-rules_final_result", _) => self.result(),
            ("gogui-rules_game_id", _) => Ok("Othello".to_owned()),
            ("gogui-rules_board_size", _) => Ok("8".to_owned()),
            ("gogui-rules_board", _) => {
                Ok((0..8).rev().map(|rank| self.board.row(rank, 0)).collect::<Vec<_>>().join("\n"))
            }
            ("gogui-rules_side_to_move", _) => Ok(name(self.board.side()).to_owned()),
            ("gogui-rules_legal_moves", _) => Ok(self.legal_moves()),
            (known, _) if COMMANDS.contains(&known) => Err("syntax error".to_owned()),
            _ => Err("unknown command".to_owned()),
        }
    }

    fn clear(&mut self) -> Result<String, String> {
        self.board = Board::default();
        self.player.new_game();
        Ok(String::new())
    }

    /// Chooses a turn and says it; where it is to be `played`, plays it.
    fn generate(&mut self, side: Side, played: bool) -> Result<String, String> {
        let (position, _) = self.board.with_turn_of(side)?;
        let turn = if position.moves() == 0 { None } else { self.player.search(&position).best };
        if played {
            self.board.play(side, turn)?;
        }
        Ok(turn.map_or("pass".to_owned(), |square| square.to_string()))
    }

    fn legal_moves(&self) -> String {
        let position = self.board.position();
        if position.is_over() {
            return String::new();
        }
        match position.moves() {
            0 => "pass".to_owned(),
            moves => Squares(moves).map(|square| square.to_string()).collect::<Vec<_>>().join(" "),
        }
    }

    /// The result as Go writes it: the winner and the difference; empty squares are the winner's.
    fn result(&self) -> Result<String, String> {
        let position = self.board.position();
        if !position.is_over() {
            return Err("the game is not over".to_owned());
        }
        Ok(match position.score() * self.board.side().sign() {
            0 => "0".to_owned(),
            score @ ..0 => format!("W+{}", -score),
            score @ Discs::MIN..=Discs::MAX => format!("B+{score}"),
        })
    }

    fn drawing(&self) -> String {
        format!("{}{} to move", self.board.drawing(0), name(self.board.side()))
    }
}

impl<E: Evaluate> Server for Gtp<'_, E> {
    fn answer(&mut self, line: &str) -> Reply {
        let line = line.split('#').next().unwrap_or_default();
        let kept = |c: &char| !c.is_control() || *c == '\t';
        let line: String = line.chars().filter(kept).collect();
        let mut words = line.split_whitespace().peekable();
        let number = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let number = number.unwrap_or_default();
        let Some(command) = words.next() else { return Reply::default() };
        let arguments: Vec<&str> = words.collect();
        let text = match self.command(command, &arguments) {
            Ok(text) => format!("={number} {text}"),
            Err(text) => format!("?{number} {text}"),
        };
        Reply { text: format!("{}\n\n", text.trim_end()), quits: command == "quit" }
    }
}

fn read_side(word: &str) -> Result<Side, String> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::Black),
        "w" | "white" => Ok(Side::White),
        _ => Err("syntax error: expected black or white".to_owned()),
    }
}

fn read_turn(word: &str) -> Result<Turn, String> {
    if word.eq_ignore_ascii_case("pass") {
        return Ok(None);
    }
    let square = word.parse().map_err(|_| "syntax error: expected a1 to h8 or pass")?;
    Ok(Some(square))
}
