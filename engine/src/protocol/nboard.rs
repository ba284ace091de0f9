//! The NBoard protocol, version 2, as NBoard's `Protocol.htm` describes it: one command a line. The
//! client sends the game so far, and asks for a move (`go`), for the values of moves (`hint`), or
//! for the values of all positions of the game (`analyze`). Unknown commands are ignored.
//!
//! Values are in discs, for the side to move. `ping` is answered when no search is running.

use std::time::Instant;

use super::board::Board;
use super::clock::{Clock, limits_of_move};
use super::player::Player;
use super::{Interruption, Reply, Server};
use crate::analysis::RatedMove;
use crate::board::{Side, Square, ggf};
use crate::eval::{Evaluate, Value};
use crate::search::{Found, Level, Limits, Selectivity};
use crate::text::excerpt;

/// A server of the NBoard protocol, with one game in progress.
#[derive(Debug)]
pub struct Nboard<'a, E: Evaluate> {
    player: Player<'a, E>,
    board: Board,
    clocks: [Option<Clock>; 2],
}

impl<'a, E: Evaluate> Nboard<'a, E> {
    /// Creates a server at the start of a game.
    pub fn new(player: Player<'a, E>) -> Self {
        Self { player, board: Board::default(), clocks: [None; 2] }
    }

    fn set(&mut self, what: &str) -> Reply {
        let (name, value) = what.split_once(char::is_whitespace).unwrap_or((what, ""));
        match name {
            "depth" => {
                let Some(level) = value.trim().parse().ok().and_then(Level::new) else {
                    return Reply::says("status set depth: expected a number from 1 to 60\n");
                };
                self.player.set_level(level);
                Reply::says(format!("set myname othello-engine {level}\n"))
            }
            "game" => match read_game(value) {
                Ok((board, clocks)) => {
                    // NBoard sends the whole game again after two new turns. The table is cleared
                    // only if that game does not continue the current one.
                    let goes_on = board.positions().starts_with(&self.board.positions());
                    (self.board, self.clocks) = (board, clocks);
                    if !goes_on {
                        self.player.new_game();
                    }
                    Reply::default()
                }
                Err(reason) => Reply::says(format!("status set game: {reason}\n")),
            },
            // Unknown settings are ignored, and also contempt, which concerns a book's draws.
            _ => Reply::default(),
        }
    }

    fn play(&mut self, text: &str) -> Reply {
        let side = self.board.side();
        let played = ggf::read_turn(text).and_then(|turn| self.board.play(side, turn));
        if let Err(reason) = played {
            return Reply::says(format!("status move: {reason}\n"));
        }
        spend(&mut self.clocks, side, text);
        Reply::default()
    }

    fn go(&mut self, limits: &Limits) -> Reply {
        let position = *self.board.position();
        if position.moves() == 0 {
            return Reply::says("=== PA\n");
        }
        let begun = Instant::now();
        let clock = self.clocks[usize::from(self.board.side() == Side::White)];
        let limits = limits_of_move(clock, position.empties(), limits);
        let Found { best, value, nodes, .. } = self.player.choose(&position, &limits);
        let seconds = begun.elapsed().as_secs_f64();
        let square = best.map_or("PA".to_owned(), capital);
        let thought = match nodes {
            0 => book_line(&square, value),
            _ => format!("nodestats {nodes} {seconds:.2}\n"),
        };
        Reply::says(format!("{thought}=== {square}/{value:.2}/{seconds:.2}\n"))
    }

    fn hint(&mut self, most: usize, limits: &Limits) -> Reply {
        let position = *self.board.position();
        let mut text = "status analysing\n".to_owned();
        if self.player.from_book(&position).is_some() {
            let book = self.player.book.iter().flat_map(|book| book.moves(&position));
            for (square, value) in book.take(most) {
                text += &book_line(&capital(square), value);
            }
        } else if position.moves() == 0 && !position.is_over() {
            let Found { value, depth, selectivity, .. } = self.player.value(&position, limits);
            let depth = depth_told(depth, selectivity, position.empties());
            text += &format!("search PA {value:.2} 0 {depth}\n");
        } else {
            let begun = Instant::now();
            let rated = self.player.rated_moves(&position, limits);
            for RatedMove { value, depth, selectivity, line, .. } in rated.iter().take(most) {
                let line: String = line.iter().map(|&square| capital(square)).collect();
                let depth = depth_told(*depth, *selectivity, position.empties());
                text += &format!("search {line} {value:.2} 0 {depth}\n");
            }
            let nodes: u64 = rated.iter().map(|rated| rated.nodes).sum();
            text += &format!("nodestats {nodes} {:.2}\n", begun.elapsed().as_secs_f64());
        }
        Reply::says(text + "status\n")
    }

    fn analyze(&mut self, limits: &Limits) -> Reply {
        let mut text = "status analysing\n".to_owned();
        for (turns, (position, _)) in self.board.positions().into_iter().enumerate().rev() {
            let value = self.player.value(&position, limits).value;
            if limits.are_interrupted() {
                break;
            }
            text += &format!("analysis {turns} {value:.2}\n");
        }
        Reply::says(text + "status\n")
    }
}

fn depth_told(depth: u32, selectivity: Selectivity, empties: u32) -> String {
    if depth < empties { depth.to_string() } else { format!("{selectivity}%") }
}

/// Returns the NBoard line that states a move from the opening book. The protocol's fields for the
/// number of games and the depth are 0, because the book stores neither.
fn book_line(square: &str, value: Value) -> String {
    format!("book {square} {value:.2} 0 0\n")
}

impl<E: Evaluate> Server for Nboard<'_, E> {
    fn interruption(came: Option<&str>) -> Interruption {
        let Some(came) = came else { return Interruption::Late };
        match came.split_whitespace().next() {
            None => Interruption::Ignored,
            Some("stop") => Interruption::Always,
            // Clients send it before a new position: it ends the unlimited `hint` and `analyze`.
            Some("ping") => Interruption::OpenEnded,
            Some(_) => Interruption::Late,
        }
    }

    fn is_open_ended(answered: &str) -> bool {
        matches!(answered.split_whitespace().next(), Some("hint" | "analyze"))
    }

    fn has_to_ponder(&self) -> bool {
        self.player.has_to_ponder(self.board.position())
    }

    fn ponder(&mut self, limits: &Limits) {
        self.player.ponder(limits);
    }

    fn answer_within(&mut self, line: &str, limits: &Limits) -> Reply {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "nboard" => Reply::says("set myname othello-engine\n"),
            "set" => self.set(rest),
            "move" => self.play(rest),
            "go" => self.go(limits),
            "hint" => self.hint(rest.parse().unwrap_or(1), limits),
            "ping" => Reply::says(format!("pong {}\n", excerpt(rest))),
            "learn" => Reply::says("learned\n"),
            "analyze" => self.analyze(limits),
            "quit" => Reply { quits: true, ..Reply::default() },
            // Early versions of NBoard send the move alone, without a value and a time.
            turn if turn.len() == 2 && ggf::read_turn(turn).is_ok() => self.play(turn),
            _ => Reply::default(),
        }
    }
}

fn capital(square: Square) -> String {
    square.to_string().to_ascii_uppercase()
}

fn spend(clocks: &mut [Option<Clock>; 2], side: Side, turn: &str) {
    if let Some(clock) = &mut clocks[usize::from(side == Side::White)] {
        clock.spend(ggf::read_time(turn));
    }
}

fn read_game(text: &str) -> Result<(Board, [Option<Clock>; 2]), String> {
    let game = text.trim().strip_prefix("(;").and_then(|text| text.strip_suffix(";)"));
    let game = game.ok_or("expected (;GM[Othello]…;)")?;
    let (mut board, mut clocks) = (None, [None; 2]);
    for field in ggf::fields(game) {
        let (name, value) = field?;
        match (name, &mut board) {
            ("BO", board) => {
                let read = ggf::read_board(&value);
                let (position, side) = read.ok_or("the board does not have 8 by 8 squares")?;
                *board = Some(Board::new(position, side));
            }
            ("B" | "W", Some(board)) => {
                let side = if name == "B" { Side::Black } else { Side::White };
                board.play(side, ggf::read_turn(&value)?)?;
                spend(&mut clocks, side, &value);
            }
            ("B" | "W", None) => return Err("a move precedes the board".to_owned()),
            ("TY", _) => drop(ggf::read_rules(&value)?),
            ("TI", _) => clocks = [ggf::read_clock(&value).map(Clock::absolute); 2],
            ("TB", _) => clocks[0] = ggf::read_clock(&value).map(Clock::absolute),
            ("TW", _) => clocks[1] = ggf::read_clock(&value).map(Clock::absolute),
            _ => {}
        }
    }
    Ok((board.ok_or("it does not begin with a board")?, clocks))
}
