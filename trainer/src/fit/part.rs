//! The part of a fit that one shard makes: its fitted phases, as a checkpoint has them, in a complete
//! file.

use std::path::Path;

use othello_engine::eval::Factors;
use othello_engine::file::{FileError, Kind, Reader, Section, Summary, Writer};
use othello_engine::progress::Progress;
use othello_engine::text::excerpt;

use super::assembly::Assembly;
use super::checkpoint::{Found, sections_of};
use crate::model::Model;

/// Writes all phases that are fitted, and their factors before them. What a killed run left of the
/// part is compared with them.
pub(super) fn write(
    mut writer: Writer,
    fitted: &Assembly,
    progress: &dyn Progress,
) -> Result<Summary, FileError> {
    writer.compare_from_start();
    let mut group = None;
    for phase in fitted.phases() {
        if let Some((number, factors)) = fitted.factors(phase.report.phase)
            && group.replace(number) != Some(number)
        {
            let Section { name, content } = Factors::section_of(number, factors);
            writer.section(&name, &content)?;
        }
        for Section { name, content } in sections_of(&phase) {
            writer.section(&name, &content)?;
        }
    }
    progress.warn(writer.end_comparison()?);
    writer.finish()
}

/// The largest content of a section that holds text: a report, or metrics of a hundred thousand epochs.
const LONGEST_TEXT: usize = 16 << 20;
/// The most sections: four for each phase, and the factors of as many groups.
const MOST_SECTIONS: usize = 300;

/// Reads the phases of a part.
pub(super) fn read(path: &Path, model: &Model) -> Result<Found, FileError> {
    let mut reader = Reader::open(path, Kind::Checkpoint)?;
    let factors = model.set().factors().map_or(0, |shape| shape.dimensions());
    let longest = (model.parameters() * factors.max(size_of::<u32>())).max(LONGEST_TEXT);
    let mut sections = vec![];
    while let Some(section) = reader.next().transpose()? {
        if section.content.len() > longest || sections.len() == MOST_SECTIONS {
            return Err(reader.meaningless("is none of a part of a fit".to_owned()));
        }
        sections.push(section);
    }
    Found::among(&sections, model).map_err(|section| {
        reader.meaningless(format!("ends a file whose `{}` is no part of a fit", excerpt(section)))
    })
}
