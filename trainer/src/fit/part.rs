//! The part of a fit that one shard makes: a complete file of its fitted phases, with the sections
//! of a checkpoint.

use std::path::Path;

use othello_engine::eval::Factors;
use othello_engine::file::{FileError, Kind, Reader, Section, Summary, Writer};
use othello_engine::progress::Progress;
use othello_engine::text::excerpt;

use super::assembly::Assembly;
use super::checkpoint::{FinishedPhases, sections_of};
use crate::model::Model;

/// Writes all fitted phases, with their factors before them. Compares them with the sections that a
/// killed run left.
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

/// The largest section of text, in bytes: a report, or the metrics of a hundred thousand epochs.
const LONGEST_TEXT: usize = 16 << 20;
/// The largest number of sections: four for each phase, and one for the factors of each group.
const MOST_SECTIONS: usize = 300;

/// Reads the phases of a part.
pub(super) fn read(path: &Path, model: &Model) -> Result<FinishedPhases, FileError> {
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
    FinishedPhases::among(&sections, model).map_err(|section| {
        reader.meaningless(format!("ends a file whose `{}` is no part of a fit", excerpt(section)))
    })
}
