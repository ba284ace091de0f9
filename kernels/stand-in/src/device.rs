//! The state of the simulated device and of its driver.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

use othello_kernels::Kernel;
use othello_kernels::host::HostLauncher;

use crate::codes::{Answer, Code, INVALID_HANDLE};
use crate::memory::Memory;
use crate::order::{Clock, Moment, StreamNumber};
use crate::queue::{Point, Stream, Work};
use crate::settings::SETTINGS;

pub(crate) type Handle = u64;

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) module: Module,
    pub(crate) kernel: &'static Kernel,
}

/// A loaded module, and the context in which it was loaded.
pub(crate) type Module = (Arc<HostLauncher>, Handle);

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) initialised: bool,
    pub(crate) retained: u64,
    pub(crate) lost: Option<Code>,
    pub(crate) calls: BTreeMap<String, u64>,
    pub(crate) memory: Memory,
    /// The contexts whose program has queried the free memory. If such a context queries it again,
    /// the answer is the setting `free-later`.
    pub(crate) asked: BTreeSet<Handle>,
    pub(crate) streams: BTreeMap<StreamNumber, Stream>,
    /// For each event, the point in a stream at which it was last recorded, and the stream's clock
    /// at this point; `None` if it was never recorded.
    pub(crate) events: BTreeMap<Handle, Option<(Point, Clock)>>,
    pub(crate) modules: BTreeMap<Handle, Module>,
    pub(crate) functions: BTreeMap<Handle, Function>,
    /// For each stream, the last operation that has surely ended, because the host waited for it.
    pub(crate) host: Clock,
    pub(crate) awaited: Vec<Point>,
    /// The number of queued operations that the stand-in may run although no thread waits for them.
    /// The setting `seed` decides how this number grows.
    pub(crate) ahead: u64,
    pub(crate) random: Random,
    pub(crate) favour: u64,
    pub(crate) has_worker: bool,
    pub(crate) unordered: u64,
    /// The calls of `cuStreamWaitEvent`, by number from 1, that were needed to order operations.
    pub(crate) needed_waits: Vec<u64>,
    handles: Handle,
}

impl State {
    pub(crate) fn handle(&mut self) -> Handle {
        self.handles += 16;
        self.handles
    }

    pub(crate) fn stream(&mut self, handle: Handle) -> Result<&mut Stream, Code> {
        self.streams.get_mut(&handle).filter(|stream| !stream.destroyed).ok_or(INVALID_HANDLE)
    }

    /// Adds an operation to the clock of the stream `handle`. Returns the operation, and the clock.
    pub(crate) fn moment(&mut self, handle: Handle) -> Result<(Moment, Clock), Code> {
        let host = self.host.clone();
        let stream = self.stream(handle)?;
        stream.clock.join(&host);
        Ok((stream.clock.next(handle), stream.clock.clone()))
    }

    pub(crate) fn may_run(&mut self) -> bool {
        self.awaited.retain(|point| !point.is_reached(&self.streams));
        !self.awaited.is_empty() || self.ahead > 0
    }

    pub(crate) fn push(&mut self, handle: Handle, work: Work) -> Answer {
        let stream = self.stream(handle)?;
        stream.queue.push_back(work);
        stream.asked += 1;
        self.ahead = match SETTINGS.seed % 3 {
            0 => 0,
            1 => self.ahead + self.random.below(3),
            _ => u64::MAX,
        };
        DEVICE.changed.notify_all();
        Ok(())
    }

    pub(crate) fn note_order(&mut self, ordered: bool, what: &str, moment: Moment) {
        if !ordered {
            self.unordered += 1;
            eprintln!("stand-in: {what}, {moment:?}: memory that another stream uses, unordered");
        }
    }

    pub(crate) fn lose(&mut self, code: Code) {
        self.lost.get_or_insert(code);
        self.streams.values_mut().for_each(Stream::abandon);
        DEVICE.changed.notify_all();
    }
}

pub(crate) struct Device {
    state: Mutex<State>,
    pub(crate) changed: Condvar,
}

pub(crate) static DEVICE: LazyLock<Device> = LazyLock::new(|| Device {
    state: Mutex::new(State { random: Random(SETTINGS.seed), ..State::default() }),
    changed: Condvar::new(),
});

impl Device {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks the calling thread until the streams have reached `points`; meanwhile, operations of
    /// all streams may run. Returns an error if one of these operations made the context unusable.
    pub(crate) fn wait(&self, mut state: MutexGuard<'_, State>, points: &[Point]) -> Answer {
        state.awaited.extend(points);
        self.changed.notify_all();
        while !points.iter().all(|point| point.is_reached(&state.streams)) && state.lost.is_none() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.lost.map_or(Ok(()), Err)
    }
}

/// The random number generator SplitMix64.
#[derive(Clone, Debug, Default)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.next() % count.max(1)
    }
}
