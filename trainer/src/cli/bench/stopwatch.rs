//! Rates by the best of several rounds.

use std::time::Instant;

/// Something to measure: the seconds of its best run so far.
pub(super) struct Candidate<'a> {
    run: Box<dyn FnMut() + 'a>,
    seconds: f64,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(run: impl FnMut() + 'a) -> Self {
        Self { run: Box::new(run), seconds: f64::INFINITY }
    }
}

/// Runs all candidates in turn, `rounds` times, so that what disturbs the machine disturbs all of
/// them alike; returns how many of `items` each does a second in its best run.
pub(super) fn rates(mut candidates: Vec<Candidate<'_>>, items: usize, rounds: u32) -> Vec<f64> {
    for _ in 0..rounds {
        for candidate in &mut candidates {
            let begun = Instant::now();
            (candidate.run)();
            candidate.seconds = candidate.seconds.min(begun.elapsed().as_secs_f64());
        }
    }
    candidates.iter().map(|candidate| items as f64 / candidate.seconds).collect()
}
