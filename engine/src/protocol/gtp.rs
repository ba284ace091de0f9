//! GTP, the Go Text Protocol, version 2, for Othello. A command is a line, optionally with a number
//! before it. The answer begins with `=` or, for an error, `?`, and ends with an empty line.
//!
//! The commands `gogui-rules_…` let GoGui display the game. Go numbers rows from the bottom,
//! Othello from the top. So `gogui-rules_board` lists row 8 of Othello first: GoGui shows the board
//! upside down, but with the right names of squares.

use std::path::Path;
use std::time::{Duration, Instant};

use super::board::{Board, Turn};
use super::clock::{Clock, TimeSettings, limits_of_move};
use super::player::Player;
use super::{Interruption, Reply, Server};
use crate::analysis::RatedMove;
use crate::board::{Side, Squares, sgf};
use crate::eval::Evaluate;
use crate::file::{read_ordinary, unreadable};
use crate::search::{Level, Limits};
use crate::text::{MAX_FILE_BYTES, decode};

const COMMANDS: &str = "\
    boardsize clear_board final_score genmove gogui-analyze_commands gogui-interrupt \
    gogui-rules_board gogui-rules_board_size gogui-rules_final_result gogui-rules_game_id \
    gogui-rules_legal_moves gogui-rules_side_to_move known_command komi level list_commands \
    loadsgf name othello-line othello-value othello-values play protocol_version quit \
    reg_genmove showboard stop time_left time_settings undo version";

/// The commands for GoGui's analysis menu, each as `type of the answer/menu item/command`.
const ANALYSES: [&str; 3] = [
    "gfx/Values of moves/othello-values",
    "var/Best line/othello-line",
    "string/Value of the position/othello-value",
];

/// A server of the Go Text Protocol (GTP), with one game in progress.
#[derive(Debug)]
pub struct Gtp<'a, E: Evaluate> {
    player: Player<'a, E>,
    board: Board,
    time: Option<TimeSettings>,
    clocks: [Option<Clock>; 2],
}

impl<'a, E: Evaluate> Gtp<'a, E> {
    /// Creates a server at the start of a game.
    pub fn new(player: Player<'a, E>) -> Self {
        Self { player, board: Board::default(), time: None, clocks: [None; 2] }
    }

    fn command(
        &mut self,
        command: &str,
        arguments: &[&str],
        limits: &Limits,
    ) -> Result<String, String> {
        match (command, arguments) {
            ("protocol_version", _) => Ok("2".to_owned()),
            ("name", _) => Ok("othello-engine".to_owned()),
            ("version", _) => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            ("list_commands", _) => Ok(COMMANDS.replace(' ', "\n")),
            ("known_command", [command]) => Ok(is_known(command).to_string()),
            // All but `komi` end a search, which is over by now.
            ("quit" | "stop" | "gogui-interrupt" | "komi", _) => Ok(String::new()),
            ("time_settings", [main, period, moves]) => self.set_time(main, period, moves),
            ("time_left", [side, time, moves]) => self.set_time_left(side, time, moves),
            ("loadsgf", [path @ .., last]) => match last.parse::<usize>() {
                // The last word is a move number, or the end of the path, which may contain blanks.
                Ok(number) if !path.is_empty() && !Path::new(&arguments.join(" ")).exists() => {
                    self.load_sgf(&path.join(" "), number.saturating_sub(1))
                }
                _ => self.load_sgf(&arguments.join(" "), usize::MAX),
            },
            ("gogui-analyze_commands", _) => Ok(ANALYSES.join("\n")),
            ("othello-value", _) => Ok(self.value(limits)),
            ("othello-values", _) => Ok(self.values(limits)),
            ("othello-line", _) => self.line(limits),
            ("boardsize", ["8"]) | ("clear_board", _) => Ok(self.begin(Board::default())),
            ("boardsize", _) => Err("unacceptable size".to_owned()),
            ("level", [level]) => {
                self.player.set_level(level.parse::<Level>()?);
                Ok(String::new())
            }
            ("play", [side, turn]) => {
                let illegal = |reason| format!("illegal move: {reason}");
                self.board.play(read_side(side)?, read_turn(turn)?).map_err(illegal)?;
                Ok(String::new())
            }
            ("genmove" | "reg_genmove", [side]) => {
                self.generate(read_side(side)?, command == "genmove", limits)
            }
            ("undo", _) if self.board.undo() => Ok(String::new()),
            ("undo", _) => Err("cannot undo".to_owned()),
            ("showboard", _) => {
                Ok(format!("\n{}{} to move", self.board.drawing(), self.board.side()))
            }
            ("final_score" | "gogui-rules_final_result", _) => self.result(),
            ("gogui-rules_game_id", _) => Ok("Othello".to_owned()),
            ("gogui-rules_board_size", _) => Ok("8".to_owned()),
            ("gogui-rules_board", _) => {
                Ok((0..8).rev().map(|rank| self.board.row(rank)).collect::<Vec<_>>().join("\n"))
            }
            ("gogui-rules_side_to_move", _) => Ok(self.board.side().to_string()),
            ("gogui-rules_legal_moves", _) => Ok(self.legal_moves()),
            (known, _) if is_known(known) => Err("syntax error".to_owned()),
            _ => Err("unknown command".to_owned()),
        }
    }

    fn begin(&mut self, board: Board) -> String {
        self.board = board;
        self.clocks = [self.time.map(Clock::new); 2];
        self.player.new_game();
        String::new()
    }

    /// Sets the clocks. As GTP defines it, a period above 0 s with 0 moves means no time limit.
    fn set_time(&mut self, main: &str, period: &str, moves: &str) -> Result<String, String> {
        let (main, period, moves) =
            (read_seconds(main)?, read_seconds(period)?, read_count(moves)?);
        let is_endless = !period.is_zero() && moves == 0;
        let moves = if period.is_zero() { 0 } else { moves };
        self.time = (!is_endless).then_some(TimeSettings { main, period, moves });
        self.clocks = [self.time.map(Clock::new); 2];
        Ok(String::new())
    }

    fn set_time_left(&mut self, side: &str, time: &str, moves: &str) -> Result<String, String> {
        let (side, time, moves) = (read_side(side)?, read_seconds(time)?, read_count(moves)?);
        self.clock(side).get_or_insert(Clock::absolute(time)).hear(time, moves);
        Ok(String::new())
    }

    fn clock(&mut self, side: Side) -> &mut Option<Clock> {
        &mut self.clocks[usize::from(side == Side::White)]
    }

    fn load_sgf(&mut self, path: &str, moves: usize) -> Result<String, String> {
        let cannot = |reason: String| format!("cannot load file: {reason}");
        let path = Path::new(path);
        // Special files are refused: a read from a pipe, for example, might never end.
        let bytes = read_ordinary(path, MAX_FILE_BYTES);
        let bytes = bytes.map_err(|error| cannot(error.to_string()))?;
        let wrong = |reason: String| cannot(format!("{}: {reason}", path.display()));
        if let Some(reason) = unreadable(&bytes) {
            return Err(wrong(reason));
        }
        let game = sgf::parse(decode(&bytes).trim_start_matches('\u{feff}')).map_err(wrong)?;
        let mut board = Board::new(game.position, game.side);
        for (number, (side, turn)) in game.turns.into_iter().take(moves).enumerate() {
            let illegal = |reason| wrong(format!("move {}: {reason}", number + 1));
            board.play(side, turn).map_err(illegal)?;
        }
        Ok(self.begin(board))
    }

    fn generate(&mut self, side: Side, played: bool, limits: &Limits) -> Result<String, String> {
        let position = self.board.with_turn_of(side)?;
        let begun = Instant::now();
        let limits = limits_of_move(*self.clock(side), position.empties(), limits);
        let can_move = position.moves() != 0;
        let turn = if can_move { self.player.choose(&position, &limits).best } else { None };
        if played {
            self.board.play(side, turn)?;
            if let Some(clock) = self.clock(side) {
                clock.spend(begun.elapsed());
            }
        }
        Ok(named(turn))
    }

    fn legal_moves(&self) -> String {
        match self.board.position().moves() {
            0 if self.board.position().is_over() => String::new(),
            0 => named(None),
            moves => Squares(moves).map(|square| square.to_string()).collect::<Vec<_>>().join(" "),
        }
    }

    fn result(&self) -> Result<String, String> {
        let position = self.board.position();
        if !position.is_over() {
            return Err("the game is not over".to_owned());
        }
        Ok(match position.score() * self.board.side().sign() {
            0 => "0".to_owned(),
            score if score < 0 => format!("W+{}", -score),
            score => format!("B+{score}"),
        })
    }

    fn value(&mut self, limits: &Limits) -> String {
        format!("{:+.2}", self.player.value(self.board.position(), limits).value)
    }

    fn values(&mut self, limits: &Limits) -> String {
        let position = self.board.position();
        let rated = self.player.rated_moves(position, limits);
        let Some(best) = rated.first() else { return "TEXT no move is legal".to_owned() };
        let label = |rated: &RatedMove| format!("{} {:+.1}", rated.square, rated.value);
        let labels: Vec<String> = rated.iter().map(label).collect();
        let how = best.how(position.empties());
        format!("LABEL {}\nTEXT {} {:+.2}, {how}", labels.join(" "), best.square, best.value)
    }

    fn line(&mut self, limits: &Limits) -> Result<String, String> {
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

impl<E: Evaluate> Server for Gtp<'_, E> {
    /// Returns a line's effect on a search. `stop` and GoGui's line `# interrupt` end any search.
    fn interruption(came: Option<&str>) -> Interruption {
        let Some(line) = came else { return Interruption::Late };
        let comment = line.split_once('#').map(|(_, comment)| comment.trim());
        match read_line(line) {
            (_, Some("stop"), _) => Interruption::Always,
            (_, Some(_), _) => Interruption::Late,
            (_, None, _) if comment == Some("interrupt") => Interruption::Always,
            _ => Interruption::Ignored,
        }
    }

    fn has_to_ponder(&self) -> bool {
        self.player.has_to_ponder(self.board.position())
    }

    fn ponder(&mut self, limits: &Limits) {
        self.player.ponder(limits);
    }

    fn answer_within(&mut self, line: &str, limits: &Limits) -> Reply {
        let line: String = line.chars().filter(|&c| !c.is_control() || c == '\t').collect();
        let (number, Some(command), arguments) = read_line(&line) else { return Reply::default() };
        let text = match self.command(command, &arguments, limits) {
            Ok(text) => format!("={number} {text}"),
            Err(text) => format!("?{number} {text}"),
        };
        Reply { text: format!("{}\n\n", text.trim_end()), quits: command == "quit" }
    }
}

fn is_known(command: &str) -> bool {
    COMMANDS.split(' ').any(|known| known == command)
}

fn read_line(line: &str) -> (&str, Option<&str>, Vec<&str>) {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace().peekable();
    let number = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    (number.unwrap_or_default(), words.next(), words.collect())
}

fn read_side(word: &str) -> Result<Side, String> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::Black),
        "w" | "white" => Ok(Side::White),
        _ => Err("syntax error: expected black or white".to_owned()),
    }
}

fn read_seconds(word: &str) -> Result<Duration, String> {
    let seconds = word.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "syntax error: expected a number of seconds".to_owned())
}

fn read_count(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| "syntax error: expected a number of moves".to_owned())
}

fn read_turn(word: &str) -> Result<Turn, String> {
    if word.eq_ignore_ascii_case("pass") {
        return Ok(None);
    }
    let square = word.parse().map_err(|_| "syntax error: expected a1 to h8 or pass")?;
    Ok(Some(square))
}

fn play(board: &mut Board, turn: Turn) -> Result<String, String> {
    let side = if board.side() == Side::Black { "b" } else { "w" };
    board.play(board.side(), turn)?;
    Ok(format!("{side} {}", named(turn)))
}

fn named(turn: Turn) -> String {
    turn.map_or("pass".to_owned(), |square| square.to_string())
}
