//! The sections that store a phase's weights or training counts: either the numbers themselves, or
//! their changes from the previous phase. After compression, changes take two thirds of the space.

use super::MAX_STEPS;
use crate::board::Phase;
use crate::file::Section;

const WEIGHTS: &str = "weights";
const WEIGHT_CHANGES: &str = "weight changes";
const COUNTS: &str = "counts";
const COUNT_CHANGES: &str = "count changes";

/// The weights or training counts of a phase, as a section of a file stores them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PhaseSection {
    /// The weights of the phase in steps of 1/32 disc, |weight| ≤ [`MAX_STEPS`].
    Weights(Phase, PhaseRow<i16>),
    /// The number of occurrences of each parameter in the training positions of the phase.
    Counts(Phase, PhaseRow<u32>),
}

/// The weights or training counts of a phase in a section, one number for each parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PhaseRow<T> {
    /// The weights or counts themselves.
    Whole(Vec<T>),
    /// The changes from the previous phase's numbers (in phase 0, from 0), modulo 2^16 or 2^32.
    Changes(Vec<T>),
}

impl PhaseRow<i16> {
    pub(super) fn weights<'a>(
        self,
        phase: Phase,
        before: impl FnOnce(Phase) -> Option<&'a [i16]>,
    ) -> Result<Vec<i16>, String> {
        let steps = self.after(phase, before, i16::wrapping_add)?;
        check_steps(&steps)?;
        Ok(steps)
    }
}

pub(super) fn check_steps(steps: &[i16]) -> Result<(), String> {
    let is_wrong = |step: &i16| !(-MAX_STEPS..=MAX_STEPS).contains(step);
    // The compiler vectorizes a test of all steps, but not a search for a wrong one.
    let is_any_wrong = steps.iter().fold(false, |any, step| any | is_wrong(step));
    let place = is_any_wrong.then(|| steps.iter().position(is_wrong)).flatten();
    let expected = format!("expected ±{MAX_STEPS} at most");
    place.map_or(Ok(()), |place| Err(format!("weight {place} is {}; {expected}", steps[place])))
}

impl<T: Copy + 'static> PhaseRow<T> {
    /// Returns the weights or counts of `phase`. If the section has changes, adds them with `sum`
    /// to the numbers of the previous phase, which `before` returns.
    pub(super) fn after<'a>(
        self,
        phase: Phase,
        before: impl FnOnce(Phase) -> Option<&'a [T]>,
        sum: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>, String> {
        let (mut numbers, phase_before) = match (self, phase.before()) {
            (Self::Whole(numbers), _) | (Self::Changes(numbers), None) => return Ok(numbers),
            (Self::Changes(changes), Some(phase_before)) => (changes, phase_before),
        };
        let before = before(phase_before).ok_or("precedes that of the previous phase")?;
        let pairs = numbers.iter_mut().zip(before.iter());
        pairs.for_each(|(number, &before)| *number = sum(*number, before));
        Ok(numbers)
    }
}

impl PhaseSection {
    /// Returns the section with the weights of a phase.
    pub fn of_weights(phase: Phase, steps: &[i16]) -> Section {
        let content = steps.iter().flat_map(|step| step.to_le_bytes()).collect();
        Section { name: Self::weights_name(phase), content }
    }

    /// Returns the section with each parameter's number of occurrences in a phase's training data.
    pub fn of_counts(phase: Phase, counts: &[u32]) -> Section {
        let content = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        Section { name: Self::counts_name(phase), content }
    }

    /// Returns a section with the changes from `before`, the previous phase's weights, to `steps`.
    pub fn of_weight_changes(phase: Phase, before: &[i16], steps: &[i16]) -> Section {
        let changes = steps.iter().zip(before).map(|(to, from)| to.wrapping_sub(*from));
        let folded = changes.map(|change| ((change << 1) ^ (change >> 15)).to_le_bytes());
        Section { name: name(WEIGHT_CHANGES, phase), content: planes(folded) }
    }

    /// Returns a section with the changes from `before`, the previous phase's counts, to `counts`.
    pub fn of_count_changes(phase: Phase, before: &[u32], counts: &[u32]) -> Section {
        let changes = counts.iter().zip(before).map(|(to, from)| to.wrapping_sub(*from) as i32);
        let folded = changes.map(|change| ((change << 1) ^ (change >> 31)).to_le_bytes());
        Section { name: name(COUNT_CHANGES, phase), content: planes(folded) }
    }

    /// Returns the name of the section with the weights of a phase.
    pub fn weights_name(phase: Phase) -> String {
        name(WEIGHTS, phase)
    }

    /// Returns the name of the section with the training counts of a phase.
    pub fn counts_name(phase: Phase) -> String {
        name(COUNTS, phase)
    }

    /// Reads the weights or counts of a phase from a section; `None` if the section has neither.
    ///
    /// # Errors
    /// A message for a section whose size is wrong for `parameters` parameters.
    pub fn read(section: &Section, parameters: usize) -> Result<Option<Self>, String> {
        let Some((phase, kind)) = phase_and_kind(&section.name) else { return Ok(None) };
        let expected = match kind {
            WEIGHTS | WEIGHT_CHANGES => parameters * size_of::<i16>(),
            COUNTS | COUNT_CHANGES => parameters * size_of::<u32>(),
            _ => return Ok(None),
        };
        let content = section.content.as_slice();
        if content.len() != expected {
            let found = format!("has {} bytes", content.len());
            let taken = format!("the {parameters} parameters of the pattern set take {expected}");
            return Err(format!("{found}; {taken}"));
        }
        Ok(Some(match kind {
            WEIGHTS => {
                let steps = content.as_chunks().0.iter().copied().map(i16::from_le_bytes);
                Self::Weights(phase, PhaseRow::Whole(steps.collect()))
            }
            COUNTS => {
                let counts = content.as_chunks().0.iter().copied().map(u32::from_le_bytes);
                Self::Counts(phase, PhaseRow::Whole(counts.collect()))
            }
            WEIGHT_CHANGES => {
                let folded = unplaned(content, parameters).map(u16::from_le_bytes);
                let changes = folded.map(|word| (word >> 1) as i16 ^ -((word & 1) as i16));
                Self::Weights(phase, PhaseRow::Changes(changes.collect()))
            }
            _ => {
                let folded = unplaned(content, parameters).map(u32::from_le_bytes);
                let changes = folded.map(|word| (word >> 1) ^ (word & 1).wrapping_neg());
                Self::Counts(phase, PhaseRow::Changes(changes.collect()))
            }
        }))
    }
}

fn name(kind: &str, phase: Phase) -> String {
    format!("{kind} {:02}", phase.index())
}

fn phase_and_kind(section: &str) -> Option<(Phase, &str)> {
    let (kind, number) = section.rsplit_once(' ')?;
    let phase = Phase::new(number.parse().ok()?)?;
    (name(kind, phase) == section).then_some((phase, kind))
}

/// Returns the first bytes of all words, then all second bytes and so on. Bytes in this order
/// compress better.
fn planes<const BYTES: usize>(words: impl Iterator<Item = [u8; BYTES]>) -> Vec<u8> {
    let words: Vec<[u8; BYTES]> = words.collect();
    (0..BYTES).flat_map(|byte| words.iter().map(move |word| word[byte])).collect()
}

fn unplaned<const BYTES: usize>(
    content: &[u8],
    parameters: usize,
) -> impl Iterator<Item = [u8; BYTES]> {
    let byte = move |plane: usize, index: usize| content[plane * parameters + index];
    (0..parameters).map(move |index| std::array::from_fn(|plane| byte(plane, index)))
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
        assert_eq!(
            PhaseSection::read(&weights, 3),
            Ok(Some(PhaseSection::Weights(phase, PhaseRow::Whole(steps))))
        );
        let section = PhaseSection::of_counts(phase, &counts);
        assert_eq!(
            PhaseSection::read(&section, 3),
            Ok(Some(PhaseSection::Counts(phase, PhaseRow::Whole(counts))))
        );
        let before = [4095, -4095, 17];
        let section = PhaseSection::of_weight_changes(phase, &before, &[-4095, 4095, 16]);
        assert_eq!(section.name, "weight changes 07");
        // The zigzag codes of −8190, 8190 and −1 are 16379, 16380 and 1; low bytes come first.
        assert_eq!(section.content, [0xfb, 0xfc, 0x01, 0x3f, 0x3f, 0x00]);
        let changes = PhaseSection::Weights(phase, PhaseRow::Changes(vec![-8190, 8190, -1]));
        assert_eq!(PhaseSection::read(&section, 3), Ok(Some(changes)));
        let section = PhaseSection::of_count_changes(phase, &[u32::MAX, 0, 5], &[0, u32::MAX, 3]);
        assert_eq!(section.content, [2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let changes = vec![1, u32::MAX, 2_u32.wrapping_neg()];
        let changes = PhaseSection::Counts(phase, PhaseRow::Changes(changes));
        assert_eq!(PhaseSection::read(&section, 3), Ok(Some(changes)));
        for name in ["weights", "weights 7", "weights 60", "report 07", "counts 007"] {
            let other = Section { name: name.into(), ..section.clone() };
            assert_eq!(PhaseSection::read(&other, 3), Ok(None), "{name}");
        }
    }
}
