//! Values of all openings from those of the last ply.

use rayon::prelude::*;

use super::children;
use crate::board::Position;
use crate::eval::{STEPS_PER_DISC, Value};

/// What every position of every ply is worth for its player, given what those of the last ply are
/// worth: the best of its children by negamax. A finished game is worth its score.
///
/// `plies` are those of [`super::enumerate`]: each ply holds, in ascending order, all children of the one
/// before. `last` has one value for each position of the last ply, in the same order; the result
/// likewise for every ply.
pub fn negamax_back(plies: &[Vec<Position>], last: Vec<Value>) -> Vec<Vec<Value>> {
    let mut values = vec![last];
    for pair in plies.windows(2).rev() {
        let [parents, later] = pair else { continue };
        let later_values = values.last().map_or(&[][..], Vec::as_slice);
        let value = |position: &Position| value_from_children(position, later, later_values);
        values.push(parents.par_iter().map(value).collect());
    }
    values.reverse();
    values
}

fn value_from_children(position: &Position, later: &[Position], values: &[Value]) -> Value {
    let value_after = |child| later.binary_search(&child).ok().map(|place| -values[place]);
    let best = children(position).filter_map(value_after).max();
    match best {
        None => position.score() * STEPS_PER_DISC,
        // The children are those of the other side's moves.
        Some(best) if position.moves() == 0 => -best,
        Some(best) => best,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Squares;
    use crate::openings::enumerate;
    use crate::progress::Silent;

    /// Something to be worth that has nothing to do with the position's children.
    fn made_up(position: &Position) -> Value {
        let canonical = position.canonical();
        let mixed = canonical.player().wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ canonical.opponent();
        (mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 53) as Value - 1024
    }

    /// Plain negamax down to a ply, without sharing anything.
    fn by_brute_force(position: &Position, ply: u32) -> Value {
        if position.is_over() {
            return position.score() * STEPS_PER_DISC;
        }
        if position.ply() == ply {
            return made_up(position);
        }
        if position.moves() == 0 {
            return -by_brute_force(&position.pass(), ply);
        }
        let moves = Squares(position.moves());
        let value = |q| -by_brute_force(&position.after(q, position.flips(q)), ply);
        moves.map(value).max().unwrap_or(Value::MIN)
    }

    fn last_ply(position: &Position) -> Value {
        by_brute_force(position, position.ply())
    }

    #[test]
    fn values_are_those_of_a_search_of_the_whole_tree() {
        let plies = enumerate(7, &Silent);
        let last = plies[7].iter().map(last_ply).collect();
        let values = negamax_back(&plies, last);
        for ply in 0..=7 {
            for (position, &value) in plies[ply].iter().zip(&values[ply]) {
                assert_eq!(value, by_brute_force(position, 7), "{position:?}");
            }
        }
    }

    /// The first passes are at ply 8, the first games that end at ply 9.
    #[test]
    fn passes_and_finished_games_are_negamaxed_back() {
        let plies = enumerate(9, &Silent);
        let last = plies[9].par_iter().map(last_ply).collect();
        let values = negamax_back(&plies, last);
        let must_pass = |p: &Position| p.moves() == 0 && !p.is_over();
        assert!(plies[8].iter().any(must_pass));
        for (position, &value) in plies[8].iter().zip(&values[8]) {
            assert_eq!(value, by_brute_force(position, 9), "{position:?}");
        }
        assert_eq!(values[0][0], by_brute_force(&Position::START, 9));
    }
}
