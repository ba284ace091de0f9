//! Interrupts by Ctrl-C and SIGTERM. Some stages of a command can stop between two units of work,
//! such as two games. In such a stage, the first interrupt ends the process after the units in
//! progress. A second interrupt, or one in any other stage, ends it at once. Neither damages files.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};

#[derive(Default, Debug)]
pub(crate) struct Interrupts {
    /// The number of the first signal received; 0 before the first signal.
    signal: AtomicU8,
    stage_stops: AtomicBool,
    /// True if a stage has begun whose finished work the next run of the same command can reuse.
    resumable: AtomicBool,
}

impl Interrupts {
    pub(crate) fn is_requested(&self) -> bool {
        self.signal.load(SeqCst) != 0
    }

    /// Begins a stage. If `stops` is true, the first interrupt lets it finish its units in
    /// progress.
    pub(crate) fn begin_stage(&self, stops: bool) {
        self.stage_stops.store(stops, SeqCst);
        self.resumable.fetch_or(stops, SeqCst);
    }

    pub(crate) fn exit_status(&self) -> u8 {
        128 + self.signal.load(SeqCst)
    }

    pub(crate) fn farewell(&self) -> &'static str {
        if self.resumable.load(SeqCst) {
            "interrupted: finished work is kept; run the same command again to resume"
        } else {
            "interrupted"
        }
    }

    /// Records a signal. Returns true if the current stage will stop by itself, and false if the
    /// process must end now.
    pub(crate) fn receive(&self, signal: u8) -> bool {
        let first = self.signal.compare_exchange(0, signal, SeqCst, SeqCst);
        first.is_ok() && self.stage_stops.load(SeqCst)
    }
}

#[cfg(unix)]
pub(crate) fn listen(answer: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

    // Without this, a write beyond the limit on file sizes (`ulimit -f`) would end the process.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    start(move || signals.forever().for_each(|signal| answer(signal as u8)))
}

#[cfg(windows)]
pub(crate) fn listen(answer: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::SIGINT;

    const BETWEEN_LOOKS: std::time::Duration = std::time::Duration::from_millis(50);
    let came = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGINT, came.clone())?;
    // The flag is polled, because the crate `signal_hook` cannot wait for a signal on Windows.
    start(move || {
        loop {
            std::thread::sleep(BETWEEN_LOOKS);
            if came.swap(false, SeqCst) {
                answer(SIGINT as u8);
            }
        }
    })
}

#[cfg(not(any(unix, windows)))]
pub(crate) fn listen(_: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    Ok(())
}

#[cfg(any(unix, windows))]
fn start(listener: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(listener).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_stage_that_stops_is_waited_for_and_only_once() {
        let interrupts = Interrupts::default();
        interrupts.begin_stage(true);
        interrupts.begin_stage(false);
        assert!(!interrupts.is_requested());
        assert!(!interrupts.receive(15));
        assert_eq!((interrupts.is_requested(), interrupts.exit_status()), (true, 143));
        assert!(interrupts.farewell().contains("run the same command again"));

        let interrupts = Interrupts::default();
        assert_eq!(interrupts.farewell(), "interrupted");
        interrupts.begin_stage(true);
        assert!(interrupts.receive(2));
        assert!(!interrupts.receive(2));
        assert_eq!(interrupts.exit_status(), 130);
    }
}
