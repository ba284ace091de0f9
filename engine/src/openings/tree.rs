use std::collections::HashSet;

use super::ply::mover;
use crate::board::transcript::Replay;
use crate::board::{Position, Square, Squares};

/// A tree of moves: one path leads to each unfinished opening of [`enumerate`](super::enumerate()).
#[derive(Clone, Debug)]
pub struct OpeningTree {
    plies: Vec<Vec<Node>>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    square: Square,
}

impl OpeningTree {
    /// Builds the tree of openings of 0, 1, …, `plies` moves.
    pub fn new(plies: usize) -> Self {
        let mut tree = Self { plies: vec![vec![]] };
        let mut movers = vec![Position::START];
        for _ in 0..plies {
            movers = tree.add_ply(&movers);
        }
        tree
    }

    /// Adds the ply after `parents`. Returns its positions, with any forced pass already made.
    fn add_ply(&mut self, parents: &[Position]) -> Vec<Position> {
        let (mut seen, mut nodes, mut movers) = (HashSet::new(), vec![], vec![]);
        for (parent, position) in (0..).zip(parents) {
            for square in Squares(position.moves()) {
                let child = position.after(square, position.flips(square));
                if !child.is_over() && seen.insert(child.canonical()) {
                    nodes.push(Node { parent, square });
                    movers.push(mover(&child));
                }
            }
        }
        self.plies.push(nodes);
        movers
    }

    /// Returns the number of openings with `ply` moves; 0 beyond the last ply of the tree.
    pub fn count(&self, ply: usize) -> usize {
        if ply == 0 { 1 } else { self.plies.get(ply).map_or(0, Vec::len) }
    }

    /// Returns the game of `ply` moves that leads to the opening of index `number` in this ply.
    ///
    /// # Panics
    /// If `number` is not less than [`Self::count`].
    pub fn replay(&self, ply: usize, number: usize) -> Replay {
        let (mut squares, mut number) = (vec![], number);
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

    #[test]
    fn ways_lead_to_all_openings_and_to_nothing_else() {
        let tree = OpeningTree::new(7);
        let found = enumerate(7, &Silent);
        for (ply, openings) in found.into_iter().enumerate() {
            let openings: BTreeSet<_> =
                openings.into_iter().map(|opening| mover(&opening).canonical()).collect();
            let reached: BTreeSet<_> = (0..tree.count(ply))
                .map(|number| tree.replay(ply, number))
                .inspect(|game| assert_eq!(game.steps.len(), ply))
                .map(|game| game.end.canonical())
                .collect();
            assert_eq!(reached, openings, "ply {ply}");
        }
        assert_eq!(tree.count(8), 0);
    }

    /// 36 of the 434,029 published openings of 9 plies are finished games: the tree omits them.
    #[test]
    fn finished_games_are_left_out() {
        assert_eq!(OpeningTree::new(9).count(9), 434_029 - 36);
    }
}
