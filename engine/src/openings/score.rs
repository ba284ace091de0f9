//! The values of all openings, computed by negamax from the values of the last ply.

use rayon::prelude::*;

use super::ply::mover;
use crate::board::{Position, Squares};
use crate::eval::Value;

/// Returns the positions of a ply that need a value, canonical and in ascending order. Omits
/// finished games. If the player must pass, the list has the position after the pass instead.
pub fn movers(positions: &[Position]) -> Vec<Position> {
    let to_mover = |position: &Position| {
        let mover = mover(position);
        (mover.moves() != 0).then(|| mover.canonical())
    };
    let mut movers: Vec<Position> = positions.par_iter().filter_map(to_mover).collect();
    movers.par_sort_unstable();
    // A position after a pass may be in the list a second time, reached by moves.
    movers.dedup();
    movers
}

/// Returns a list for each ply with the values of its positions, for the player. `last` has the
/// values of the last ply; negamax computes the others. `plies` has the result of [`movers`] for
/// each ply. `None` if `last` has a wrong length, or if `plies` lacks a position after a move.
pub fn negamax_back(plies: &[Vec<Position>], last: Vec<Value>) -> Option<Vec<Vec<Value>>> {
    if plies.last()?.len() != last.len() {
        return None;
    }
    let mut values = vec![last];
    for ply in (1..plies.len()).rev() {
        let (positions, later) = (&plies[ply], values.last()?);
        let look_up = |position: &Position| {
            positions.binary_search(&position.canonical()).ok().map(|place| later[place])
        };
        let best_of_moves = |position: &Position| {
            let value = |q| Some(-value_by(&position.after(q, position.flips(q)), look_up)?);
            let values: Option<Vec<Value>> = Squares(position.moves()).map(value).collect();
            values?.into_iter().max()
        };
        let best = plies[ply - 1].par_iter().map(best_of_moves);
        values.push(best.collect::<Option<_>>()?);
    }
    values.reverse();
    Some(values)
}

pub(super) fn value_by(
    position: &Position,
    look_up: impl Fn(&Position) -> Option<Value>,
) -> Option<Value> {
    if position.moves() != 0 {
        return look_up(position);
    }
    if position.is_over() {
        return Some(Value::from_score(position.score()));
    }
    Some(-look_up(&position.pass())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::enumerate;
    use crate::progress::Silent;

    fn made_up(position: &Position) -> Value {
        let canonical = position.canonical();
        let mixed = canonical.player().wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ canonical.opponent();
        Value::clamped((mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 53) as i32 - 1024)
    }

    fn by_brute_force(position: &Position, ply: u32) -> Value {
        let moves = position.moves();
        if position.is_over() {
            Value::from_score(position.score())
        } else if moves == 0 {
            -by_brute_force(&position.pass(), ply)
        } else if position.ply() == ply {
            made_up(position)
        } else {
            let value = |q| -by_brute_force(&position.after(q, position.flips(q)), ply);
            Squares(moves).map(value).max().unwrap_or(Value::MIN)
        }
    }

    fn scored(ply: u32) -> (Vec<Vec<Position>>, Vec<Vec<Value>>) {
        let plies: Vec<_> = enumerate(ply, &Silent).iter().map(|ply| movers(ply)).collect();
        let last = plies[ply as usize].iter().map(made_up).collect();
        let values = negamax_back(&plies, last).unwrap();
        (plies, values)
    }

    /// Tests 9 plies, because passes first occur at ply 8, and finished games at ply 9.
    #[test]
    fn passes_and_finished_games_are_negamaxed_back() {
        let unique = enumerate(9, &Silent);
        assert!(unique[8].iter().any(|position| position.moves() == 0));
        let (plies, values) = scored(9);
        for (position, &value) in plies[4..9].iter().flatten().zip(values[4..].iter().flatten()) {
            assert_eq!(value, by_brute_force(position, 9), "{position:?}");
        }
        assert_eq!(values[0][0], by_brute_force(&Position::START, 9));
    }

    #[test]
    fn movers_can_move_and_are_sorted() {
        let unique = enumerate(9, &Silent);
        let movers = movers(&unique[9]);
        assert_eq!(movers.len(), unique[9].len() - 36);
        assert!(movers.is_sorted());
        assert!(movers.iter().all(|p| p.moves() != 0 && *p == p.canonical()));
    }

    #[test]
    fn plies_that_do_not_belong_together_are_refused() {
        let (mut plies, mut values) = scored(3);
        assert!(negamax_back(&plies, vec![Value::ZERO]).is_none());
        plies[3].remove(0);
        values[3].remove(0);
        assert!(negamax_back(&plies, values.remove(3)).is_none());
    }
}
