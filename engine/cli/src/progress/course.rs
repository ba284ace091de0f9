//! The course of the stage at hand: how far it is, told when it begins, every few seconds, and when
//! it ends.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::lock;
use super::unit::Unit;

/// A moment of a stage at which it is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    Begin,
    Middle,
    End,
}

/// A listener that is told how far the stage at hand is.
pub(super) trait Listener: Send + Sync {
    fn hear(&self, moment: Moment, standing: &Standing<'_>);
}

/// The stage at hand, for listeners.
#[derive(Default)]
pub(super) struct Course {
    listeners: Vec<Box<dyn Listener>>,
    done: AtomicU64,
    stage: Mutex<Option<Stage>>,
}

struct Stage {
    name: String,
    unit: Unit,
    done_before: u64,
    total: u64,
    begun: Instant,
    last_told: Instant,
}

/// The standing of a stage: how far it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing<'a> {
    pub(super) name: &'a str,
    pub(super) unit: &'a Unit,
    pub(super) done: u64,
    /// The units that an earlier run had finished: they do not count for the rate.
    pub(super) done_before: u64,
    pub(super) total: u64,
    pub(super) elapsed: Duration,
}

impl Course {
    const INTERVAL: Duration = Duration::from_secs(5);

    pub(super) fn new(listeners: Vec<Box<dyn Listener>>) -> Self {
        Self { listeners, ..Self::default() }
    }

    pub(super) fn begin(&self, stage: &str, done: u64, total: u64) {
        self.end();
        let now = Instant::now();
        let (name, unit) = Unit::of(stage);
        let name = name.to_owned();
        let stage = Stage { name, unit, done_before: done, total, begun: now, last_told: now };
        self.done.store(done, Ordering::Relaxed);
        let mut at_hand = lock(&self.stage);
        self.tell(Moment::Begin, &stage, done);
        *at_hand = Some(stage);
    }

    pub(super) fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        // A thread that finds the lock taken leaves the telling to its owner.
        let Ok(mut stage) = self.stage.try_lock() else { return };
        let Some(stage) = stage.as_mut() else { return };
        if stage.last_told.elapsed() >= Self::INTERVAL {
            stage.last_told = Instant::now();
            self.tell(Moment::Middle, stage, done);
        }
    }

    pub(super) fn end(&self) {
        if let Some(stage) = lock(&self.stage).take() {
            self.tell(Moment::End, &stage, self.done.load(Ordering::Relaxed));
        }
    }

    fn tell(&self, moment: Moment, stage: &Stage, done: u64) {
        let Stage { name, unit, done_before, total, begun, .. } = stage;
        let (done_before, total, elapsed) = (*done_before, *total, begun.elapsed());
        let standing = Standing { name, unit, done, done_before, total, elapsed };
        self.listeners.iter().for_each(|listener| listener.hear(moment, &standing));
    }
}

impl Standing<'_> {
    /// Returns the units a second of this run.
    pub(super) fn rate(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64().max(1e-9);
        self.done.saturating_sub(self.done_before) as f64 / seconds
    }

    /// Returns the units that are left.
    pub(super) fn left(&self) -> u64 {
        self.total.saturating_sub(self.done)
    }
}
