//! The state of a phase's unfinished fit as sections of a container.

use othello_engine::file::{FileError, Reader, Section};
use othello_engine::text::excerpt;
use serde::{Deserialize, Serialize};

use crate::fit::best::{Best, Progress};
use crate::fit::report::Metrics;
use crate::fit::state::{HEAD, State, StateError};

/// Everything besides data and settings that the rest of a phase's fit depends on.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    pub(in crate::fit) state: State,
    pub(in crate::fit) best: Best,
    /// One line of the metrics file for each epoch so far.
    pub(in crate::fit) metrics: Vec<Metrics>,
}

/// The content of the first section: everything that is not a vector.
#[derive(Serialize, Deserialize)]
struct Head {
    solver: serde_json::Value,
    best: Progress,
    metrics: Vec<Metrics>,
    /// The names of the vectors that follow, each one double per parameter; the last is `best`.
    vectors: Vec<String>,
}

const BEST: &str = "best";
/// The largest first section that is read, in bytes: enough for a hundred thousand epochs.
const LONGEST_HEAD: usize = 16 << 20;
/// The largest number of vectors that are read: more than any solver has.
const MOST_VECTORS: usize = 16;
/// The number of elements of a section: a longer vector goes on in further ones.
const PART: usize = 1 << 22;

impl Snapshot {
    /// Returns the number of complete epochs.
    pub fn epochs(&self) -> u32 {
        self.best.progress.epochs
    }

    /// Returns the state to go on from, if there is one, with the best weights and the metrics so
    /// far; without a snapshot, those at the start.
    pub(in crate::fit) fn or_start(
        resumed: Option<Self>,
        initial: &[f64],
    ) -> (Option<State>, Best, Vec<Metrics>) {
        match resumed {
            Some(Self { state, best, metrics }) => (Some(state), best, metrics),
            None => (None, Best::new(initial), vec![]),
        }
    }

    /// Returns the snapshot as sections of a container.
    pub(in crate::fit) fn sections(&self) -> Vec<Section> {
        let names = self.state.vectors.iter().map(|(name, _)| name.clone());
        let head = Head {
            solver: self.state.scalars.clone(),
            best: self.best.progress,
            metrics: self.metrics.clone(),
            vectors: names.chain([BEST.to_owned()]).collect(),
        };
        // The head is a plain record of finite numbers.
        let text = serde_json::to_vec(&head).unwrap_or_default();
        let mut sections = vec![Section { name: HEAD.to_owned(), content: text }];
        let vectors = self.state.vectors.iter().map(|(_, vector)| vector);
        for (name, vector) in head.vectors.iter().zip(vectors.chain([&self.best.weights])) {
            for (number, part) in vector.chunks(PART).enumerate() {
                let content = part.iter().flat_map(|value| value.to_le_bytes()).collect();
                sections.push(Section { name: part_name(name, number), content });
            }
        }
        sections
    }

    /// Reads the sections of a container for [`Self::from_sections`]. Reads no more bytes than a
    /// snapshot with this number of parameters has.
    pub(in crate::fit) fn read(
        reader: &mut Reader,
        parameters: usize,
    ) -> Result<Vec<Section>, FileError> {
        let mut sections: Vec<Section> = vec![];
        while let Some(section) = reader.next().transpose()? {
            let bytes = section.content.len();
            let part = parameters.min(PART) * size_of::<f64>();
            let most = if section.name == HEAD { LONGEST_HEAD } else { part };
            if bytes > most || sections.len() == MOST_VECTORS * parts_of(parameters) {
                let name = excerpt(&section.name);
                return Err(
                    reader.meaningless(format!("`{name}` of {bytes} bytes is none of this fit"))
                );
            }
            sections.push(section);
        }
        Ok(sections)
    }

    /// Builds the snapshot from sections whose vectors have one element for each of `parameters`.
    pub(in crate::fit) fn from_sections(
        sections: &[Section],
        parameters: usize,
    ) -> Result<Self, StateError> {
        let content = |wanted: &str| {
            let found = sections.iter().find(|section| section.name == wanted);
            found.map(|section| &section.content).ok_or_else(|| StateError::in_section(wanted))
        };
        let vector = |name: &str| {
            let mut values: Vec<f64> = vec![];
            for part in 0..parts_of(parameters) {
                let (doubles, rest) = content(&part_name(name, part))?.as_chunks();
                values.extend(doubles.iter().copied().map(f64::from_le_bytes));
                let expected = parameters.min((part + 1) * PART);
                let sound = values.iter().all(|value| value.is_finite());
                if values.len() != expected || !rest.is_empty() || !sound {
                    return Err(StateError::in_section(&part_name(name, part)));
                }
            }
            Ok(values)
        };
        let no_head = || StateError::in_section(HEAD);
        let head: Head = serde_json::from_slice(content(HEAD)?).map_err(|_| no_head())?;
        if head.vectors.len() > MOST_VECTORS || !head.best.fits(&head.metrics) {
            return Err(no_head());
        }
        let state = head.vectors.iter().filter(|name| *name != BEST);
        let vectors = state.map(|name| Ok((name.clone(), vector(name)?)));
        Ok(Self {
            state: State { scalars: head.solver, vectors: vectors.collect::<Result<_, _>>()? },
            best: Best { weights: vector(BEST)?, progress: head.best },
            metrics: head.metrics,
        })
    }
}

/// Returns the number of sections of a vector.
fn parts_of(elements: usize) -> usize {
    elements.div_ceil(PART)
}

/// Returns the name of a section of a vector: the first has the vector's.
fn part_name(vector: &str, number: usize) -> String {
    match number {
        0 => vector.to_owned(),
        _ => format!("{vector} {}", number + 1),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The sections of 64 factors were larger than a section may be.
    #[test]
    fn vectors_longer_than_a_section_are_read_back() {
        let vector: Vec<f64> = (0..PART + 3).map(|n| n as f64).collect();
        let state =
            State { scalars: json!({}), vectors: vec![("weights".to_owned(), vector.clone())] };
        let snapshot = Snapshot { state, best: Best::new(&vector), metrics: vec![] };
        let mut sections = snapshot.sections();
        let names: Vec<&str> = sections.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, [HEAD, "weights", "weights 2", BEST, "best 2"]);
        assert!(Snapshot::from_sections(&sections, vector.len()) == Ok(snapshot));
        sections.remove(2);
        let refused = Snapshot::from_sections(&sections, vector.len());
        assert!(refused == Err(StateError::in_section("weights 2")));
    }
}
