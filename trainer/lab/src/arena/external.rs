//! Sessions with the external engines of a match, which speak GTP or the NBoard protocol.

use std::time::Duration;

use othello_engine::board::{Position, Side, Square, ggf};
use othello_engine::player::{ExternalEngine, Protocol};
use othello_engine::progress::Progress;
use othello_engine::protocol::{Board, Clock, Turn};
use othello_engine::text::excerpt;
use rayon::prelude::*;

use super::opening::Opening;
use super::process::{Misconduct, Process};

/// The search depth and the time limits of external engines in a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// The search depth, which NBoard engines get by `set depth`; GTP has no such command.
    pub depth: u32,
    /// The time limit for one answer of the engine.
    pub time: Duration,
    /// The time limit for all moves of the engine in a game, sent to the engine; `None`: no limit.
    pub game: Option<Duration>,
}

impl Terms {
    /// Starts an engine and begins a game, to check that the engine works.
    pub fn check(self, engine: &ExternalEngine) -> Result<(), Misconduct> {
        self.begun(engine).map(drop)
    }

    /// Starts an engine and returns the name and the version that it reports, if any.
    pub fn introduction(self, engine: &ExternalEngine) -> Result<Option<String>, Misconduct> {
        self.begun(engine)?.introduction()
    }

    fn begun(self, engine: &ExternalEngine) -> Result<Conversation<'_>, Misconduct> {
        let mut conversation = Conversation::new(engine, self);
        let first = Opening { path: Some(vec![]), ..Opening::without_path(Position::START) };
        conversation.begin(&first)?;
        Ok(conversation)
    }

    /// Returns the engine's first move from each opening, each in a new game. Each thread starts an
    /// engine process. The side to move must have a legal move. GTP engines need [`Opening::path`].
    pub fn moves(
        self,
        engine: &ExternalEngine,
        openings: &[Opening],
        progress: &dyn Progress,
    ) -> Vec<Result<Square, Misconduct>> {
        let workers = rayon::current_num_threads().min(openings.len());
        let work = |worker: usize| {
            let mut conversation = Conversation::new(engine, self);
            let own = openings.iter().enumerate().skip(worker).step_by(workers);
            let ask = |(place, opening)| {
                let answer = conversation.begin(opening).and_then(|()| {
                    let board = Board::new(opening.position, opening.side);
                    conversation.choose(&Underway { opening, turns: vec![], board }, None)
                });
                progress.advance(1);
                (place, answer)
            };
            own.map(ask).collect::<Vec<_>>()
        };
        let workers = (0..workers).into_par_iter().with_max_len(1);
        let mut answers: Vec<_> = workers.flat_map_iter(work).collect();
        answers.sort_by_key(|&(place, _)| place);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}

pub(super) struct Underway<'a> {
    pub(super) opening: &'a Opening,
    pub(super) turns: Vec<(Turn, Duration)>,
    pub(super) board: Board,
}

impl Underway<'_> {
    /// Returns the game in GGF. `clock` is each player's time for the game, written as 0 if `None`.
    fn ggf(&self, clock: Option<Duration>) -> String {
        match &self.opening.path {
            Some(path) => {
                let path = path.iter().map(|&turn| (turn, Duration::ZERO));
                let turns: Vec<_> = path.chain(self.turns.iter().copied()).collect();
                ggf::timed_game(&Position::START, Side::Black, clock, &turns)
            }
            None => ggf::timed_game(&self.opening.position, self.opening.side, clock, &self.turns),
        }
    }
}

/// A session with an engine that lasts for several games. Misconduct other than a resignation ends
/// the engine's process, and the next game starts a new process.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    engine: &'a ExternalEngine,
    terms: Terms,
    process: Option<Process>,
    /// The number of the last request; late answers, with earlier numbers, are ignored.
    number: u64,
    /// The name that an NBoard engine has reported by `set myname`; `None` until then.
    name: Option<String>,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(engine: &'a ExternalEngine, terms: Terms) -> Self {
        Self { engine, terms, process: None, number: 0, name: None }
    }

    /// Returns the name and the version that the engine reports, if any. A game must have begun.
    fn introduction(&mut self) -> Result<Option<String>, Misconduct> {
        if self.engine.protocol == Protocol::Nboard {
            return Ok(self.name.clone());
        }
        let mut said = vec![];
        for question in ["name", "version"] {
            said.extend(self.suggest_gtp(question)?.map(|answer| excerpt(&answer)));
        }
        said.retain(|word| !word.is_empty());
        Ok((!said.is_empty()).then(|| said.join(" ")))
    }

    pub(super) fn begin(&mut self, opening: &Opening) -> Result<(), Misconduct> {
        let begun = self.try_begin(opening);
        self.stop_if_wrong(begun)
    }

    /// Asks the engine for a move; an illegal one is an error. The side to move must have a legal
    /// move. `clock` is the engine's remaining time.
    pub(super) fn choose(
        &mut self,
        game: &Underway<'_>,
        clock: Option<Clock>,
    ) -> Result<Square, Misconduct> {
        let answer = match self.engine.protocol {
            Protocol::Gtp => self.genmove(game.board.side(), clock),
            Protocol::Nboard => self.go(game),
        };
        let legal = |answer: String| {
            if answer.eq_ignore_ascii_case("resign") {
                return Err(Misconduct::Resigned);
            }
            let turn = ggf::read_turn(&answer).ok().flatten();
            let square = turn.filter(|&square| game.board.position().is_legal(square));
            square.ok_or_else(|| Misconduct::Illegal { answer: excerpt(&answer) })
        };
        self.stop_if_wrong(answer.and_then(legal))
    }

    pub(super) fn see(&mut self, side: Side, turn: Turn) -> Result<(), Misconduct> {
        let seen = match self.engine.protocol {
            Protocol::Gtp => self.play_gtp(side, turn),
            // NBoard engines get the whole game with each request.
            Protocol::Nboard => Ok(()),
        };
        self.stop_if_wrong(seen)
    }

    fn stop_if_wrong<T>(&mut self, result: Result<T, Misconduct>) -> Result<T, Misconduct> {
        if result.as_ref().is_err_and(|wrong| !matches!(wrong, Misconduct::Resigned)) {
            self.process = None;
        }
        result
    }

    fn try_begin(&mut self, opening: &Opening) -> Result<(), Misconduct> {
        if self.process.is_none() {
            self.process = Some(Process::start(&self.engine.command, self.terms.time)?);
            if self.engine.protocol == Protocol::Nboard {
                self.say("nboard 2")?;
                self.say(&format!("set depth {}", self.terms.depth))?;
                self.synchronize()?;
            }
        }
        if self.engine.protocol == Protocol::Gtp {
            self.ask_gtp("boardsize 8")?;
            self.ask_gtp("clear_board")?;
            if let Some(time) = self.terms.game {
                self.suggest_gtp(&format!("time_settings {} 0 0", time.as_secs()))?;
            }
            let mut side = Side::Black;
            for &turn in opening.path.iter().flatten() {
                self.play_gtp(side, turn)?;
                side = side.other();
            }
        }
        Ok(())
    }

    fn play_gtp(&mut self, side: Side, turn: Turn) -> Result<(), Misconduct> {
        let turn = turn.map_or("pass".to_owned(), |square| square.to_string());
        self.ask_gtp(&format!("play {} {turn}", name(side))).map(drop)
    }

    fn genmove(&mut self, side: Side, clock: Option<Clock>) -> Result<String, Misconduct> {
        let side = name(side);
        if let Some(clock) = clock {
            self.suggest_gtp(&format!("time_left {side} {} 0", clock.left().as_secs()))?;
        }
        self.ask_gtp(&format!("genmove {side}"))
    }

    /// Sends a GTP command. Returns the answer, or `None` if the engine refuses the command.
    fn suggest_gtp(&mut self, command: &str) -> Result<Option<String>, Misconduct> {
        match self.ask_gtp(command) {
            Err(Misconduct::Refused { .. }) => Ok(None),
            answer => answer.map(Some),
        }
    }

    fn ask_gtp(&mut self, command: &str) -> Result<String, Misconduct> {
        self.number += 1;
        self.say(&format!("{} {command}", self.number))?;
        let number = self.number.to_string();
        let answer = |line: &str| gtp_answer(line, &number);
        self.process("an answer")?.hear("an answer", answer)?.map_err(|answer| {
            Misconduct::Refused { command: command.to_owned(), answer: excerpt(&answer) }
        })
    }

    fn go(&mut self, game: &Underway<'_>) -> Result<String, Misconduct> {
        self.say(&format!("set game {}", game.ggf(self.terms.game)))?;
        self.synchronize()?;
        self.say("go")?;
        self.process("a move")?.hear("a move", |line| {
            let answer = line.strip_prefix("===")?.trim();
            Some(answer.split_whitespace().next().unwrap_or_default().to_owned())
        })
    }

    fn synchronize(&mut self) -> Result<(), Misconduct> {
        self.number += 1;
        self.say(&format!("ping {}", self.number))?;
        let pong = format!("pong {}", self.number);
        let mut name = None;
        self.process("`pong`")?.hear("`pong`", |line| {
            // Some engines report their name again later, with a move appended.
            name = name.take().or_else(|| line.strip_prefix("set myname ").map(excerpt));
            (line == pong).then_some(())
        })?;
        self.name = self.name.take().or(name);
        Ok(())
    }

    fn process(&mut self, expected: &'static str) -> Result<&mut Process, Misconduct> {
        let ended = || Misconduct::Ended { expected, said: String::new() };
        self.process.as_mut().ok_or_else(ended)
    }

    fn say(&mut self, line: &str) -> Result<(), Misconduct> {
        self.process("anything")?.say(line);
        Ok(())
    }
}

fn name(side: Side) -> &'static str {
    side.black_first(["black", "white"])[0]
}

/// Parses a GTP answer to the command `number`, or an answer without a number. Returns `None` for
/// any other line, and `Some(Err(text))` if the engine refused the command.
fn gtp_answer(line: &str, number: &str) -> Option<Result<String, String>> {
    let rest = line.strip_prefix(['=', '?'])?.trim_start();
    // Edax puts a blank between `=` and the number.
    let words = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let said = &rest[..rest.len() - words.len()];
    let text = words.trim().to_owned();
    let own = said.is_empty() || said == number;
    own.then_some(if line.starts_with('=') { Ok(text) } else { Err(text) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A regression: Edax forfeited a game because its answer `= 4 d6` was not recognized.
    #[test]
    fn a_number_may_stand_anywhere_before_the_answer_or_be_left_out() {
        for line in ["=4 d6", "= 4 d6", "= d6", "=d6"] {
            assert_eq!(gtp_answer(line, "4"), Some(Ok("d6".to_owned())), "{line}");
        }
        assert_eq!(gtp_answer("=4", "4"), Some(Ok(String::new())));
        assert_eq!(gtp_answer("?4 illegal move", "4"), Some(Err("illegal move".to_owned())));
        for line in ["=3 d6", "=41 d6", "d6", "", "status = 4"] {
            assert_eq!(gtp_answer(line, "4"), None, "{line}");
        }
    }
}
