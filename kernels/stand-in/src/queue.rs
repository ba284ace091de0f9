//! Streams: their queued operations, and the numbers of requested and finished operations.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use othello_kernels::Kernel;
use othello_kernels::host::HostLauncher;

use crate::order::{Clock, StreamNumber};

/// A point in a stream: the stream, and how many of its operations must be finished to reach the
/// point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point(pub(crate) StreamNumber, pub(crate) u64);

impl Point {
    pub(crate) fn is_reached(self, streams: &BTreeMap<StreamNumber, Stream>) -> bool {
        streams.get(&self.0).is_none_or(|stream| stream.done >= self.1)
    }
}

/// An operation in a stream. Its addresses are in the memory of this process, not the addresses of
/// the simulated device.
#[derive(Debug)]
pub(crate) enum Work {
    Copy { from: u64, to: u64, bytes: usize },
    Fill { to: u64, value: u8, bytes: usize },
    Free(u64),
    Launch(Box<Launch>),
    Wait(Point),
}

#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) module: Arc<HostLauncher>,
    pub(crate) kernel: &'static Kernel,
    pub(crate) blocks: u32,
    /// The arguments: addresses of arrays in this process, or numbers (a `u32` in the lower half).
    pub(crate) words: Vec<u64>,
    pub(crate) written: Vec<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The CUDA context in which the stream was made; each GPU has one context.
    pub(crate) context: u64,
    pub(crate) queue: VecDeque<Work>,
    pub(crate) asked: u64,
    pub(crate) done: u64,
    pub(crate) clock: Clock,
    pub(crate) destroyed: bool,
}

impl Stream {
    pub(crate) fn is_idle(&self) -> bool {
        self.done == self.asked
    }

    pub(crate) fn abandon(&mut self) {
        self.queue.clear();
        self.done = self.asked;
    }
}
