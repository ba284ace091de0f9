//! The games of a match, as they are kept.

use othello_engine::board::notation::board_text;
use othello_engine::board::transcript::Replay;
use othello_engine::board::{Discs, Position, Side, Square, Symmetry};
use othello_engine::record::{Game, GameError};
use serde::Serialize;

use super::opening::Opening;

/// A game that was played in a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// The number of the pair, counted from 1.
    pub pair: usize,
    /// The game of the pair: in game 1 the first player moves first, in game 2 the second one.
    pub game: usize,
    /// The position that it began from.
    pub opening: Position,
    /// The moves from there on, passes left out.
    pub squares: Vec<Square>,
    /// The score of the first player; all discs where a player forfeited.
    pub score: Discs,
    /// The misconduct by which a player lost it, with the player's number.
    pub forfeit: Option<(usize, String)>,
}

/// A game from the first position on.
struct WholeGame {
    /// The number of moves before the opening.
    opening_plies: usize,
    squares: Vec<Square>,
    /// The side to move in the opening.
    side: Side,
}

/// A game as a line of text has it.
#[derive(Serialize)]
struct Line {
    pair: usize,
    game: usize,
    /// The player of the black discs: 1 or 2.
    black: usize,
    /// The position that the game began from, with the side to move.
    opening: String,
    /// The transcript from the first position on; null where no game leads to the opening. It is that of an image
    /// of the game where the opening is one.
    transcript: Option<String>,
    /// The moves from the opening on.
    moves: String,
    /// The score of the first player.
    score: Discs,
    /// The player who forfeited the game: 1 or 2.
    forfeited_by: Option<usize>,
    /// The misconduct of that player.
    reason: Option<String>,
}

impl PlayedGame {
    /// The record of the game, whose moves up to the opening count as random ones; `None` where no game is known
    /// that leads to the opening. One that was forfeited is broken off.
    pub fn record(&self) -> Result<Option<Game>, GameError> {
        let Some(whole) = self.whole() else { return Ok(None) };
        // No opening has more moves than there are squares.
        Game::new(whole.opening_plies as u8, &whole.squares).map(Some)
    }

    /// The game as one line of JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let whole = self.whole();
        let side = whole.as_ref().map_or(Side::Black, |whole| whole.side);
        let first_is_black = (self.game == 1) == (side == Side::Black);
        let text = |squares: &[Square]| squares.iter().map(Square::to_string).collect::<String>();
        serde_json::to_string(&Line {
            pair: self.pair,
            game: self.game,
            black: if first_is_black { 1 } else { 2 },
            opening: board_text(&self.opening, side),
            transcript: whole.map(|whole| text(&whole.squares)),
            moves: text(&self.squares),
            score: self.score,
            forfeited_by: self.forfeit.as_ref().map(|(player, _)| *player),
            reason: self.forfeit.as_ref().map(|(_, reason)| reason.clone()),
        })
    }

    /// The game from the first position on, or an image of it.
    fn whole(&self) -> Option<WholeGame> {
        let reached = Opening::new(self.opening);
        let path: Vec<Square> = reached.path?.into_iter().flatten().collect();
        let symmetry = Symmetry::all().find(|&s| self.opening.image(s) == reached.position)?;
        let images = self.squares.iter().map(|&square| symmetry.square(square));
        let opening_plies = path.len();
        let squares: Vec<Square> = path.into_iter().chain(images).collect();
        Replay::from_start(&squares).ok()?;
        Some(WholeGame { opening_plies, squares, side: reached.side })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Match;
    use othello_engine::eval::{Evaluator, Mobility, Zero};
    use othello_engine::progress::Silent;
    use othello_engine::search::Strength;
    use serde_json::Value;

    /// Openings of odd and of even plies, and images of these, as matches play them.
    #[test]
    fn records_and_lines_say_what_the_match_counted() {
        let after = |text: &str| {
            let squares = othello_engine::board::transcript::parse(text).unwrap();
            Replay::from_start(&squares).unwrap().end
        };
        let openings: Vec<Position> = ["f5d6c3", "f5f4e3d6", "f5f6"]
            .into_iter()
            .zip(Symmetry::all().skip(1))
            .map(|(text, symmetry)| after(text).image(symmetry))
            .collect();
        let (first, second): (Evaluator, Evaluator) = (Mobility.into(), Zero.into());
        let strength = Strength { depth: 1, exact: 4 };
        let played = Match { first: (&first).into(), second: (&second).into(), strength };
        let result = played.play(&openings, &Silent).unwrap();
        assert_eq!(result.games.len(), 6);
        for (number, game) in result.games.iter().enumerate() {
            assert_eq!((game.pair, game.game), (number / 2 + 1, number % 2 + 1));
            let pair = result.pairs[game.pair - 1].0;
            assert_eq!(game.score, pair[game.game - 1]);
            let record = game.record().unwrap().unwrap();
            let line: Value = serde_json::from_str(&game.to_json().unwrap()).unwrap();
            let sign = if line["black"] == 1 { 1 } else { -1 };
            assert_eq!(record.black_score(), Some(sign * game.score));
            assert_eq!(usize::from(record.random_plies()), [3, 4, 2][game.pair - 1]);
            assert_eq!(line["transcript"].as_str().unwrap().len(), 2 * record.squares().len());
            assert_eq!((&line["score"], &line["forfeited_by"]), (&game.score.into(), &Value::Null));
        }
    }

    #[test]
    fn a_game_from_a_board_that_no_game_leads_to_has_a_line_and_no_record() {
        let opening = Position::new(0b1, 0b1110).unwrap();
        let game = PlayedGame {
            pair: 1,
            game: 2,
            opening,
            squares: vec![],
            score: 64,
            forfeit: Some((2, "hung".to_owned())),
        };
        assert_eq!(game.record().unwrap(), None);
        let line: Value = serde_json::from_str(&game.to_json().unwrap()).unwrap();
        assert_eq!((&line["transcript"], &line["black"]), (&Value::Null, &2.into()));
        assert_eq!((&line["forfeited_by"], &line["reason"]), (&2.into(), &"hung".into()));
    }
}
