//! Measures rates by the best of several repetitions.

use std::time::Instant;

use cpu_time::ProcessTime;

pub(super) struct Candidate<'a> {
    run: Box<dyn FnMut() + 'a>,
    best: Rate,
}

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Rate {
    /// The rate by wall time.
    pub by_wall: f64,
    /// The rate by processor time, which other programs do not affect.
    pub by_processor: f64,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(run: impl FnMut() + 'a) -> Self {
        Self { run: Box::new(run), best: Rate::default() }
    }
}

/// Runs all candidates alternately, `repetitions` times; returns the best rate of each.
pub(super) fn rates(
    mut candidates: Vec<Candidate<'_>>,
    positions: usize,
    repetitions: u32,
) -> Vec<Rate> {
    for _ in 0..repetitions {
        for Candidate { run, best } in &mut candidates {
            let (begun, worked) = (Instant::now(), ProcessTime::now());
            run();
            let [wall, worked] = [begun.elapsed(), worked.elapsed()].map(|time| time.as_secs_f64());
            best.by_wall = best.by_wall.max(positions as f64 / wall);
            best.by_processor = best.by_processor.max(positions as f64 / worked);
        }
    }
    candidates.iter().map(|candidate| candidate.best).collect()
}
