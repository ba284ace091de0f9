//! Unique positions ply by ply.

use rayon::prelude::*;

use crate::board::{Position, Squares};
use crate::progress::Progress;

/// The last ply that fits into an ordinary machine's memory: 19,786,627 positions, about 1 GB
/// while they are being sorted. The next one has seven times as many.
pub const MAX_PLIES: u32 = 11;

/// The unique positions, up to the eight symmetries, after 0, 1, …, `plies` moves: for every ply
/// its canonical positions in ascending order.
///
/// A position is seen by the side that did not just move, even where that side must pass; a game
/// that ends at a ply is counted there and not carried on. This is how the published counts are
/// made.
pub fn enumerate(plies: u32, progress: &dyn Progress) -> Vec<Vec<Position>> {
    let mut found = vec![vec![Position::START.canonical()]];
    for ply in 1..=plies {
        let parents = found.last().map_or(&[][..], Vec::as_slice);
        progress.begin(&format!("openings, ply {ply}"), 0, parents.len() as u64);
        let positions = next_ply(parents, progress);
        found.push(positions);
    }
    found
}

fn next_ply(parents: &[Position], progress: &dyn Progress) -> Vec<Position> {
    const PARENTS_AT_ONCE: usize = 4096;
    let expand = |parents: &[Position]| {
        let mut found: Vec<Position> = parents.iter().flat_map(children).collect();
        // Neighbouring parents share children: what goes early is not moved about later.
        found.sort_unstable();
        found.dedup();
        progress.advance(parents.len() as u64);
        found
    };
    let runs: Vec<Vec<Position>> = parents.par_chunks(PARENTS_AT_ONCE).map(expand).collect();
    let mut positions = runs.concat();
    drop(runs);
    positions.par_sort_unstable();
    positions.dedup();
    positions.shrink_to_fit();
    positions
}

/// The canonical forms of the positions one disc later, seen by the side that did not move, in no
/// order and with duplicates. Where the player must pass, the other side's moves count; a finished
/// game has no children.
fn children(position: &Position) -> impl Iterator<Item = Position> {
    let mover = if position.moves() == 0 { position.pass() } else { *position };
    Squares(mover.moves()).map(move |q| mover.after(q, mover.flips(q)).canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn unique_positions_are_as_many_as_published() {
        let found: Vec<usize> = enumerate(9, &Silent).iter().map(Vec::len).collect();
        assert_eq!(found, [1, 1, 3, 14, 60, 322, 1773, 10_649, 67_245, 434_029]);
    }

    /// Games that end at ply 9 are counted there: 36, as published.
    #[test]
    fn games_that_end_are_counted_and_not_carried_on() {
        let found = enumerate(9, &Silent);
        let over = |positions: &[Position]| positions.iter().filter(|p| p.is_over()).count();
        assert!(found[..9].iter().all(|positions| over(positions) == 0));
        assert_eq!(over(&found[9]), 36);
    }
}
