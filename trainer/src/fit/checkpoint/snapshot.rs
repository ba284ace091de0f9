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
    /// The names of the sections that follow, each one double per parameter; the last is `best`.
    vectors: Vec<String>,
}

const BEST: &str = "best";
/// The largest first section that is read, in bytes: enough for a hundred thousand epochs.
const LONGEST_HEAD: usize = 16 << 20;
/// The largest number of sections that are read: more than the vectors of any solver.
const MOST_SECTIONS: usize = 16;

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
            let content = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
            sections.push(Section { name: name.clone(), content });
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
            let most =
                if section.name == HEAD { LONGEST_HEAD } else { parameters * size_of::<f64>() };
            if bytes > most || sections.len() == MOST_SECTIONS {
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
            let (values, rest) = content(name)?.as_chunks();
            let values: Vec<f64> = values.iter().copied().map(f64::from_le_bytes).collect();
            let whole = values.len() == parameters && rest.is_empty();
            let sound = whole && values.iter().all(|value| value.is_finite());
            sound.then_some(values).ok_or_else(|| StateError::in_section(name))
        };
        let no_head = || StateError::in_section(HEAD);
        let head: Head = serde_json::from_slice(content(HEAD)?).map_err(|_| no_head())?;
        if head.vectors.len() > MOST_SECTIONS || !head.best.fits(&head.metrics) {
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
