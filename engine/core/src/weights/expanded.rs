//! Weights that are expanded into tables by configuration while their file is read.

use std::borrow::Cow;
use std::path::Path;

use super::layout::{self, Block, Expansion};
use super::reading::{CountsAre, ReadSections, Receiver, WeightsError, read};
use super::{Counts, Models, MoveOrderingWeights, Weights, WeightsFile};
use crate::board::Phase;
use crate::file::{Kind, Reader, sha256_of};
use crate::pattern::{Geometry, PatternSet};

/// The weights of all phases as the evaluation's tables, which are indexed by configuration.
/// Expanding the weights while a file is read saves memory and time.
#[derive(Clone, Debug)]
pub struct ExpandedWeights {
    /// The pattern set of the weights.
    pub set: PatternSet,
    /// The instances and classes of the pattern set.
    pub geometry: Geometry,
    /// The weights and factors of all phases, as [`layout::expand`] lays them out.
    pub blocks: Vec<Block>,
    /// The weights of the move-ordering evaluation; `None` if the file has none.
    pub ordering: Option<MoveOrderingWeights>,
    /// The models that the search uses for pruning.
    pub models: Models,
}

impl ExpandedWeights {
    /// Expands weights by class into tables by configuration.
    pub fn of(weights: &Weights) -> Self {
        Self {
            set: weights.set().clone(),
            geometry: weights.geometry().clone(),
            blocks: layout::expand(weights),
            ordering: weights.move_ordering().cloned(),
            models: weights.models().clone(),
        }
    }

    /// Reads and checks a weights file, as [`Weights::read`] does, but stores no training counts.
    pub fn read(path: &Path) -> Result<WeightsFile<Self>, WeightsError> {
        let (file, _) = Self::read_by(Reader::open(path, Kind::Weights)?, CountsAre::Checked)?;
        Ok(file)
    }

    /// Reads a weights file from memory, and checks every part of it as [`Weights::read`] does.
    /// Also returns the training counts of the file. Messages use `name` as the path.
    pub fn read_with_counts(
        name: &Path,
        bytes: Vec<u8>,
    ) -> Result<(WeightsFile<Self>, Counts), WeightsError> {
        let reader = Reader::of_bytes(name, bytes, Kind::Weights)?;
        Self::read_by(reader, CountsAre::Kept)
    }

    /// Reads a weights file without training counts from memory, and checks each section.
    pub fn read_without_counts(
        name: &Path,
        bytes: Vec<u8>,
    ) -> Result<WeightsFile<Self>, WeightsError> {
        let sha256 = sha256_of(&bytes);
        let reader = Reader::of_bytes(name, bytes, Kind::Weights)?;
        let (file, _) = Self::read_by(reader.of_part(), CountsAre::LeftOut)?;
        Ok(WeightsFile { sha256, ..file })
    }

    fn read_by(
        reader: Reader,
        counts: CountsAre,
    ) -> Result<(WeightsFile<Self>, Counts), WeightsError> {
        let (parts, provenance, sha256) = read::<Expanding>(reader, counts)?;
        let ReadSections { set, geometry, received, counts, ordering, models, .. } = parts;
        let weights = Self { set, geometry, blocks: received.blocks, ordering, models };
        Ok((WeightsFile { weights, provenance, sha256 }, Counts(counts)))
    }
}

pub(super) struct Expanding {
    pub(super) expansion: Expansion,
    blocks: Vec<Block>,
    /// The phase read last and its weights by class; the next section may state changes from these.
    last: Option<(Phase, Vec<i16>)>,
}

impl Receiver for Expanding {
    fn new(set: &PatternSet, geometry: &Geometry) -> Self {
        let expansion = Expansion::new(set, geometry);
        Self { blocks: expansion.no_blocks(), expansion, last: None }
    }

    fn steps(&self, phase: Phase) -> Cow<'_, [i16]> {
        match &self.last {
            Some((last, steps)) if *last == phase => Cow::Borrowed(steps),
            _ => {
                let block = &self.blocks[self.expansion.layout.block(phase)];
                Cow::Owned(self.expansion.folded(phase, block))
            }
        }
    }

    fn take_steps(&mut self, phase: Phase, steps: Vec<i16>) {
        let block = &mut self.blocks[self.expansion.layout.block(phase)];
        self.expansion.take_steps(phase, &steps, block);
        self.last = Some((phase, steps));
    }

    fn take_factors(&mut self, group: usize, factors: &[i8]) {
        self.expansion.take_factors(factors, &mut self.blocks[group]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::FactorShape;

    /// A file with only a small pattern set must not make the reader allocate a gigabyte of tables.
    #[test]
    fn tables_take_no_memory_before_a_section_comes() {
        let shape = FactorShape::new(128, 1).unwrap();
        let set = PatternSet::shipped("standard").unwrap().with_factors(Some(shape));
        let geometry = Geometry::new(&set);
        let mut expanding = Expanding::new(&set, &geometry);
        assert_eq!(expanding.blocks, vec![Block::default(); 60]);
        let phase = Phase::new(30).unwrap();
        let steps = vec![7; geometry.parameters()];
        expanding.take_steps(phase, steps.clone());
        assert_eq!(expanding.blocks[30].vectors.capacity(), 0);
        assert!(expanding.blocks[29] == Block::default());
        assert_eq!(expanding.steps(phase)[..], steps);
    }
}
