//! Reads only the training counts of a weights file, for programs that use expanded tables.

use std::path::Path;

use super::by_class::ByClass;
use super::reading::{ReadSections, WeightsError, missing};
use super::rows::Rows;
use crate::board::Phase;
use crate::file::{Kind, Provenance, Reader};
use crate::pattern::PatternSet;

/// The number of occurrences of each parameter in the training positions of each phase.
#[derive(Clone, Debug)]
pub struct Counts(pub(super) Rows<u32>);

impl Counts {
    /// Reads the counts of all phases from `bytes`: a weights file for the pattern set `set`, from
    /// which all other sections were omitted. Also returns the provenance.
    pub fn read_part(
        name: &Path,
        bytes: Vec<u8>,
        set: &PatternSet,
    ) -> Result<(Self, Provenance), WeightsError> {
        let mut reader = Reader::of_bytes(name, bytes, Kind::Weights)?.of_part();
        let mut parts = ReadSections::<ByClass>::of(set.clone(), true);
        parts.take_all(&mut reader)?;
        parts.all_counts_came().map_err(|section| missing(name, section))?;
        Ok((Self(parts.counts), reader.provenance().clone()))
    }

    /// Returns the number of occurrences of each parameter in the training positions of a phase.
    pub fn of(&self, phase: Phase) -> &[u32] {
        self.0.row(phase)
    }
}
