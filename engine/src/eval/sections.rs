//! The sections of a phase in a file: its weights and its counts, one number for each parameter.

use super::MAX_STEPS;
use crate::board::Phase;
use crate::file::Section;

const WEIGHTS: &str = "weights";
const COUNTS: &str = "counts";

/// A section that belongs to a phase, in a weights file and in what a fit keeps of finished phases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PhaseSection {
    /// The weights of the phase in steps, |weight| ≤ [`MAX_STEPS`].
    Weights(Phase, Vec<i16>),
    /// The counts of the phase: how often its training positions met each parameter.
    Counts(Phase, Vec<u32>),
}

impl PhaseSection {
    /// The section with the weights of a phase.
    pub fn of_weights(phase: Phase, steps: &[i16]) -> Section {
        let content = steps.iter().flat_map(|step| step.to_le_bytes()).collect();
        Section { name: Self::weights_name(phase), content }
    }

    /// The section with the counts of a phase.
    pub fn of_counts(phase: Phase, counts: &[u32]) -> Section {
        let content = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        Section { name: Self::counts_name(phase), content }
    }

    /// The name of the section with the weights of a phase.
    pub fn weights_name(phase: Phase) -> String {
        name(WEIGHTS, phase)
    }

    /// The name of the section with the counts of a phase.
    pub fn counts_name(phase: Phase) -> String {
        name(COUNTS, phase)
    }

    /// Reads a section of a pattern set with so many parameters; `None` where it is of another kind.
    ///
    /// # Errors
    /// The problem with the content: a wrong length, or a weight out of range.
    pub fn read(section: &Section, parameters: usize) -> Result<Option<Self>, String> {
        let Some((phase, kind)) = phase_and_kind(&section.name) else { return Ok(None) };
        Ok(match kind {
            WEIGHTS => Some(Self::Weights(phase, read_steps(&section.content, parameters)?)),
            COUNTS => {
                let counts = words(&section.content, parameters)?;
                let counts = counts.map(|word| u32::from_le_bytes(*word)).collect();
                Some(Self::Counts(phase, counts))
            }
            _ => None,
        })
    }
}

fn name(kind: &str, phase: Phase) -> String {
    format!("{kind} {:02}", phase.index())
}

/// The phase and the kind that a section's name states.
fn phase_and_kind(section: &str) -> Option<(Phase, &str)> {
    let (kind, number) = section.split_once(' ')?;
    let phase = Phase::new(number.parse().ok()?)?;
    (name(kind, phase) == section).then_some((phase, kind))
}

fn read_steps(content: &[u8], parameters: usize) -> Result<Vec<i16>, String> {
    let steps: Vec<i16> =
        words(content, parameters)?.map(|word| i16::from_le_bytes(*word)).collect();
    match steps.iter().position(|step| !(-MAX_STEPS..=MAX_STEPS).contains(step)) {
        None => Ok(steps),
        Some(parameter) => {
            let step = steps[parameter];
            Err(format!("weight {parameter} is {step}; expected ±{MAX_STEPS} at most"))
        }
    }
}

fn words<const BYTES: usize>(
    content: &[u8],
    parameters: usize,
) -> Result<impl Iterator<Item = &[u8; BYTES]>, String> {
    let (words, rest) = content.as_chunks::<BYTES>();
    if words.len() == parameters && rest.is_empty() {
        return Ok(words.iter());
    }
    Err(format!(
        "has {} bytes; the {parameters} parameters of the pattern set take {}",
        content.len(),
        parameters * BYTES
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_read_back_and_others_are_left_alone() {
        let phase = Phase::new(7).unwrap();
        let (steps, counts) = (vec![-4095, 0, 17], vec![0, u32::MAX, 3]);
        let weights = PhaseSection::of_weights(phase, &steps);
        assert_eq!((weights.name.as_str(), weights.content.len()), ("weights 07", 6));
        assert_eq!(PhaseSection::read(&weights, 3), Ok(Some(PhaseSection::Weights(phase, steps))));
        let section = PhaseSection::of_counts(phase, &counts);
        assert_eq!(PhaseSection::read(&section, 3), Ok(Some(PhaseSection::Counts(phase, counts))));
        for name in ["weights", "weights 7", "weights 60", "report 07", "counts 007"] {
            let other = Section { name: name.into(), ..section.clone() };
            assert_eq!(PhaseSection::read(&other, 3), Ok(None), "{name}");
        }
    }

    #[test]
    fn numbers_of_another_pattern_set_and_weights_out_of_range_are_refused() {
        let phase = Phase::new(0).unwrap();
        let problem = |section, parameters| PhaseSection::read(&section, parameters).unwrap_err();
        let error = problem(PhaseSection::of_weights(phase, &[1, 2]), 3);
        assert_eq!(error, "has 4 bytes; the 3 parameters of the pattern set take 6");
        let error = problem(PhaseSection::of_counts(phase, &[1, 2]), 3);
        assert_eq!(error, "has 8 bytes; the 3 parameters of the pattern set take 12");
        let error = problem(PhaseSection::of_weights(phase, &[0, 4096]), 2);
        assert_eq!(error, "weight 1 is 4096; expected ±4095 at most");
    }
}
