//! The file of the phases that are already fitted, so that a fit resumed after a kill does not fit
//! them again.

use std::path::Path;

use othello_engine::board::Phase;
use othello_engine::eval::{Factors, PhaseRow, PhaseSection};
use othello_engine::file::{Checkpoint, Existing, Provenance, Section};
use othello_engine::text::excerpt;

use super::CheckpointError;
use crate::fit::group::FittedGroup;
use crate::fit::report::{FittedPhase, PhaseReport};
use crate::model::Model;

/// The file `WEIGHTS.checkpoint.partial`. It has four sections for each fitted phase, the report
/// last. The factors of a group that shares them precede the phases of the group.
pub(in crate::fit) struct Finished {
    checkpoint: Checkpoint,
}

/// The phases and factors that an earlier run has finished.
pub(in crate::fit) struct FinishedPhases {
    /// The phases.
    pub(in crate::fit) phases: Vec<FittedPhase>,
    /// The factors of groups of phases, each with the number of its group.
    pub(in crate::fit) factors: Vec<(usize, Vec<i8>)>,
}

impl FinishedPhases {
    /// Reads the finished phases and factors from sections.
    ///
    /// # Errors
    ///
    /// Returns the name of the first section that does not belong to this fit.
    pub(in crate::fit) fn among<'s>(
        sections: &'s [Section],
        model: &Model,
    ) -> Result<Self, &'s str> {
        let parameters = model.parameters();
        let (mut phases, mut factors) = (vec![], vec![]);
        for (last, section) in sections.iter().enumerate() {
            if let Some(shape) = model.set().factors()
                && let Some((group, vectors)) = Factors::read_group(shape, parameters, section)
                    .map_err(|_| section.name.as_str())?
            {
                factors.push((group, vectors.to_vec()));
            }
            // The report is the last section of a phase: without it the phase is incomplete and
            // skipped.
            if !section.name.starts_with(REPORT) {
                continue;
            }
            let sections = sections[..=last].last_chunk().ok_or(section.name.as_str())?;
            phases.push(read_phase(sections, parameters)?);
        }
        Ok(Self { phases, factors })
    }
}

impl Finished {
    /// Opens or creates the file for a fit that will write `weights`; also returns its content.
    pub(in crate::fit) fn open(
        weights: &Path,
        provenance: &Provenance,
        existing: Existing,
        model: &Model,
    ) -> Result<(Self, FinishedPhases), CheckpointError> {
        let (checkpoint, sections) = Checkpoint::open(weights, provenance, existing)?;
        let found = FinishedPhases::among(&sections, model).map_err(|section| {
            CheckpointError::Content {
                path: weights.with_added_extension("checkpoint.partial"),
                section: excerpt(section),
            }
        })?;
        Ok((Self { checkpoint }, found))
    }

    /// Returns a warning for the user if resuming dropped damaged data.
    pub(in crate::fit) fn warning(&self) -> Option<String> {
        self.checkpoint.warning()
    }

    /// Adds a fitted phase.
    pub(in crate::fit) fn push(&mut self, fitted: &FittedPhase) -> Result<(), CheckpointError> {
        for Section { name, content } in sections_of(fitted) {
            self.checkpoint.record(&name, &content)?;
        }
        Ok(())
    }

    /// Adds the factors of a group and then its phases. Phases without their factors count as
    /// missing.
    pub(in crate::fit) fn push_group(
        &mut self,
        fitted: &FittedGroup,
    ) -> Result<(), CheckpointError> {
        let Section { name, content } = Factors::section_of(fitted.group, &fitted.factors);
        self.checkpoint.record(&name, &content)?;
        fitted.phases.iter().try_for_each(|phase| self.push(phase))
    }

    /// Deletes the file, once the weights are written.
    pub(in crate::fit) fn remove(self) -> Result<(), CheckpointError> {
        Ok(self.checkpoint.remove()?)
    }
}

const SECTIONS: usize = 4;
const METRICS: &str = "metrics";
const REPORT: &str = "report";

/// Returns the sections of a fitted phase.
pub(in crate::fit) fn sections_of(fitted: &FittedPhase) -> [Section; SECTIONS] {
    let FittedPhase { steps, counts, report, metrics } = fitted;
    let phase = report.phase;
    // Reports and metrics are plain records of numbers.
    let metrics = serde_json::to_vec(metrics).unwrap_or_default();
    let report = serde_json::to_vec(report).unwrap_or_default();
    [
        PhaseSection::of_weights(phase, steps),
        PhaseSection::of_counts(phase, counts),
        Section { name: name(METRICS, phase), content: metrics },
        Section { name: name(REPORT, phase), content: report },
    ]
}

/// Returns the names of a phase's sections, in order.
fn section_names(phase: Phase) -> [String; SECTIONS] {
    let (weights, counts) = (PhaseSection::weights_name(phase), PhaseSection::counts_name(phase));
    [weights, counts, name(METRICS, phase), name(REPORT, phase)]
}

fn name(kind: &str, phase: Phase) -> String {
    format!("{kind} {:02}", phase.index())
}

/// Reads a phase from its sections.
///
/// # Errors
///
/// Returns the name of the first section that does not belong to this fit.
fn read_phase(sections: &[Section; SECTIONS], parameters: usize) -> Result<FittedPhase, &str> {
    let [steps, counts, metrics, report] = sections;
    let read: PhaseReport =
        serde_json::from_slice(&report.content).map_err(|_| report.name.as_str())?;
    let names = section_names(read.phase);
    if let Some((section, _)) = sections.iter().zip(&names).find(|(one, name)| one.name != **name) {
        return Err(&section.name);
    }
    let metrics_read =
        serde_json::from_slice(&metrics.content).map_err(|_| metrics.name.as_str())?;
    let Ok(Some(PhaseSection::Weights(_, PhaseRow::Whole(steps)))) =
        PhaseSection::read(steps, parameters)
    else {
        return Err(&steps.name);
    };
    let Ok(Some(PhaseSection::Counts(_, PhaseRow::Whole(counts)))) =
        PhaseSection::read(counts, parameters)
    else {
        return Err(&counts.name);
    };
    Ok(FittedPhase { steps, counts, report: read, metrics: metrics_read })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The metrics were left out.
    #[test]
    fn the_documented_sections_of_a_fitted_phase_are_those_written() {
        let formats = include_str!("../../../../../datasets/formats.md");
        let (_, text) = formats.split_once("\n* weights: for each fitted phase PP").unwrap();
        let (text, _) = text.split_once("\n\n").unwrap();
        let named = text.split('`').skip(1).step_by(2);
        let named: Vec<_> = named.filter(|name| name.ends_with(" PP")).collect();
        let written = section_names(Phase::new(7).unwrap()).map(|name| name.replace("07", "PP"));
        assert_eq!(named, written);
    }
}
