//! Runs long work on a thread pool. Each process makes its own pool, because Python's
//! `multiprocessing` and PyTorch's `DataLoader` fork by default. A forked child lacks the threads
//! of its parent's pool, and would wait for them forever.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The stack size of a thread. A search of 60 plies needs more than the default.
const STACK_BYTES: usize = 8 << 20;

/// The thread pool, with the id of the process that made it. A forked child makes a new pool.
static POOL: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);

fn pool() -> PyResult<&'static ThreadPool> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, pool)) = *pool
        && owner == process
    {
        return Ok(pool);
    }
    let built = ThreadPoolBuilder::new().stack_size(STACK_BYTES).build();
    let failed = |error| PyRuntimeError::new_err(format!("cannot start threads: {error}"));
    let built: &'static ThreadPool = Box::leak(Box::new(built.map_err(failed)?));
    *pool = Some((process, built));
    Ok(built)
}

/// Runs `work` on the threads of [`pool`]; all work that may use rayon must run there.
pub(crate) fn on_threads<T: Send>(work: impl FnOnce() -> T + Send) -> PyResult<T> {
    Ok(pool()?.install(work))
}

pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| on_threads(work))
}

const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` with a flag, which is set if a signal such as Ctrl-C raises an exception in Python.
/// `work` must end soon after. Then the exception, usually `KeyboardInterrupt`, is returned.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    py.detach(|| {
        thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            let flag = Arc::clone(&stop);
            let worker = scope.spawn(move || {
                // Dropping `done`, also after a panic of the work, ends the wait below.
                let _done = done;
                on_threads(|| work(&flag))
            });
            let mut signal = Ok(());
            while is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                if signal.is_ok() {
                    signal = Python::attach(|py| py.check_signals());
                    stop.store(signal.is_err(), Ordering::Relaxed);
                }
            }
            match worker.join() {
                Ok(result) => signal.and(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    })
}
