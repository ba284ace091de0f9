//! Snapshots: the state of an unfinished fit, and the times at which it is saved.

use std::time::{Duration, Instant};

use othello_engine::file::Section;
use othello_engine::progress::Progress;
use othello_engine::run::{LongPart, RunError};
use serde::{Deserialize, Serialize};

use super::FitError;
use super::best::{self, FittedVector};
use super::report::Metrics;
use super::side_files::SideFiles;
use super::solver::{HEAD, State};

/// Decides when the state of a fit is saved, and saves it. The decision may depend on the clock:
/// the final weights do not depend on when the state is saved.
pub trait Checkpointer {
    /// Returns, before an update, whether the fit continues, saves its state or stops.
    /// `epoch_ended` is true if the last update ended an epoch.
    fn policy(&mut self, epoch_ended: bool) -> CheckpointPolicy;

    /// Saves the state of the fit.
    fn save(&mut self, snapshot: &Snapshot) -> Result<(), RunError>;

    /// Receives the metrics of an epoch that has ended. By default, does nothing.
    fn measured(&mut self, metrics: &Metrics) -> Result<(), RunError> {
        let _ = metrics;
        Ok(())
    }
}

/// The decision of a checkpointer before an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckpointPolicy {
    /// Continue the fit.
    Continue,
    /// Save the state and continue.
    Save,
    /// Save the state and stop.
    Stop,
}

/// A checkpointer that saves nothing and never stops the fit.
#[derive(Clone, Copy, Debug)]
pub struct NoCheckpoints;

impl Checkpointer for NoCheckpoints {
    fn policy(&mut self, _: bool) -> CheckpointPolicy {
        CheckpointPolicy::Continue
    }

    fn save(&mut self, _: &Snapshot) -> Result<(), RunError> {
        Ok(())
    }
}

/// Saves snapshots of the fit of a phase, or of phases with shared factors: after epochs, and when
/// a signal or the time limit stops the fit.
pub(super) struct Saver<'s, 'r> {
    part: &'s mut LongPart<'r>,
    deadline: Option<Instant>,
    progress: &'s dyn Progress,
    metrics: Option<&'s SideFiles>,
    /// The number of training positions in an epoch, to report an epoch's positions per second.
    positions: usize,
    /// The time at which the last epoch ended or, in the first epoch, at which the fit began.
    epoch_begun: Instant,
    saved: Instant,
    took: Duration,
}

impl<'s, 'r> Saver<'s, 'r> {
    /// The shortest time between two saves of the snapshot. [`SAVES`] may require a longer time.
    const SHORTEST: Duration = Duration::from_secs(2);
    /// The least time between two saves, as a multiple of the duration of the last save.
    const SAVES: u32 = 20;

    pub(super) fn new(
        part: &'s mut LongPart<'r>,
        deadline: Option<Instant>,
        progress: &'s dyn Progress,
        (metrics, positions): (Option<&'s SideFiles>, usize),
    ) -> Self {
        let (epoch_begun, saved, took) = (Instant::now(), Instant::now(), Duration::ZERO);
        Self { part, deadline, progress, metrics, positions, epoch_begun, saved, took }
    }
}

impl Checkpointer for Saver<'_, '_> {
    fn policy(&mut self, epoch_ended: bool) -> CheckpointPolicy {
        if epoch_ended {
            self.part.advance(1);
        }
        let now = Instant::now();
        if self.progress.is_interrupted() || self.deadline.is_some_and(|deadline| now >= deadline) {
            return CheckpointPolicy::Stop;
        }
        let pause = Self::SHORTEST.max(self.took * Self::SAVES);
        if epoch_ended && now.duration_since(self.saved) >= pause {
            CheckpointPolicy::Save
        } else {
            CheckpointPolicy::Continue
        }
    }

    fn save(&mut self, snapshot: &Snapshot) -> Result<(), RunError> {
        let begun = Instant::now();
        self.part.save(&snapshot.sections())?;
        self.saved = Instant::now();
        self.took = self.saved - begun;
        Ok(())
    }

    fn measured(&mut self, metrics: &Metrics) -> Result<(), RunError> {
        let Some(file) = self.metrics else { return Ok(()) };
        let seconds = self.epoch_begun.elapsed().as_secs_f64();
        self.epoch_begun = Instant::now();
        self.progress.epoch(&metrics.line(seconds), &metrics.event(seconds, self.positions));
        Ok(file.add(metrics)?)
    }
}

/// The state of an unfinished fit. With the data and the settings, it determines all later updates.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    pub(super) state: State,
    pub(super) vector: FittedVector,
}

/// The content of the first section of a snapshot: everything except the vectors.
#[derive(Serialize, Deserialize)]
struct Head {
    solver: serde_json::Value,
    best: best::Progress,
    metrics: Vec<Metrics>,
    /// The names of the vectors, `best` last. Further sections contain their elements: for each
    /// vector, one double for each parameter.
    vectors: Vec<String>,
}

const BEST: &str = "best";
/// A snapshot with more vectors than this is refused. All solvers have fewer.
const MOST_VECTORS: usize = 16;
/// The greatest number of elements in a section; a longer vector continues in further sections.
const PART: usize = 1 << 22;

impl Snapshot {
    /// Returns the size limit of a snapshot in bytes: [`MOST_VECTORS`] vectors with `parameters`
    /// elements each, and 16 MB for everything else.
    pub(super) fn most_bytes(parameters: usize) -> usize {
        const MOST_OF_HEAD: usize = 16 << 20;
        parameters.saturating_mul(MOST_VECTORS * size_of::<f64>()).saturating_add(MOST_OF_HEAD)
    }

    /// Returns the solver's state and the best weights so far, both from the snapshot `resumed`.
    /// Without a snapshot, returns no state and the initial weights.
    pub(super) fn or_start(
        resumed: Option<Self>,
        initial: &[f64],
    ) -> (Option<State>, FittedVector) {
        match resumed {
            Some(Self { state, vector }) => (Some(state), vector),
            None => (None, FittedVector::new(initial)),
        }
    }

    pub(super) fn sections(&self) -> Vec<Section> {
        let names = self.state.vectors.iter().map(|(name, _)| name.clone());
        let head = Head {
            solver: self.state.scalars.clone(),
            best: self.vector.progress,
            metrics: self.vector.metrics.clone(),
            vectors: names.chain([BEST.to_owned()]).collect(),
        };
        // This cannot fail: the head has only finite numbers and texts.
        let text = serde_json::to_vec(&head).unwrap_or_default();
        let mut sections = vec![Section { name: HEAD.to_owned(), content: text }];
        let vectors = self.state.vectors.iter().map(|(_, vector)| vector);
        for (name, vector) in head.vectors.iter().zip(vectors.chain([&self.vector.elements])) {
            for (number, part) in vector.chunks(PART).enumerate() {
                let content = part.iter().flat_map(|value| value.to_le_bytes()).collect();
                sections.push(Section { name: part_name(name, number), content });
            }
        }
        sections
    }

    /// Reads the snapshot from sections, whose vectors must have `parameters` elements.
    pub(super) fn from_sections(sections: &[Section], parameters: usize) -> Result<Self, FitError> {
        let content = |wanted: &str| {
            let found = sections.iter().find(|section| section.name == wanted);
            found.map(|section| &section.content).ok_or_else(|| FitError::in_section(wanted))
        };
        let vector = |name: &str| {
            let mut values: Vec<f64> = vec![];
            for part in 0..parameters.div_ceil(PART) {
                let (doubles, rest) = content(&part_name(name, part))?.as_chunks();
                values.extend(doubles.iter().copied().map(f64::from_le_bytes));
                let expected = parameters.min((part + 1) * PART);
                let sound = values.iter().all(|value| value.is_finite());
                if values.len() != expected || !rest.is_empty() || !sound {
                    return Err(FitError::in_section(&part_name(name, part)));
                }
            }
            Ok(values)
        };
        let no_head = || FitError::in_section(HEAD);
        let head: Head = serde_json::from_slice(content(HEAD)?).map_err(|_| no_head())?;
        if head.vectors.len() > MOST_VECTORS || !head.best.fits(&head.metrics) {
            return Err(no_head());
        }
        let state = head.vectors.iter().filter(|name| *name != BEST);
        let vectors = state.map(|name| Ok::<_, FitError>((name.clone(), vector(name)?)));
        Ok(Self {
            state: State { scalars: head.solver, vectors: vectors.collect::<Result<_, _>>()? },
            vector: FittedVector {
                elements: vector(BEST)?,
                progress: head.best,
                metrics: head.metrics,
            },
        })
    }
}

/// Returns the name of section `number`, counted from 0, of a long vector, which is stored in
/// several sections: `weights`, `weights 2`, `weights 3` and so on.
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

    /// A regression: a vector too long for one section (such as with 64 factors) was not split.
    #[test]
    fn vectors_longer_than_a_section_are_read_back() {
        let vector: Vec<f64> = (0..PART + 3).map(|n| n as f64).collect();
        let state =
            State { scalars: json!({}), vectors: vec![("weights".to_owned(), vector.clone())] };
        let snapshot = Snapshot { state, vector: FittedVector::new(&vector) };
        let mut sections = snapshot.sections();
        let names: Vec<&str> = sections.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, [HEAD, "weights", "weights 2", BEST, "best 2"]);
        assert!(Snapshot::from_sections(&sections, vector.len()).unwrap() == snapshot);
        sections.remove(2);
        let refused = Snapshot::from_sections(&sections, vector.len()).unwrap_err().to_string();
        assert!(refused.contains("`weights 2`"), "{refused}");
    }
}
