//! Weights by class, and the file they travel in.

use std::path::{Path, PathBuf};

use super::MAX_STEPS;
use crate::board::{PHASES, Phase};
use crate::file::{Begin, Existing, FileError, Kind, Provenance, Reader, Section, Summary, Writer};
use crate::pattern::{Geometry, PatternSet, PatternSetError};

/// The weights of all 60 phases for one pattern set, in steps of 1/32 disc, |weight| ≤
/// [`MAX_STEPS`], and how often training positions met each of them. Parameters are numbered as
/// in [`Geometry`].
#[derive(Clone, Debug)]
pub struct Weights {
    set: PatternSet,
    geometry: Geometry,
    steps: Vec<Vec<i16>>,
    counts: Vec<Vec<u32>>,
}

/// Weights as read from a file, with what the file says of itself.
#[derive(Clone, Debug)]
pub struct WeightsFile {
    /// The weights.
    pub weights: Weights,
    /// What decided them.
    pub provenance: Provenance,
    /// Checksum of the decoded content, in hexadecimal.
    pub sha256: String,
}

/// Why weights cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The container is damaged, foreign or not there.
    #[error(transparent)]
    File(#[from] FileError),
    /// The pattern set inside is not valid.
    #[error("{}: section `{PATTERN_SET}`: {source}", path.display())]
    PatternSet {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<PatternSetError>,
    },
    /// A section that should be there is not.
    #[error("{}: section `{section}` is missing: the file is not a complete weights file", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// Which section.
        section: String,
    },
    /// A section has the wrong length or a weight out of range.
    #[error("{}: section `{section}`: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Which section.
        section: String,
        /// What is wrong, and what was expected.
        problem: String,
    },
}

const PATTERN_SET: &str = "pattern set";

fn weights_section(phase: Phase) -> String {
    format!("weights {:02}", phase.index())
}

fn counts_section(phase: Phase) -> String {
    format!("counts {:02}", phase.index())
}

impl Weights {
    /// All weights 0, nothing counted.
    pub fn zero(set: PatternSet) -> Self {
        let geometry = Geometry::new(&set);
        let parameters = geometry.parameters();
        let (steps, counts) =
            (vec![vec![0; parameters]; PHASES], vec![vec![0; parameters]; PHASES]);
        Self { set, geometry, steps, counts }
    }

    /// The pattern set.
    pub fn set(&self) -> &PatternSet {
        &self.set
    }

    /// Instances and classes.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The weights of a phase in steps, one for each parameter.
    pub fn steps(&self, phase: Phase) -> &[i16] {
        &self.steps[phase.index()]
    }

    /// How often the training positions of a phase met each parameter.
    pub fn counts(&self, phase: Phase) -> &[u32] {
        &self.counts[phase.index()]
    }

    /// Sets the weights of a phase by `f(parameter)`, limited to ±[`MAX_STEPS`].
    pub fn set_steps(&mut self, phase: Phase, f: impl Fn(usize) -> i16) {
        let steps = self.steps[phase.index()].iter_mut().enumerate();
        steps.for_each(|(parameter, step)| *step = f(parameter).clamp(-MAX_STEPS, MAX_STEPS));
    }

    /// Sets the counts of a phase by `f(parameter)`.
    pub fn set_counts(&mut self, phase: Phase, f: impl Fn(usize) -> u32) {
        let counts = self.counts[phase.index()].iter_mut().enumerate();
        counts.for_each(|(parameter, count)| *count = f(parameter));
    }

    /// Reads a weights file and checks every part of it.
    pub fn read(path: &Path) -> Result<WeightsFile, WeightsError> {
        let mut reader = Reader::open(path, Kind::Weights)?;
        let provenance = reader.provenance().clone();
        let missing =
            |section: &str| WeightsError::Missing { path: path.into(), section: section.into() };
        let first = reader.next().transpose()?.filter(|section| section.name == PATTERN_SET);
        let first = first.ok_or_else(|| missing(PATTERN_SET))?;
        let set = PatternSet::from_toml(&String::from_utf8_lossy(&first.content));
        let set = set.map_err(|source| WeightsError::PatternSet {
            path: path.into(),
            source: Box::new(source),
        })?;
        let mut weights = Self::zero(set);
        let mut seen = vec![];
        for section in reader.by_ref() {
            let section = section?;
            weights.take(&section).map_err(|problem| WeightsError::Content {
                path: path.into(),
                section: section.name.clone(),
                problem,
            })?;
            seen.push(section.name);
        }
        let wanted = Phase::all().flat_map(|phase| [weights_section(phase), counts_section(phase)]);
        match wanted.into_iter().find(|name| !seen.contains(name)) {
            Some(section) => Err(missing(&section)),
            None => Ok(WeightsFile {
                weights,
                provenance,
                sha256: reader.sha256().unwrap_or_default().to_owned(),
            }),
        }
    }

    /// Takes over one section; sections of later versions are left alone.
    fn take(&mut self, section: &Section) -> Result<(), String> {
        for phase in Phase::all() {
            if section.name == weights_section(phase) {
                read_steps(&section.content, &mut self.steps[phase.index()])?;
            } else if section.name == counts_section(phase) {
                read_counts(&section.content, &mut self.counts[phase.index()])?;
            }
        }
        Ok(())
    }

    /// Writes a weights file under a temporary name and puts it in place when it is whole.
    pub fn write(
        &self,
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Summary, WeightsError> {
        match Writer::begin(path, Kind::Weights, provenance, existing)? {
            Begin::Done(summary) => Ok(summary),
            Begin::Writer(writer) => self.write_to(writer),
        }
    }

    /// Writes the sections to a writer that was begun before, and completes the file.
    pub fn write_to(&self, mut writer: Writer) -> Result<Summary, WeightsError> {
        let written = writer.resumed().len();
        for (name, content) in self.sections().skip(written) {
            writer.section(&name, &content)?;
        }
        Ok(writer.finish()?)
    }

    /// All sections of the file, in order.
    fn sections(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        let first = (PATTERN_SET.to_owned(), self.set.to_toml().into_bytes());
        let phases = Phase::all().flat_map(|phase| {
            let steps = self.steps(phase).iter().flat_map(|step| step.to_le_bytes()).collect();
            let counts = self.counts(phase).iter().flat_map(|count| count.to_le_bytes()).collect();
            [(weights_section(phase), steps), (counts_section(phase), counts)]
        });
        std::iter::once(first).chain(phases)
    }
}

fn read_steps(content: &[u8], steps: &mut [i16]) -> Result<(), String> {
    let (words, rest) = content.as_chunks::<2>();
    check_length(words.len(), rest, steps.len())?;
    for (parameter, (step, word)) in steps.iter_mut().zip(words).enumerate() {
        *step = i16::from_le_bytes(*word);
        if !(-MAX_STEPS..=MAX_STEPS).contains(step) {
            return Err(format!("weight {parameter} is {step}; expected ±{MAX_STEPS} at most"));
        }
    }
    Ok(())
}

fn read_counts(content: &[u8], counts: &mut [u32]) -> Result<(), String> {
    let (words, rest) = content.as_chunks::<4>();
    check_length(words.len(), rest, counts.len())?;
    counts.iter_mut().zip(words).for_each(|(count, word)| *count = u32::from_le_bytes(*word));
    Ok(())
}

fn check_length(found: usize, rest: &[u8], expected: usize) -> Result<(), String> {
    if found == expected && rest.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{found} entries and {} bytes; the pattern set has {expected} parameters",
        rest.len()
    ))
}
