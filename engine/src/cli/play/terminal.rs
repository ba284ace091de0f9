//! The conversation of a game in the terminal: a person's input and the answers.

use std::fmt::Write as _;

use super::Sides;
use crate::analysis::how_found;
use crate::board::{Side, Square};
use crate::eval::{Evaluate, Value};
use crate::protocol::{Board, Marks, Player, Reply, Server, Turn, name};
use crate::search::{Level, Limits};

const HELP: &str = "\
f5          play a square; squares that may be played are marked *
undo        take your last move back, and what was played since
hint        what every move is worth, and how play would go on
go          let the engine play this move
level 6     set the level, 1 to 60
moves       the game so far, as a transcript
new         begin again
quit        leave
";

/// A game of a person and the engine.
pub(super) struct Terminal<'a, E: Evaluate> {
    player: Player<'a, E>,
    /// The sides that the person plays.
    sides: Sides,
    board: Board,
    /// The turns so far, each with its side.
    turns: Vec<(Side, Turn)>,
}

impl<'a, E: Evaluate> Terminal<'a, E> {
    pub(super) fn new(player: Player<'a, E>, sides: Sides) -> Self {
        Self { player, sides, board: Board::default(), turns: vec![] }
    }

    /// Returns the text before any input.
    pub(super) fn begin(&mut self) -> String {
        let played = self.play_on(false, &Limits::default());
        format!("Type a square to play it; `help` tells what else there is.\n\n{played}")
    }

    fn command(&mut self, line: &str, limits: &Limits) -> Result<String, String> {
        let (command, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match command.to_ascii_lowercase().as_str() {
            "" => Ok(self.prompt()),
            "help" | "?" => Ok(format!("{HELP}{}", self.prompt())),
            "undo" => self.undo(),
            "hint" => self.hint(limits),
            "go" if self.is_over() => Err("the game is over".to_owned()),
            "go" => Ok(self.play_on(true, limits)),
            "level" => {
                self.player.set_level(argument.trim().parse::<Level>()?);
                Ok(format!("level {}\n{}", argument.trim(), self.prompt()))
            }
            "moves" => Ok(format!("{}\n{}", self.transcript(), self.prompt())),
            "new" => {
                (self.board, self.turns) = (Board::default(), vec![]);
                self.player.new_game();
                Ok(self.play_on(false, limits))
            }
            _ => {
                let square: Square = line
                    .parse()
                    .map_err(|_| format!("`{line}` is neither a square nor a command"))?;
                if self.is_over() {
                    return Err("the game is over".to_owned());
                }
                self.play(Some(square))?;
                Ok(self.play_on(false, limits))
            }
        }
    }

    fn is_over(&self) -> bool {
        self.board.position().is_over()
    }

    fn play(&mut self, turn: Turn) -> Result<(), String> {
        let side = self.board.side();
        self.board.play(side, turn)?;
        self.turns.push((side, turn));
        Ok(())
    }

    /// Plays the engine's turns, and passes, until the person has a choice or the game is over;
    /// where the engine is `asked`, it plays the first of them for the person. Then the board is
    /// drawn.
    fn play_on(&mut self, asked: bool, limits: &Limits) -> String {
        let (mut said, mut asked) = (String::new(), asked);
        while !self.is_over() {
            let side = self.board.side();
            let turn = if self.board.position().moves() == 0 {
                None
            } else if asked || !self.sides.has(side) {
                asked = false;
                let Some((square, why)) = self.choose(limits) else { break };
                let _ = writeln!(said, "{} plays {square} ({why})", name(side));
                Some(square)
            } else {
                break;
            };
            if turn.is_none() {
                let _ = writeln!(said, "{} cannot move and passes", name(side));
            }
            // A turn that is chosen is legal.
            if self.play(turn).is_err() {
                break;
            }
        }
        format!("{said}{}{}", self.drawing(), self.prompt())
    }

    /// The engine's move, and where it comes from.
    fn choose(&mut self, limits: &Limits) -> Option<(Square, String)> {
        let position = *self.board.position();
        if let Some((square, value)) = self.player.from_book(&position) {
            return Some((square, format!("{}, from the book", told(value))));
        }
        let empties = position.empties();
        let found = self.player.search(&position, limits);
        let how = how_found(found.depth, found.selectivity, empties);
        Some((found.best?, format!("{}, {how}", told(found.value))))
    }

    fn undo(&mut self) -> Result<String, String> {
        let choice = |&(side, turn): &(Side, Turn)| turn.is_some() && self.sides.has(side);
        let own = self.turns.iter().rposition(choice);
        // If the engine plays both sides, its last move is taken back.
        let last = own.or_else(|| {
            matches!(self.sides, Sides::None).then_some(self.turns.len().checked_sub(1)).flatten()
        });
        let keep = last.ok_or("there is no move of yours to take back")?;
        while self.turns.len() > keep && self.board.undo() {
            self.turns.pop();
        }
        Ok(format!("{}{}", self.drawing(), self.prompt()))
    }

    fn hint(&mut self, limits: &Limits) -> Result<String, String> {
        if self.is_over() {
            return Err("the game is over".to_owned());
        }
        let mut text = String::new();
        let position = *self.board.position();
        for rated in self.player.rated_moves(&position, limits) {
            let line: String = rated.line.iter().map(Square::to_string).collect();
            let (square, value, how) = (rated.square, rated.value, rated.how(position.empties()));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{square} {} {how:<9} {line}", told(value));
        }
        Ok(text + &self.prompt())
    }

    fn transcript(&self) -> String {
        self.turns.iter().filter_map(|(_, turn)| *turn).map(|square| square.to_string()).collect()
    }

    fn drawing(&self) -> String {
        let [black, white] = self.board.discs().map(u64::count_ones);
        let (last, turned) = self.board.last_change();
        let marks = Marks { open: self.board.position().moves(), last, turned };
        let told = match self.board.side() {
            _ if last == 0 => "",
            Side::Black => "; [O] was played last and turned o",
            Side::White => "; [X] was played last and turned x",
        };
        format!("{}\nX black {black}, O white {white}{told}\n", self.board.drawing(marks))
    }

    fn prompt(&self) -> String {
        let position = self.board.position();
        if !position.is_over() {
            return format!("{} to move> ", name(self.board.side()));
        }
        let result = match position.score() * self.board.side().sign() {
            0 => "a draw".to_owned(),
            score @ 1.. => format!("black wins by {score}"),
            score => format!("white wins by {}", -score),
        };
        format!("game over: {result}\n> ")
    }
}

impl<E: Evaluate> Server for Terminal<'_, E> {
    fn answer_within(&mut self, line: &str, limits: &Limits) -> Reply {
        if matches!(line.to_ascii_lowercase().as_str(), "quit" | "exit") {
            return Reply { quits: true, ..Reply::default() };
        }
        match self.command(line, limits) {
            Ok(text) => Reply::says(text),
            Err(reason) => Reply::says(format!("{reason}\n{}", self.prompt())),
        }
    }
}

/// Writes a value in discs, for the side that moves.
fn told(value: Value) -> String {
    format!("{:+.2}", value.discs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Squares;
    use crate::board::transcript::{Replay, parse};
    use crate::eval::Mobility;
    use crate::file::Existing;
    use crate::openings::{Book, Settings, write_openings};
    use crate::progress::Silent;
    use crate::search::Search;

    fn terminal(sides: Sides, book: Option<Book>) -> Terminal<'static, Mobility> {
        let player =
            Player::new(&Search::new(&Mobility).hash_mb(1), Level::new(2).unwrap()).unwrap();
        Terminal::new(player.with_book(book), sides)
    }

    fn say(terminal: &mut Terminal<'_, Mobility>, line: &str) -> String {
        terminal.answer(line).text
    }

    #[test]
    fn a_person_plays_asks_takes_back_and_leaves() {
        let mut game = terminal(Sides::Black, None);
        let begun = game.begin();
        assert!(begun.contains("3 . . . * . . . .\n4 . . * O X . . .\n"), "{begun}");
        assert!(begun.ends_with("X black 2, O white 2\nblack to move> "), "{begun}");
        let played = say(&mut game, "F5");
        assert!(played.contains("white plays ") && played.contains(", depth 2)"), "{played}");
        assert!(played.ends_with("black to move> "), "{played}");
        // Any reply to f5 turns one disc; the line below the board explains the brackets.
        let marks = (played.matches("[O]").count(), played.matches(" o ").count());
        assert_eq!(marks, (2, 1), "{played}");
        assert!(played.contains("; [O] was played last and turned o\n"), "{played}");
        assert_eq!(game.transcript().len(), 4);
        let hint = say(&mut game, "hint");
        let moves = game.board.position().moves().count_ones() as usize;
        assert_eq!(hint.lines().filter(|line| line.contains(" depth 2 ")).count(), moves, "{hint}");
        assert!(say(&mut game, "undo").contains("3 . . . * . . . .\n"));
        assert_eq!((game.transcript(), game.board.clone()), (String::new(), Board::default()));
        assert!(say(&mut game, "undo").contains("no move of yours"));
        assert!(say(&mut game, "a1").starts_with("a1 is not legal\n"));
        assert!(
            say(&mut game, "castle").starts_with("`castle` is neither a square nor a command\n")
        );
        assert!(say(&mut game, "level 61").contains("from 1 to 60"));
        assert!(say(&mut game, "level 3").starts_with("level 3\n"));
        assert!(say(&mut game, "go").contains(", depth 3)"));
        assert!(say(&mut game, "help").contains("quit"));
        assert!(game.answer("quit").quits);
    }

    /// Plays the first legal move to the end, in games in which both sides pass.
    #[test]
    fn whole_games_are_played_and_come_out_as_their_moves_say() {
        let mut passes = 0;
        for (sides, first) in [(Sides::Black, 'b'), (Sides::White, 'w'), (Sides::Both, 'b')] {
            let mut game = terminal(sides, None);
            game.begin();
            assert_eq!(game.prompt().starts_with("black"), first == 'b');
            for _ in 0..60 {
                let Some(square) = Squares(game.board.position().moves()).next() else { break };
                let said = say(&mut game, &square.to_string());
                passes += said.matches("cannot move and passes").count();
            }
            let replay = Replay::from_start(&parse(&game.transcript()).unwrap()).unwrap();
            let score = replay.black_score().unwrap();
            let (winner, by) = if score > 0 { ("black", score) } else { ("white", -score) };
            let expected = format!("game over: {winner} wins by {by}\n> ");
            assert!(score == 0 || game.prompt() == expected, "{score}: {}", game.prompt());
            assert!(say(&mut game, "a1").starts_with("the game is over"));
            assert!(say(&mut game, "hint").starts_with("the game is over"));
            say(&mut game, "undo");
            assert!(!game.is_over());
            say(&mut game, "new");
            assert!(game.transcript().len() <= 2);
        }
        assert!(passes > 0);
    }

    #[test]
    fn the_engine_plays_from_the_book_while_it_knows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.openings");
        write_openings(&path, &Settings::whole(4, 1), &Mobility, Existing::Keep, &Silent).unwrap();
        let mut game = terminal(Sides::None, Some(Book::read(&path).unwrap()));
        let said = game.begin();
        assert_eq!(said.matches("from the book").count(), 4, "{said}");
        assert!(said.contains("game over: "));
        say(&mut game, "undo");
        assert!(!game.is_over());
    }
}
