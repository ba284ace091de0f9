//! Enumerates the positions of each ply, unique up to symmetry, from those of the ply before.

use rayon::prelude::*;

use crate::board::{Position, Squares};
use crate::progress::Progress;

/// A generator of the next ply's positions in ascending order. The `splitters` divide the sorted
/// list into parts that fit into a core's cache (sample sort). Each of the `passes` over the
/// `parents` computes all their children, but keeps only as many parts as fit into memory. Sorting
/// all positions of ply 11 in one piece took 1.5 times as long, and twice the memory.
struct NextPly<'a> {
    parents: &'a [Position],
    /// The first position of each part of the next ply's sorted list, except of the first part.
    splitters: Vec<Position>,
    passes: usize,
    progress: &'a dyn Progress,
}

struct SortedChildren {
    positions: Box<[Position]>,
    /// The start of each part in `positions`, followed by `positions.len()`.
    starts: Vec<u32>,
}

/// The number of parents whose children are sorted together. The children fit into a core's cache.
const PARENTS_IN_RUN: usize = 4096;

/// The average number of positions in a part of a ply, duplicates included. A part takes 2 MiB.
const POSITIONS_IN_PART: usize = 1 << 17;

const SAMPLES_IN_PART: usize = 64;

impl<'a> NextPly<'a> {
    /// Plans so many passes over `parents` that the children that each pass keeps fit into `memory`
    /// bytes.
    fn new(parents: &'a [Position], memory: usize, progress: &'a dyn Progress) -> Self {
        let moves = |parent| mover(parent).moves().count_ones() as usize;
        let children: usize = parents.par_iter().map(moves).sum();
        let splitters = splitters(parents, children.div_ceil(POSITIONS_IN_PART));
        let passes = (children * size_of::<Position>()).div_ceil(memory);
        let passes = passes.clamp(1, splitters.len() + 1);
        Self { parents, splitters, passes, progress }
    }

    /// Calls `take` once for each pass, with the parts of the next ply that the pass has computed.
    /// Over all calls, the positions are in ascending order.
    fn for_each(&self, mut take: impl FnMut(Vec<Vec<Position>>)) {
        let parts = self.splitters.len() + 1;
        for pass in 0..self.passes {
            let (first, end) = (parts * pass / self.passes, parts * (pass + 1) / self.passes);
            let runs = self.runs(first, end);
            let parts = (0..end - first).into_par_iter().map(|part| put_together(&runs, part));
            take(parts.collect());
        }
    }

    fn runs(&self, first: usize, end: usize) -> Vec<SortedChildren> {
        let lowest = first.checked_sub(1).map(|before| self.splitters[before]);
        let beyond = self.splitters.get(end - 1).copied();
        let inner = self.splitters.get(first..end - 1).unwrap_or(&[]);
        let wanted = |child: &Position| {
            lowest.is_none_or(|lowest| *child >= lowest) && beyond.is_none_or(|end| *child < end)
        };
        let run = |found: &mut Vec<Position>, parents: &[Position]| {
            found.clear();
            found.extend(parents.iter().flat_map(children).filter(wanted));
            found.sort_unstable();
            found.dedup();
            self.progress.advance(parents.len() as u64);
            SortedChildren::cut(found, inner)
        };
        self.parents.par_chunks(PARENTS_IN_RUN).map_init(Vec::new, run).collect()
    }
}

impl SortedChildren {
    fn cut(positions: &[Position], splitters: &[Position]) -> Self {
        let cut = |splitter: &Position| positions.partition_point(|p| p < splitter) as u32;
        let cuts = splitters.iter().map(cut);
        let starts = [0].into_iter().chain(cuts).chain([positions.len() as u32]).collect();
        Self { positions: positions.into(), starts }
    }

    fn part(&self, part: usize) -> &[Position] {
        &self.positions[self.starts[part] as usize..self.starts[part + 1] as usize]
    }
}

fn put_together(runs: &[SortedChildren], part: usize) -> Vec<Position> {
    let mut positions = Vec::with_capacity(runs.iter().map(|run| run.part(part).len()).sum());
    runs.iter().for_each(|run| positions.extend_from_slice(run.part(part)));
    positions.sort_unstable();
    positions.dedup();
    positions.shrink_to_fit();
    positions
}

fn splitters(parents: &[Position], parts: usize) -> Vec<Position> {
    let step = (parents.len() / (parts * SAMPLES_IN_PART)).max(1);
    let sampled = parents.iter().step_by(step).flat_map(children);
    let mut sample: Vec<Position> = sampled.map(|child| child.canonical()).collect();
    sample.par_sort_unstable();
    let splitter = |part| sample[sample.len() * part / parts];
    let mut splitters: Vec<Position> = (1..parts).map(splitter).collect();
    splitters.dedup();
    splitters
}

fn children(position: &Position) -> impl Iterator<Item = Position> {
    let mover = mover(position);
    Squares(mover.moves()).map(move |q| mover.after(q, mover.flips(q)).canonical())
}

pub(super) fn mover(position: &Position) -> Position {
    if position.moves() == 0 { position.pass() } else { *position }
}

/// The greatest ply for [`count`], which never has all 137,642,461 positions of ply 12 in memory.
pub const MAX_PLIES: u32 = 12;

/// The greatest ply whose openings can be written: its 19,786,627 positions take 317 MB of memory.
pub const MAX_PLIES_HELD: u32 = 11;

const MAX_CHILDREN_BYTES: usize = 1 << 30;

/// Returns the positions of each ply from 0 to `plies`, canonical (unique up to symmetry) and in
/// ascending order. The player of a position is the opponent of the side that moved last, even if
/// this player must pass. Finished games are included, as in the published counts.
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

/// Counts the positions of each ply that [`enumerate`] returns, without storing the last ply.
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
    let next = NextPly::new(parents, MAX_CHILDREN_BYTES, progress);
    let work = parents.len() * next.passes;
    progress.begin(&format!("openings of ply {ply} (parents)"), 0, work as u64);
    next
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::openings::enumerate;
    use crate::progress::Silent;

    #[test]
    fn every_number_of_passes_finds_what_a_set_of_all_children_holds() {
        let parents = enumerate(8, &Silent).pop().unwrap();
        let all: BTreeSet<Position> = parents.iter().flat_map(children).collect();
        for memory in [1 << 30, 8 << 20, 2 << 20, 1] {
            let next = NextPly::new(&parents, memory, &Silent);
            let mut found = vec![];
            next.for_each(|parts| found.extend(parts.concat()));
            assert!(found.iter().eq(&all), "{} passes", next.passes);
        }
    }

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
