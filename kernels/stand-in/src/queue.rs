//! Streams and events: the queued work and the finished work.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use othello_kernels::Kernel;

use crate::module::Module;
use crate::order::Clock;

/// A point of a stream at which an event was recorded.
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

/// An operation of a stream. Addresses are in the process.
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
    /// Takes back the memory at a device address.
    Free(u64),
    Launch(Box<Launch>),
    /// A launch with an invalid address, which fails as soon as it runs.
    WildLaunch,
    Record(Arc<Mark>),
    Wait(Arc<Mark>),
}

/// A kernel with its arguments.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) module: Arc<Module>,
    pub(crate) kernel: &'static Kernel,
    pub(crate) blocks: u32,
    /// The arguments: addresses in the process, and numbers in the first bytes of a word.
    pub(crate) words: Vec<u64>,
    /// The device addresses of the arrays that the kernel writes.
    pub(crate) written: Vec<u64>,
}

/// A stream: a queue of operations that run in order.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    queue: VecDeque<Work>,
    /// The number of operations that were requested.
    pub(crate) asked: u64,
    /// The number of operations that are done.
    pub(crate) done: u64,
    pub(crate) clock: Clock,
    /// The priority of the stream: the highest one runs first when priorities decide.
    pub(crate) priority: u64,
    /// True if the stream was destroyed, so that it gets no more operations.
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

    /// Returns whether the next operation can run now.
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

    /// Drops all unfinished operations.
    pub(crate) fn abandon(&mut self) {
        for work in self.queue.drain(..) {
            if let Work::Record(mark) = work {
                mark.set_done();
            }
        }
        self.done = self.asked;
    }
}
