//! The units of work of a fit, phases or groups of them, and their division among machines.

use std::ops::{Deref, RangeInclusive};

use othello_engine::board::Phase;
use othello_engine::record::Shard;

use super::window::Window;
use crate::model::Model;

/// The units of a fit: phases that are fitted together, in ascending order. A unit is a group that
/// shares factors, or a single phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Units(Vec<Vec<Phase>>);

/// The error of more shards than units.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "shard {shard}: the phases from {first} to {last} can be shared by {units} machines at most; make \
     N in --shard I/N no larger"
)]
pub struct UnitsError {
    shard: Shard,
    first: Phase,
    last: Phase,
    units: usize,
}

impl Units {
    /// Returns the units of all phases.
    pub(super) fn all(model: &Model) -> Self {
        Self::among(model, &Phase::all().collect::<Vec<_>>())
    }

    /// Returns the units of a range of phases, or of a shard's part of them. A shard's phases
    /// follow each other, so that few other phases are in their windows.
    pub fn of(
        model: &Model,
        phases: &RangeInclusive<Phase>,
        shard: Option<Shard>,
    ) -> Result<Self, UnitsError> {
        let wanted: Vec<Phase> = Phase::all().filter(|phase| phases.contains(phase)).collect();
        let Self(mut units) = Self::among(model, &wanted);
        if let Some(shard) = shard {
            let (count, own) = (units.len(), shard.frames(units.len() as u64));
            if shard.count() > count as u64 {
                let (first, last) = (*phases.start(), *phases.end());
                return Err(UnitsError { shard, first, last, units: count });
            }
            // Both ends are at most the number of units.
            units = units.drain(own.start as usize..own.end as usize).collect();
        }
        Ok(Self(units))
    }

    fn among(model: &Model, wanted: &[Phase]) -> Self {
        let unit = |phase: &Phase| match model.set().factors() {
            None => phase.index(),
            Some(shape) => shape.group(*phase),
        };
        let units = wanted.chunk_by(|one, other| unit(one) == unit(other));
        Self(units.map(<[Phase]>::to_vec).collect())
    }

    /// Returns all phases of the units.
    pub fn phases(&self) -> Vec<Phase> {
        self.0.concat()
    }

    /// Returns the phases whose positions the fit reads: its own, and those of their windows.
    pub fn phases_read(&self, window: &Window) -> Vec<Phase> {
        let own = self.phases();
        window.phases_read(|phase| own.contains(&phase))
    }

    pub(super) fn into_inner(self) -> Vec<Vec<Phase>> {
        self.0
    }
}

impl Deref for Units {
    type Target = [Vec<Phase>];

    fn deref(&self) -> &[Vec<Phase>] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use othello_engine::pattern::PatternSet;

    use super::*;

    fn phase(index: usize) -> Phase {
        Phase::new(index).unwrap()
    }

    fn indices(phases: &[Phase]) -> Vec<usize> {
        phases.iter().map(|phase| phase.index()).collect()
    }

    #[test]
    fn shards_take_all_phases_once_and_split_no_group() {
        for set in ["small", "factors"] {
            let model = Model::new(PatternSet::shipped(set).unwrap());
            let all = Units::all(&model);
            for count in [1, 2, 5, all.len()] {
                let mut units = vec![];
                for number in 1..=count {
                    let shard = format!("{number}/{count}").parse().unwrap();
                    let own = Units::of(&model, &(phase(0)..=phase(59)), Some(shard)).unwrap();
                    units.extend(own.into_inner());
                }
                assert_eq!(units, all.0, "{set} {count}");
            }
            let shard = Some(format!("1/{}", all.len() + 1).parse().unwrap());
            let error = Units::of(&model, &(phase(0)..=phase(59)), shard).unwrap_err().to_string();
            assert!(error.contains(&format!("by {} machines", all.len())), "{error}");
        }
    }

    #[test]
    fn a_shard_reads_its_phases_and_their_windows() {
        let model = Model::new(PatternSet::shipped("small").unwrap());
        let shard = Some("3/6".parse().unwrap());
        let units = Units::of(&model, &(phase(0)..=phase(59)), shard).unwrap();
        assert_eq!(indices(&units.phases()), Vec::from_iter(20..30));
        let window = "0,1".parse().unwrap();
        let read = [vec![18, 19], Vec::from_iter(20..30), vec![30, 31]].concat();
        assert_eq!(indices(&units.phases_read(&window)), read);
    }
}
