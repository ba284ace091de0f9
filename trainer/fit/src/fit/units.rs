//! The units of work of a fit (phases or groups of phases), and their division among machines.

use std::ops::RangeInclusive;

use othello_engine::board::Phase;
use othello_engine::pattern::PatternSet;
use othello_engine::run::Shard;

use super::window::Window;

/// The units of a fit: groups of phases that share factors, or single phases, in order.
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Deref)]
pub struct Units(Vec<Vec<Phase>>);

impl Units {
    /// Returns the units of a range of phases.
    pub fn of(set: &PatternSet, phases: &RangeInclusive<Phase>) -> Self {
        let unit = |phase: &Phase| match set.factors() {
            None => phase.index(),
            Some(shape) => shape.group(*phase),
        };
        let phases: Vec<Phase> = Phase::all().filter(|phase| phases.contains(phase)).collect();
        let units = phases.chunk_by(|one, other| unit(one) == unit(other));
        Self(units.map(<[Phase]>::to_vec).collect())
    }

    /// Returns all phases of the units.
    pub fn phases(&self) -> Vec<Phase> {
        self.0.concat()
    }

    /// Returns the phases that a shard reads: those of its units in the fits with and without
    /// factors, and those in their windows.
    pub fn phases_read(&self, shard: Shard, window: &Window) -> Vec<Phase> {
        let of_shard = |number: &usize| shard.makes(*number as u64);
        let own = (0..self.0.len()).filter(of_shard).flat_map(|number| self.0[number].clone());
        let phases = self.phases();
        let single = (0..phases.len()).filter(of_shard).map(|number| phases[number]);
        let own: Vec<Phase> = own.chain(single).collect();
        window.phases_read(|phase| own.contains(&phase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Phases;

    #[test]
    fn a_shard_reads_its_units_and_their_windows() {
        let window: Window = "0,1".parse().unwrap();
        let read = |set: &str, phases: &str, shard: &str| -> Vec<usize> {
            let phases: Phases = phases.parse().unwrap();
            let units = Units::of(&PatternSet::shipped(set).unwrap(), &phases.0);
            let read = units.phases_read(shard.parse().unwrap(), &window);
            read.into_iter().map(Phase::index).collect()
        };
        assert_eq!(read("small", "20..30", "2/6"), [19, 21, 23, 25, 27, 29]);
        assert_eq!(read("small", "20..21", "1/1"), [18, 19, 20, 21, 22, 23]);
        // The second group, and the second phase without factors.
        let both = [19, 21, 23].into_iter().chain(28..=41).collect::<Vec<_>>();
        assert_eq!(read("factors", "20..59", "2/40"), both);
    }
}
