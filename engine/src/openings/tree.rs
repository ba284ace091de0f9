//! Every opening of a few plies with moves that lead to it.

use std::collections::HashSet;

use crate::board::transcript::Replay;
use crate::board::{Position, Square, Squares};

/// The openings that [`enumerate`](super::enumerate) finds, but for finished games, each with one
/// of the ways to it.
#[derive(Clone, Debug)]
pub struct OpeningTree {
    /// By ply.
    plies: Vec<Vec<Node>>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Which opening of the ply before.
    parent: u32,
    /// The move played there.
    square: Square,
}

impl OpeningTree {
    /// The openings of 0, 1, …, `plies` moves.
    pub fn new(plies: usize) -> Self {
        let mut tree = Self { plies: vec![vec![]] };
        let mut movers = vec![Position::START];
        for _ in 0..plies {
            movers = tree.add_ply(&movers);
        }
        tree
    }

    /// Adds the children of the last ply's openings, given with the side to move as the player,
    /// and returns theirs.
    fn add_ply(&mut self, parents: &[Position]) -> Vec<Position> {
        let (mut seen, mut nodes, mut movers) = (HashSet::new(), vec![], vec![]);
        for (parent, position) in (0..).zip(parents) {
            for square in Squares(position.moves()) {
                let child = position.after(square, position.flips(square));
                if !child.is_over() && seen.insert(child.canonical()) {
                    nodes.push(Node { parent, square });
                    movers.push(if child.moves() == 0 { child.pass() } else { child });
                }
            }
        }
        self.plies.push(nodes);
        movers
    }

    /// How many openings of `ply` moves there are; none beyond the last ply. Of no moves there is
    /// one.
    pub fn count(&self, ply: usize) -> usize {
        if ply == 0 { 1 } else { self.plies.get(ply).map_or(0, Vec::len) }
    }

    /// The game that leads to opening `number` of `ply` moves.
    ///
    /// # Panics
    ///
    /// Where `number` is not less than [`Self::count`].
    pub fn replay(&self, ply: usize, number: usize) -> Replay {
        let mut squares = vec![];
        let mut number = number;
        for ply in (1..=ply).rev() {
            let Node { parent, square } = self.plies[ply][number];
            squares.push(square);
            number = parent as usize;
        }
        squares.reverse();
        Replay::from_start(&squares).expect("a way of legal moves")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::openings::enumerate;
    use crate::progress::Silent;

    /// Seen by the side to move, as the end of a game is.
    fn mover(position: Position) -> Position {
        if position.moves() == 0 { position.pass() } else { position }
    }

    #[test]
    fn ways_lead_to_all_openings_and_to_nothing_else() {
        let tree = OpeningTree::new(7);
        let found = enumerate(7, &Silent);
        for (ply, openings) in found.into_iter().enumerate() {
            let openings: BTreeSet<_> =
                openings.into_iter().map(|opening| mover(opening).canonical()).collect();
            let reached: BTreeSet<_> = (0..tree.count(ply))
                .map(|number| tree.replay(ply, number))
                .inspect(|game| assert_eq!(game.steps.len(), ply))
                .map(|game| game.end.canonical())
                .collect();
            assert_eq!(reached, openings, "ply {ply}");
        }
        assert_eq!(tree.count(8), 0);
    }

    /// 434,029 as published, 36 of which are finished games.
    #[test]
    fn finished_games_are_left_out() {
        assert_eq!(OpeningTree::new(9).count(9), 434_029 - 36);
    }
}
