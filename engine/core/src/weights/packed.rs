use std::path::Path;

use super::by_class::Result;
use super::layout::{Block, Expansion, TableLayout};
use super::reading::{ReadSections, missing, pattern_set, unusable};
use super::{Factors, Models, MoveOrderingWeights, PhaseSection, Weights};
use crate::file::{Kind, Provenance, Reader, Section, SectionPlace, Summary, Writer};
use crate::pattern::{Geometry, PatternSet};

/// A weights file in memory whose blocks of consecutive phases are expanded to tables one by one.
///
/// The file has no training counts. Its sections are ordered by block: the weights of the block's
/// first phase, then the changes of the weights from phase to phase, then the factors of the block.
/// [`Weights::read_without_counts`] can also read this file.
#[derive(Debug)]
pub struct PackedWeights {
    /// The pattern set of the weights.
    pub set: PatternSet,
    /// The pattern instances and the classes of symmetric configurations of the pattern set.
    pub geometry: Geometry,
    /// The weights of the move-ordering evaluation; `None` if the file has none.
    pub ordering: Option<MoveOrderingWeights>,
    /// The models that the search uses for pruning.
    pub models: Models,
    /// The settings and inputs that determined the weights.
    pub provenance: Provenance,
    pub(super) expansion: Expansion,
    name: &'static str,
    file: &'static [u8],
    /// For each block (a range of consecutive phases), the place of its first section in the file.
    places: Vec<SectionPlace>,
}

impl PackedWeights {
    /// Reads `file`, except the weights and factors of the patterns. Errors name the path `name`.
    pub fn open(name: &'static str, file: &'static [u8]) -> Result<Self> {
        let mut reader = Reader::of_bytes(name.as_ref(), file, Kind::Weights)?;
        let mut parts = ReadSections::of(pattern_set(&mut reader)?, false);
        let mut places = vec![];
        loop {
            let place = reader.place();
            match reader.skip_section()?.as_deref() {
                None => break,
                Some(name) if name.starts_with("weights ") => places.push(place),
                Some(name) if name.starts_with("weight changes ") => {}
                Some(name) if name.starts_with("factors ") => {}
                Some(_) => {
                    reader.go_to(place)?;
                    parts.take_next(&mut reader)?;
                }
            }
        }
        let provenance = reader.provenance().clone();
        let Weights { set, geometry, ordering, models, .. } = parts.weights;
        let expansion = Expansion::new(&set, &geometry);
        if let Some(first) = expansion.layout.phases(places.len()).next() {
            return Err(missing(name.as_ref(), PhaseSection::weights_name(first)));
        }
        Ok(Self { set, geometry, ordering, models, provenance, expansion, name, file, places })
    }

    /// Decompresses the weights and factors of a block and expands them to tables, on this thread.
    pub fn expand(&self, block: usize) -> Result<Block> {
        let path: &Path = self.name.as_ref();
        let mut reader = Reader::of_bytes(path, self.file, Kind::Weights)?;
        reader.go_to(self.places[block])?;
        let (mut expanded, mut before) = (Block::default(), vec![]);
        let phases = self.expansion.layout.phases(block).len();
        for section in reader.take(phases + usize::from(self.set.factors().is_some())) {
            let section = section?;
            self.take(&section, &mut before, &mut expanded)
                .map_err(|problem| unusable(path, &section.name, problem))?;
        }
        Ok(expanded)
    }

    /// Expands a section into `block`. `before` has the weights of the phase read last, to which a
    /// section of changes refers; the weights of this section replace them.
    fn take(
        &self,
        section: &Section,
        before: &mut Vec<i16>,
        block: &mut Block,
    ) -> Result<(), String> {
        let parameters = self.geometry.parameters();
        if let Some(shape) = self.set.factors()
            && let Some((_, factors)) = Factors::read_group(shape, parameters, section)?
        {
            self.expansion.take_factors(factors, block);
        } else if let Some(PhaseSection::Weights(phase, row)) =
            PhaseSection::read(section, parameters)?
        {
            *before = row.weights(phase, |_| Some(&before[..]))?;
            self.expansion.take_steps(phase, before, block);
        }
        Ok(())
    }
}

impl Weights {
    /// Writes a weights file without training counts, from which [`PackedWeights`] can expand
    /// single blocks of phases.
    pub fn write_packed(&self, path: &Path, provenance: &Provenance) -> Result<Summary> {
        let layout = TableLayout::new(self.set(), self.geometry());
        let blocks = (0..layout.blocks()).flat_map(|block| {
            let mut before = None;
            let phases = layout.phases(block).map(move |phase| {
                let steps = self.steps(phase);
                match before.replace(steps) {
                    None => PhaseSection::of_weights(phase, steps),
                    Some(before) => PhaseSection::of_weight_changes(phase, before, steps),
                }
            });
            let factors = self.factors().map(|all| Factors::section_of(block, all.group(block)));
            phases.chain(factors)
        });
        let mut writer = Writer::create(path, Kind::Weights, provenance)?;
        writer.sections([self.set_section()])?;
        writer.sections(blocks)?;
        writer.sections(self.learned_sections())?;
        Ok(writer.finish()?)
    }
}
