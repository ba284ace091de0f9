//! Streams and events: what waits to be done, and what was done.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use othello_kernels::Grid;

use crate::module::{Entry, Module};
use crate::order::Clock;

/// A point of a stream that an event was recorded at.
#[derive(Debug, Default)]
pub(crate) struct Mark {
    done: AtomicBool,
    /// The operations that come before the point.
    pub(crate) clock: Clock,
}

impl Mark {
    pub(crate) fn at(clock: Clock) -> Arc<Self> {
        Arc::new(Self { done: AtomicBool::new(false), clock })
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    pub(crate) fn set_done(&self) {
        self.done.store(true, Ordering::Release);
    }
}

/// One thing that a stream does. Addresses are those of the process.
#[derive(Debug)]
pub(crate) enum Work {
    Copy {
        from: u64,
        to: u64,
        bytes: usize,
    },
    Fill {
        to: u64,
        value: u8,
        bytes: usize,
    },
    /// Takes back memory at an address of the device.
    Free(u64),
    Launch(Box<Launch>),
    /// A launch that fails as soon as it runs: it has an address that is none.
    WildLaunch,
    Record(Arc<Mark>),
    Wait(Arc<Mark>),
}

/// A kernel with everything that it takes.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) module: Arc<Module>,
    pub(crate) entry: Entry,
    pub(crate) grid: Grid,
    /// Addresses of the process, and numbers in their first bytes.
    pub(crate) words: Vec<u64>,
    /// The arrays that the kernel writes, by their addresses on the device.
    pub(crate) written: Vec<u64>,
}

/// A stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    queue: VecDeque<Work>,
    /// The number of operations that were asked of the stream.
    pub(crate) asked: u64,
    /// The number of operations that are done.
    pub(crate) done: u64,
    pub(crate) clock: Clock,
    /// The stream's priority: the highest one runs first where priorities decide.
    pub(crate) priority: u64,
    /// Whether the stream was destroyed, so that nobody can ask more of it.
    pub(crate) destroyed: bool,
}

impl Stream {
    pub(crate) fn new(priority: u64) -> Self {
        Self { priority, ..Self::default() }
    }

    pub(crate) fn push(&mut self, work: Work) {
        self.queue.push_back(work);
        self.asked += 1;
    }

    /// Whether it could go on now.
    pub(crate) fn is_ready(&self) -> bool {
        match self.queue.front() {
            Some(Work::Wait(mark)) => mark.is_done(),
            Some(_) => true,
            None => false,
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.done == self.asked
    }

    pub(crate) fn pop(&mut self) -> Option<Work> {
        self.queue.pop_front()
    }

    /// Forgets what was not done.
    pub(crate) fn abandon(&mut self) {
        for work in self.queue.drain(..) {
            if let Work::Record(mark) = work {
                mark.set_done();
            }
        }
        self.done = self.asked;
    }
}
