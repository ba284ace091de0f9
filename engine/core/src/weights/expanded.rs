//! Weights that are expanded into tables, which have one weight for each configuration instead of
//! each class; and the training counts beside them.

use std::path::Path;

use ndarray::Array2;

use super::layout::{self, Block};
use super::reading::{CountsAre, ReadSections, WeightsError, missing, row};
use super::{Models, MoveOrderingWeights, Weights, WeightsFile};
use crate::board::Phase;
use crate::file::{Kind, Provenance, Reader, sha256_of};
use crate::pattern::{Geometry, PatternSet};

/// The weights of all phases as the evaluation's tables, which are indexed by configuration.
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
    /// Expands weights, one for each class of configurations that are equal by symmetry, into
    /// tables with one weight for each configuration.
    pub fn of(weights: &Weights) -> Self {
        Self {
            set: weights.set().clone(),
            geometry: weights.geometry().clone(),
            blocks: layout::expand(weights),
            ordering: weights.ordering.clone(),
            models: weights.models.clone(),
        }
    }

    /// Reads and checks a weights file, as [`Weights::read`] does, but stores no training counts.
    pub fn read(path: &Path) -> Result<WeightsFile<Self>, WeightsError> {
        let reader = Reader::open(path, Kind::Weights)?;
        Ok(expanded(&Weights::read_by(reader, CountsAre::Checked)?))
    }

    /// Reads a weights file from memory, and checks every part of it as [`Weights::read`] does.
    /// Also returns the training counts of the file. Messages use `name` as the path.
    pub fn read_with_counts(
        name: &Path,
        bytes: Vec<u8>,
    ) -> Result<(WeightsFile<Self>, Counts), WeightsError> {
        let reader = Reader::of_bytes(name, bytes, Kind::Weights)?;
        let file = Weights::read_by(reader, CountsAre::Kept)?;
        Ok((expanded(&file), Counts(file.weights.counts)))
    }

    /// Reads from memory a weights file from which the training counts may be missing, and checks
    /// each section. Messages use `name` as the path.
    pub fn read_without_counts(
        name: &Path,
        bytes: Vec<u8>,
    ) -> Result<WeightsFile<Self>, WeightsError> {
        let sha256 = sha256_of(&bytes);
        let reader = Reader::of_bytes(name, bytes, Kind::Weights)?.of_part();
        Ok(WeightsFile { sha256, ..expanded(&Weights::read_by(reader, CountsAre::LeftOut)?) })
    }
}

fn expanded(file: &WeightsFile) -> WeightsFile<ExpandedWeights> {
    WeightsFile {
        weights: ExpandedWeights::of(&file.weights),
        provenance: file.provenance.clone(),
        sha256: file.sha256.clone(),
    }
}

/// The number of occurrences of each parameter in the training positions of each phase.
#[derive(Clone, Debug)]
pub struct Counts(Array2<u32>);

impl Counts {
    /// Reads, for all phases, how often each parameter occurred in training from `bytes`: a weights
    /// file for the pattern set `set` that has only the sections of these counts. Also returns its
    /// provenance. Messages use `name` as the path.
    pub fn read_part(
        name: &Path,
        bytes: Vec<u8>,
        set: &PatternSet,
    ) -> Result<(Self, Provenance), WeightsError> {
        let mut reader = Reader::of_bytes(name, bytes, Kind::Weights)?.of_part();
        let mut parts = ReadSections::of(set.clone(), true);
        parts.take_all(&mut reader)?;
        parts.all_counts_came().map_err(|section| missing(name, section))?;
        Ok((Self(parts.counts), reader.provenance().clone()))
    }

    /// Returns the number of occurrences of each parameter in the training positions of a phase.
    pub fn of(&self, phase: Phase) -> &[u32] {
        row(&self.0, phase.index())
    }
}
