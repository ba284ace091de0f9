//! The thread that runs the queued operations of the streams, in a random order.

use std::ffi::c_void;
use std::sync::{MutexGuard, PoisonError};
use std::thread;

use crate::calls::fault;
use crate::codes::{Answer, Code, ILLEGAL_ADDRESS, LAUNCH_FAILED};
use crate::device::{DEVICE, Random, State};
use crate::order::StreamNumber;
use crate::queue::{Launch, Stream, Work};

/// The name that the setting `fault` uses for a kernel that fails while it runs, not at its launch.
const KERNEL: &str = "kernel";

pub(crate) fn start(state: &mut State) {
    if !state.has_worker {
        state.has_worker = true;
        thread::spawn(work);
    }
}

fn work() {
    let mut state = DEVICE.lock();
    loop {
        let Some(stream) = state.may_run().then(|| pick(&mut state)).flatten() else {
            state = DEVICE.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.ahead = state.ahead.saturating_sub(1);
        state = advance(state, stream);
        DEVICE.changed.notify_all();
    }
}

/// Chooses a stream whose next operation can run: in half of the calls at random, otherwise by
/// priorities of the streams that change at random.
fn pick(state: &mut State) -> Option<StreamNumber> {
    let is_ready = |stream: &Stream| match stream.queue.front() {
        Some(Work::Wait(point)) => point.is_reached(&state.streams),
        first => first.is_some(),
    };
    let ready = state.streams.iter().filter(|(_, stream)| is_ready(stream));
    let ready: Vec<StreamNumber> = ready.map(|(&number, _)| number).collect();
    if state.random.below(8) == 0 {
        state.favour = state.random.next();
    }
    let count = ready.len() as u64;
    if count > 0 && state.random.below(2) == 0 {
        return Some(ready[state.random.below(count) as usize]);
    }
    ready.into_iter().max_by_key(|&number| Random(state.favour ^ number).next())
}

fn advance(
    mut state: MutexGuard<'static, State>,
    number: StreamNumber,
) -> MutexGuard<'static, State> {
    let Some(work) = state.streams.get_mut(&number).and_then(|it| it.queue.pop_front()) else {
        return state;
    };
    let done = match work {
        Work::Launch(launch) => match fault(&mut state, KERNEL) {
            Some(code) => Err(code),
            None => {
                drop(state);
                let done = run(&launch);
                state = DEVICE.lock();
                done.and_then(|()| check_guard_bytes(&mut state, &launch))
            }
        },
        other => simple(&mut state, other),
    };
    match done {
        Err(code) => state.lose(code),
        // If the context was lost meanwhile, the operation has already been counted as finished.
        Ok(()) if state.lost.is_some() => {}
        Ok(()) => finish(&mut state, number),
    }
    state
}

fn finish(state: &mut State, number: StreamNumber) {
    if let Some(stream) = state.streams.get_mut(&number) {
        stream.done += 1;
        if stream.destroyed && stream.is_idle() {
            state.streams.remove(&number);
        }
    }
}

fn simple(state: &mut State, work: Work) -> Answer {
    match work {
        // SAFETY: device memory was valid when the copy was requested, and is released only after
        // ordered work (unordered work is reported). The caller keeps host memory during the copy.
        Work::Copy { from, to, bytes } => unsafe {
            std::ptr::copy(from as *const u8, to as *mut u8, bytes);
        },
        // SAFETY: device memory was valid when this was requested; for its release, see `Copy`.
        Work::Fill { to, value, bytes } => unsafe { (to as *mut u8).write_bytes(value, bytes) },
        Work::Free(address) => state.memory.free(address),
        Work::Wait(_) | Work::Launch(_) => {}
    }
    Ok(())
}

fn run(launch: &Launch) -> Result<(), Code> {
    let mut words = launch.words.clone();
    let mut pointers: Vec<*mut c_void> =
        words.iter_mut().map(|word| std::ptr::from_mut(word).cast()).collect();
    // SAFETY: the kernel has the arguments that the index states. The arrays begin in device
    // memory, which is released only after ordered work. The trainer must make them long enough.
    let done = unsafe { launch.module.run(launch.kernel, launch.blocks, &mut pointers) };
    done.map_err(|_| LAUNCH_FAILED)
}

fn check_guard_bytes(state: &mut State, launch: &Launch) -> Answer {
    let mut written = launch.written.iter();
    let memory = &mut state.memory;
    let whole = |&address: &u64| memory.find(address, 0).is_none_or(|a| a.block.is_whole());
    if written.all(whole) { Ok(()) } else { Err(ILLEGAL_ADDRESS) }
}
