//! Learns the models that a search uses in addition to an evaluation: the weights that order moves,
//! the predictions of deep searches from shallow ones, and the probabilities of moves.

pub mod ends;
pub mod ordering;
pub mod probcut;
pub mod realization;
pub mod samples;
mod siblings;

use othello_engine::progress::Progress;
use othello_engine::run::{Run, Stage};
use othello_engine::text::Invalid;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::source::Result;

/// The stages of a calibration, the run that stores their results, and the receiver of progress.
pub struct Work<'a> {
    /// The run that stores results in files and can be resumed; `None` if results stay in memory.
    pub run: Option<&'a Run>,
    /// The stages of the calibration.
    pub stages: Vec<Stage>,
    /// The receiver of progress reports.
    pub progress: &'a dyn Progress,
}

impl Work<'_> {
    fn results<T: Serialize + DeserializeOwned + Send>(
        &self,
        stage: usize,
        make: impl Fn(u64) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        if let Some(run) = self.run {
            return run.results(stage, make, self.progress);
        }
        let (stage, progress) = (&self.stages[stage], self.progress);
        progress.begin_stoppable(&stage.name, 0, stage.units);
        let work = |unit| {
            progress.check()?;
            let made = make(unit)?;
            progress.advance(1);
            Ok(made)
        };
        (0..stage.units).into_par_iter().map(work).collect()
    }
}

fn no_model(reason: String) -> Invalid {
    Invalid(format!("the search values do not determine a model: {reason}"))
}

#[cfg(test)]
mod testing {
    use othello_engine::eval::Weights;
    use othello_engine::progress::Silent;
    use othello_engine::run::Stage;

    pub(super) fn in_memory(stages: Vec<Stage>) -> super::Work<'static> {
        super::Work { run: None, stages, progress: &Silent }
    }

    /// Returns the shipped weights, with which tests play games. With weights of 0, all moves would
    /// have equal values, and the order in which moves are generated would decide the games.
    pub(super) fn shipped() -> Weights {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../engine/weights/tables.weights");
        Weights::read(path.as_ref()).unwrap().weights
    }

    pub(super) fn assert_threads_change_nothing<T>(compute: impl Fn() -> T + Sync)
    where
        T: PartialEq + std::fmt::Debug + Send,
    {
        let [one, three] = [1, 3].map(|threads| othello_testing::on_threads(threads, &compute));
        assert_eq!(one, three);
    }
}
