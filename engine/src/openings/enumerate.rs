//! The enumeration of all positions of each ply that are unique up to symmetry.

use super::ply::NextPly;
use crate::board::Position;
use crate::progress::Progress;

/// The greatest ply for [`count`]. Its 137,642,461 positions are never in memory all at once.
pub const MAX_PLIES: u32 = 12;

/// The greatest ply whose openings can be written: its 19,786,627 positions take 317 MB of memory.
pub const MAX_PLIES_HELD: u32 = 11;

/// The memory limit, in bytes, for the children that one loop over a ply's positions generates.
const MEMORY: usize = 1 << 30;

/// Returns all positions, unique up to symmetry, after 0, 1, …, `plies` moves: one list for each
/// number of moves. The positions of a list are in canonical form and in ascending order.
///
/// The player of a position is the opponent of the side that moved last, even if that player must
/// pass. A finished game is counted at its ply and has no successors, as in the published counts.
pub fn enumerate(plies: u32, progress: &dyn Progress) -> Vec<Vec<Position>> {
    let mut found = vec![vec![Position::START.canonical()]];
    for ply in 1..=plies {
        let mut positions = vec![];
        next_ply(ply, &found, progress)
            .for_each(|parts| parts.iter().for_each(|part| positions.extend_from_slice(part)));
        found.push(positions);
    }
    found
}

/// Returns the number of positions of each ply in [`enumerate`], without storing the last ply.
pub fn count(plies: u32, progress: &dyn Progress) -> Vec<usize> {
    let Some(before_last) = plies.checked_sub(1) else { return vec![1] };
    let found = enumerate(before_last, progress);
    let mut last = 0;
    next_ply(plies, &found, progress)
        .for_each(|parts| last += parts.iter().map(Vec::len).sum::<usize>());
    found.iter().map(Vec::len).chain([last]).collect()
}

fn next_ply<'a>(ply: u32, found: &'a [Vec<Position>], progress: &'a dyn Progress) -> NextPly<'a> {
    let parents = found.last().map_or(&[][..], Vec::as_slice);
    let next = NextPly::new(parents, MEMORY, progress);
    progress.begin(&format!("openings of ply {ply} (parents)"), 0, next.work());
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn unique_positions_are_as_many_as_published() {
        let published = [1, 1, 3, 14, 60, 322, 1773, 10_649, 67_245, 434_029];
        let found: Vec<usize> = enumerate(9, &Silent).iter().map(Vec::len).collect();
        assert_eq!(found, published);
        for plies in 0..=9 {
            assert_eq!(count(plies, &Silent), published[..=plies as usize]);
        }
    }
}
