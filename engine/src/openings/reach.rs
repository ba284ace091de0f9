use std::collections::HashSet;

use crate::board::transcript::Replay;
use crate::board::{CORNERS, Position, Side, Square, Squares};

const MOST_POSITIONS: usize = 1 << 20;

/// Searches for a game from the start to this position with `side` to move. Returns `None` if there
/// is no such game, or if a search through 2^20 positions does not find one.
pub fn game_to(position: Position, side: Side) -> Option<Vec<Square>> {
    let Replay { end, side, .. } = Replay::from(position, side);
    let mut way = Way { target: by_colour(&end, side), side, seen: HashSet::new(), moves: vec![] };
    way.leads_on(Position::START, Side::Black).then_some(way.moves)
}

fn by_colour(position: &Position, side: Side) -> [u64; 2] {
    side.black_first([position.player(), position.opponent()])
}

struct Way {
    target: [u64; 2],
    side: Side,
    seen: HashSet<(Position, Side)>,
    moves: Vec<Square>,
}

impl Way {
    fn leads_on(&mut self, position: Position, side: Side) -> bool {
        let [black, white] = self.target;
        if by_colour(&position, side) == self.target && side == self.side {
            return true;
        }
        if self.seen.len() >= MOST_POSITIONS || !self.seen.insert((position, side)) {
            return false;
        }
        let next = |square: Square| {
            let next = Replay::from(position.play(square)?, side.other());
            let [next_black, next_white] = by_colour(&next.end, next.side);
            let wrong = next_black & white | next_white & black;
            // A disc in a corner is never flipped, so a wrong colour there cannot be corrected.
            (wrong & CORNERS == 0).then_some((wrong.count_ones(), square, next.end, next.side))
        };
        let squares = Squares(position.moves() & (black | white));
        let mut moves: Vec<_> = squares.filter_map(next).collect();
        moves.sort_unstable_by_key(|&(wrong, square, ..)| (wrong, square));
        moves.into_iter().any(|(_, square, position, side)| {
            self.moves.push(square);
            let leads = self.leads_on(position, side);
            if !leads {
                self.moves.pop();
            }
            leads
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random_game;

    #[test]
    fn a_game_leads_to_every_early_position_of_a_game() {
        for seed in 0..30 {
            for plies in [0, 1, 4, 8, 12, 14] {
                let game = random_game(seed, 0, plies);
                let found = game_to(game.end, game.side).unwrap();
                let found = Replay::from_start(&found).unwrap();
                assert_eq!((found.end, found.side), (game.end, game.side), "{seed}, {plies}");
            }
        }
        let far = Position::new(0b1, 0b1110).unwrap();
        assert_eq!(game_to(far, Side::Black), None);
    }
}
