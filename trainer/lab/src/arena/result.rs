use std::collections::{BTreeMap, HashSet};

use othello_engine::board::notation::board_text;
use othello_engine::board::transcript::Replay;
use othello_engine::board::{Discs, Position, Side, Square, Symmetry};
use othello_engine::record::Game;
use othello_engine::text::Invalid;
use serde::{Deserialize, Serialize};

use super::opening::Opening;
use super::player::Effort;
use super::process::RESIGNED;
use super::{Pair, Statistics};

/// A game of a match, with its moves and its score.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// The number of the pair, counted from 1.
    pub pair: usize,
    /// The number of the game in its pair: the first player begins game 1, the second game 2.
    pub game: usize,
    /// The position that the game starts from.
    pub opening: Position,
    /// The moves after the opening, without passes.
    pub squares: Vec<Square>,
    /// The disc difference at the end for the match's first player; ±64 after a forfeit.
    pub score: Discs,
    /// The player who forfeited (1 or 2), and the reason; `None` for a game played to its end.
    pub forfeit: Option<(usize, String)>,
}

/// A game as a line of JSON.
#[derive(Serialize, schemars::JsonSchema)]
struct Line {
    /// The pair, counted from 1.
    pair: usize,
    /// The game of the pair: 1 or 2.
    game: usize,
    /// The player with the black discs: 1 or 2.
    black: usize,
    /// The position that the game starts from, with the side to move.
    opening: String,
    /// The moves from the start position through the opening to the end of the game, possibly
    /// rotated or reflected; null if no moves that lead to the opening were found.
    transcript: Option<String>,
    /// The moves after the opening.
    moves: String,
    /// The score of the first player, in discs.
    score: Discs,
    /// The player who forfeited the game: 1 or 2; null if none did.
    forfeited_by: Option<usize>,
    /// The reason of the forfeit, if there was one.
    reason: Option<String>,
}

impl PlayedGame {
    /// Returns the JSON Schema of the lines that [`PlayedGame::to_json`] writes.
    pub fn schema() -> schemars::Schema {
        schemars::schema_for!(Line)
    }

    /// Returns the game as a record from the start position, in which the moves to the opening are
    /// marked as random; `None` if no moves that lead to the opening are found. The record of a
    /// forfeited game is unfinished.
    pub fn record(&self) -> Result<Option<Game>, Invalid> {
        let Some((opening_plies, squares, _)) = self.whole() else { return Ok(None) };
        // An opening has at most 60 moves, so the cast is exact.
        Game::new(opening_plies as u8, &squares).map(Some)
    }

    /// Returns the game as one line of JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let whole = self.whole();
        let side = whole.as_ref().map_or(Side::Black, |(.., side)| *side);
        let first_is_black = (self.game == 1) == (side == Side::Black);
        let text = |squares: &[Square]| squares.iter().map(Square::to_string).collect::<String>();
        serde_json::to_string(&Line {
            pair: self.pair,
            game: self.game,
            black: if first_is_black { 1 } else { 2 },
            opening: board_text(&self.opening, side),
            transcript: whole.map(|(_, squares, _)| text(&squares)),
            moves: text(&self.squares),
            score: self.score,
            forfeited_by: self.forfeit.as_ref().map(|(player, _)| *player),
            reason: self.forfeit.as_ref().map(|(_, reason)| reason.clone()),
        })
    }

    fn images(&self) -> impl Iterator<Item = (Position, Vec<Square>)> {
        Symmetry::all().map(|symmetry| {
            let squares = self.squares.iter().map(|&square| symmetry.square(square));
            (self.opening.image(symmetry), squares.collect())
        })
    }

    /// Finds moves from the start position to the opening or a symmetric image of it. Returns their
    /// number, the moves of the whole game, and the side to move in the opening; `None` if no such
    /// moves are found.
    fn whole(&self) -> Option<(usize, Vec<Square>, Side)> {
        let reached = Opening::new(self.opening);
        let mut squares: Vec<Square> = reached.path?.into_iter().flatten().collect();
        let opening_plies = squares.len();
        let (_, after) = self.images().find(|(opening, _)| *opening == reached.position)?;
        squares.extend(after);
        Replay::from_start(&squares).ok()?;
        Some((opening_plies, squares, reached.side))
    }
}

/// The two games of a pair, and each player's effort (nodes and time) to choose moves.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedPair {
    /// The games: the first player begins the first game, the second player the second game.
    pub games: [PlayedGame; 2],
    /// Each player's nodes and seconds in both games together, before it solves positions exactly.
    pub efforts: [Effort; 2],
}

impl PlayedPair {
    /// Returns the first player's scores in both games.
    pub fn scores(&self) -> Pair {
        Pair(self.games.each_ref().map(|game| game.score))
    }
}

/// The result of a match: its pairs' disc scores, its games, and each player's nodes and seconds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MatchResult {
    /// For each opening in order, the first player's scores in the opening's pair of games.
    #[serde(skip)]
    pub pairs: Vec<Pair>,
    /// The number of openings that are distinct up to symmetry.
    pub distinct_openings: usize,
    /// The number of games that are distinct up to symmetry.
    pub distinct_games: usize,
    /// The games that a player lost by misconduct.
    pub forfeits: Vec<Forfeit>,
    /// The numbers of games that the first and the second player resigned.
    pub resigned: [usize; 2],
    /// Each player's nodes and seconds in all games together, before it solves positions exactly; 0
    /// nodes for an external program.
    pub efforts: [Effort; 2],
    /// The games, two of each pair.
    #[serde(skip)]
    pub games: Vec<PlayedGame>,
}

/// A game that a player lost by misconduct. The opponent gets a score of 64 discs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Forfeit {
    /// The number of the pair, counted from 1.
    pub pair: usize,
    /// The number of the game in its pair: the first player begins game 1, the second game 2.
    pub game: usize,
    /// The player who forfeited: 1 or 2.
    pub player: usize,
    /// The program's misconduct.
    pub reason: String,
}

impl MatchResult {
    /// Creates the result from the pairs, given in the order of the openings.
    pub fn new(pairs: Vec<PlayedPair>) -> Self {
        let scores = pairs.iter().map(PlayedPair::scores).collect();
        let efforts = [0, 1].map(|player| pairs.iter().map(|pair| pair.efforts[player]).sum());
        let games: Vec<PlayedGame> = pairs.into_iter().flat_map(|pair| pair.games).collect();
        let openings: HashSet<_> = games.iter().map(|game| game.opening.canonical()).collect();
        // Images of a game are one game, whose smallest image represents it.
        let distinct: HashSet<_> = games.iter().map(|game| game.images().min()).collect();
        let forfeit = |&PlayedGame { pair, game, ref forfeit, .. }: &PlayedGame| {
            let (player, reason) = forfeit.clone().filter(|(_, reason)| reason != RESIGNED)?;
            Some(Forfeit { pair, game, player, reason })
        };
        Self {
            pairs: scores,
            distinct_openings: openings.len(),
            distinct_games: distinct.len(),
            resigned: [1, 2].map(|player| {
                let resigned = Some((player, RESIGNED.to_owned()));
                games.iter().filter(|game| game.forfeit == resigned).count()
            }),
            forfeits: games.iter().filter_map(forfeit).collect(),
            efforts,
            games,
        }
    }

    /// Returns the statistics of the pairs.
    pub fn statistics(&self) -> Statistics {
        Statistics::new(&self.pairs)
    }
}

/// A list that puts pairs of games, received in any order, in the order of their openings.
pub(super) struct OrderedPairs<F> {
    pub(super) pairs: Vec<PlayedPair>,
    waiting: BTreeMap<usize, PlayedPair>,
    enough: F,
    pub(super) has_ended: bool,
}

impl<F: FnMut(Pair) -> bool> OrderedPairs<F> {
    /// Creates an empty list. The list ends with the first pair for which `enough` returns true.
    pub(super) fn new(enough: F) -> Self {
        Self { pairs: vec![], waiting: BTreeMap::new(), enough, has_ended: false }
    }

    pub(super) fn add(&mut self, number: usize, pair: PlayedPair) {
        self.waiting.insert(number, pair);
        while !self.has_ended
            && let Some(pair) = self.waiting.remove(&self.pairs.len())
        {
            self.has_ended = (self.enough)(pair.scores());
            self.pairs.push(pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{Contestant, Match};
    use othello_engine::eval::{Evaluator, Mobility, Zero};
    use othello_engine::progress::Silent;
    use othello_engine::search::Strength;
    use serde_json::Value;

    /// Records and lines of JSON must have the right colours and moves, even for openings with an
    /// odd number of plies and for mirrored openings.
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
        let [first, second] = [&first, &second].map(|one| Contestant::new(one, strength));
        let played = Match { first, second };
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

    /// Some symmetries keep the start position but change the moves: such games must count as one.
    #[test]
    fn images_of_a_game_are_one_game() {
        let start = |moves: &str| PlayedGame {
            pair: 1,
            game: 1,
            opening: Position::START,
            squares: othello_engine::board::transcript::parse(moves).unwrap(),
            score: 0,
            forfeit: None,
        };
        for image in ["e6f4c3c4d3", "c4e3f6e6f5", "d3c5f6f5e6"] {
            assert_eq!(start(image).images().min(), start("f5d6c3d3c4").images().min());
        }
        assert_ne!(start("f5d6c3d3").images().min(), start("f5d6c3g5").images().min());
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
