//! Learns what a search uses beside an evaluation: the weights that order moves, the predictions of
//! deep searches by shallow ones, and the probabilities of moves.

pub mod ends;
pub mod ordering;
pub mod probcut;
pub mod realization;
mod regression;
mod siblings;

use othello_engine::eval::NoProbCut;
use othello_engine::progress::{Interrupted, Progress};
use othello_engine::record::RecordError;
use othello_engine::search::TableError;
use rayon::prelude::*;

/// Errors of a calibration.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CalibrateError {
    #[error("the values of searches give no model: {0}")]
    Model(String),
    #[error("the pattern set `{set}` cannot order moves: {reason}")]
    Set { set: String, reason: String },
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("the games have no move that was not drawn by chance; expected games of play")]
    NoMoves,
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    NoProbCut(#[from] NoProbCut),
}

/// Does the work of every item in parallel, unless asked to stop.
fn of_each<I: Send, T: Send>(
    items: impl ParallelIterator<Item = I>,
    progress: &dyn Progress,
    work: impl Fn(I) -> T + Sync + Send,
) -> Result<Vec<T>, Interrupted> {
    let work = |item| {
        progress.check()?;
        let done = work(item);
        progress.advance(1);
        Ok(done)
    };
    items.map(work).collect()
}

/// Returns the samples that are held out, or the others: one of `held_out` is.
fn part<T>(samples: &[T], held_out: usize, wanted: bool) -> impl Iterator<Item = &T> {
    let numbered = samples.iter().enumerate();
    numbered.filter(move |(number, _)| (number % held_out == 0) == wanted).map(|(_, one)| one)
}

#[cfg(test)]
mod testing {
    use othello_engine::eval::Weights;

    /// Returns the shipped weights of tables alone, which are soon read. With weights of 0 games
    /// would depend on the choice among equal moves.
    pub(super) fn shipped() -> Weights {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../engine/weights/tables.weights");
        Weights::read(path.as_ref()).unwrap().weights
    }

    /// Checks that one thread and three compute the same.
    pub(super) fn assert_threads_change_nothing<T>(compute: impl Fn() -> T + Sync)
    where
        T: PartialEq + std::fmt::Debug + Send,
    {
        let [one, three] = [1, 3].map(|threads| othello_testing::on_threads(threads, &compute));
        assert_eq!(one, three);
    }
}
