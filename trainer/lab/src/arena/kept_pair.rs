//! Encodes and decodes a pair of games as a section of a match file.

use othello_engine::board::notation::{BoardLine, board_text};
use othello_engine::board::{Discs, Position, Side, Square, transcript};
use othello_engine::file::Section;
use serde::{Deserialize, Serialize};

use super::played::PlayedGame;
use super::player::Effort;
use super::result::PlayedPair;

/// The name of a pair's section is this prefix and the number of the pair, counted from 1.
const PREFIX: &str = "pair ";

#[derive(Serialize, Deserialize)]
struct Pair {
    /// The position from which both games start, as 64 characters with the side to move.
    opening: String,
    games: [Game; 2],
    efforts: [Effort; 2],
}

#[derive(Serialize, Deserialize)]
struct Game {
    /// The moves after the opening, without passes.
    moves: String,
    /// The disc difference at the end for the first player; ±64 if a player forfeited.
    score: Discs,
    forfeit: Option<Forfeit>,
}

#[derive(Serialize, Deserialize)]
struct Forfeit {
    /// The player who forfeited: 1 or 2.
    player: usize,
    reason: String,
}

pub(super) fn encode(pair: &PlayedPair) -> Section {
    let [first, _] = &pair.games;
    let game = |game: &PlayedGame| Game {
        moves: game.squares.iter().map(Square::to_string).collect(),
        score: game.score,
        forfeit: game.forfeit.clone().map(|(player, reason)| Forfeit { player, reason }),
    };
    let text = Pair {
        opening: board_text(&first.opening, Side::Black),
        games: pair.games.each_ref().map(game),
        efforts: pair.efforts,
    };
    let content = serde_json::json!(text).to_string().into_bytes();
    Section { name: format!("{PREFIX}{}", first.pair), content }
}

/// Returns the number of a section's pair, counted from 0; `None` for other sections.
pub(super) fn number(section: &Section) -> Option<usize> {
    let digits = section.name.strip_prefix(PREFIX)?;
    let number = digits.parse::<usize>().ok()?;
    // `pair 05` and `pair +5` are not names of pair 5.
    if number.to_string() == digits { number.checked_sub(1) } else { None }
}

/// Returns pair `number`, counted from 0. An error is a predicate such as `has no opening: …`; the
/// caller puts the name of the section before it.
pub(super) fn decode(number: usize, section: &Section) -> Result<PlayedPair, String> {
    let Pair { opening, games, efforts } = serde_json::from_slice(&section.content)
        .map_err(|error| format!("is not a pair of games: {error}"))?;
    let line: BoardLine = opening.parse().map_err(|error| format!("has no opening: {error}"))?;
    let opening = line.position;
    let mut mover = 0;
    let games = games.map(|Game { moves, score, forfeit }| {
        mover += 1;
        let squares =
            transcript::parse(&moves).map_err(|error| format!("has no moves: {error}"))?;
        let forfeit = forfeit.map(|Forfeit { player, reason }| (player, reason));
        let game = PlayedGame { pair: number + 1, game: mover, opening, squares, score, forfeit };
        if is_sound(&game) {
            Ok(game)
        } else {
            Err(format!("has a game {mover} whose moves do not give its stated result"))
        }
    });
    let [first, second] = games;
    Ok(PlayedPair { games: [first?, second?], efforts })
}

/// Returns true if the moves are legal, and the score is their result or, in a forfeited game, ±64
/// against the player who forfeited.
fn is_sound(game: &PlayedGame) -> bool {
    let Some((position, sign)) = end(&game.opening, &game.squares) else { return false };
    let first_moved = if game.game == 1 { 1 } else { -1 };
    match game.forfeit {
        None => position.is_over() && game.score == position.score() * sign * first_moved,
        Some((1, _)) => game.score == -64,
        Some((2, _)) => game.score == 64,
        Some(_) => false,
    }
}

/// Returns the position after all moves; and 1 if its side to move is the side that moved first in
/// the game, otherwise −1. Returns `None` if a move is illegal.
fn end(opening: &Position, squares: &[Square]) -> Option<(Position, Discs)> {
    let (mut position, mut sign) = (*opening, 1);
    for &square in squares {
        if position.moves() == 0 {
            (position, sign) = (position.pass(), -sign);
        }
        (position, sign) = (position.play(square)?, -sign);
    }
    Some((position, sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_one_name() {
        let numbered = |name: &str| number(&Section { name: name.to_owned(), content: vec![] });
        assert_eq!(numbered("pair 5"), Some(4));
        for name in ["pair 05", "pair +5", "pair 0", "pair", "pair 5 ", "pairs 5"] {
            assert_eq!(numbered(name), None, "{name}");
        }
    }
}
