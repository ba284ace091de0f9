//! Runs long work without Python's global lock, so that Ctrl-C can interrupt it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::threads::on_threads;

const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work`, which must end soon after the flag that it receives becomes true. A signal such as
/// Ctrl-C sets the flag; the result is then the exception that Python's handler of the signal
/// raises, usually `KeyboardInterrupt`.
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
