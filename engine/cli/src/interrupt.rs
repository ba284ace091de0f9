//! The interrupts from the terminal (Ctrl-C) and from schedulers (SIGTERM).
//!
//! A run can be killed at any moment, so an interrupt may always end the process at once. But a
//! stage that can stop between its units first finishes those in progress, which would otherwise be
//! done again. A second interrupt does not wait for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// The interrupts of this process; clones share them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Interrupts(Arc<State>);

#[derive(Default, Debug)]
struct State {
    /// The number of the first signal; 0 before any.
    signal: AtomicU8,
    /// True if the current stage can stop between its units.
    stage_stops: AtomicBool,
    /// True if any stage could stop: the same command then resumes with its finished units.
    resumable: AtomicBool,
}

impl Interrupts {
    /// Returns whether an interrupt came.
    pub(crate) fn is_requested(&self) -> bool {
        self.0.signal.load(Ordering::SeqCst) != 0
    }

    /// Begins a new stage. One that `stops` must call [`Self::is_requested`] soon and often.
    pub(crate) fn begin_stage(&self, stops: bool) {
        self.0.stage_stops.store(stops, Ordering::SeqCst);
        self.0.resumable.fetch_or(stops, Ordering::SeqCst);
    }

    /// Returns the exit status of a process that the first signal ended, as in shells.
    pub(crate) fn exit_status(&self) -> u8 {
        128 + self.0.signal.load(Ordering::SeqCst)
    }

    /// Returns the message at the end.
    pub(crate) fn farewell(&self) -> &'static str {
        if self.0.resumable.load(Ordering::SeqCst) {
            "interrupted: what is finished is kept; run the same command again to go on"
        } else {
            "interrupted"
        }
    }

    /// Records a signal; returns whether the current work may be waited for.
    #[cfg(any(unix, windows, test))]
    fn receive(&self, signal: u8) -> bool {
        let first = self.0.signal.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
        first.is_ok() && self.0.stage_stops.load(Ordering::SeqCst)
    }

    /// Starts a thread that listens for signals. The signal for a write beyond the limit on file
    /// sizes (`ulimit -f`) is caught too, so that the write fails with an error.
    #[cfg(unix)]
    pub(crate) fn listen() -> std::io::Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
        use signal_hook::iterator::Signals;

        let interrupts = Self::default();
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let received = interrupts.clone();
        let listener = move || {
            for signal in signals.forever() {
                received.answer(u8::try_from(signal).unwrap_or(u8::MAX - 128));
            }
        };
        std::thread::Builder::new().name("interrupts".to_owned()).spawn(listener)?;
        Ok(interrupts)
    }

    /// Starts a thread that looks for Ctrl-C. There is no other signal on Windows, and nothing that
    /// waits for one.
    #[cfg(windows)]
    pub(crate) fn listen() -> std::io::Result<Self> {
        use signal_hook::consts::SIGINT;

        const BETWEEN_LOOKS: std::time::Duration = std::time::Duration::from_millis(50);
        let interrupts = Self::default();
        let came = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(SIGINT, came.clone())?;
        let received = interrupts.clone();
        let listener = move || {
            loop {
                std::thread::sleep(BETWEEN_LOOKS);
                if came.swap(false, Ordering::SeqCst) {
                    received.answer(u8::try_from(SIGINT).unwrap_or(u8::MAX - 128));
                }
            }
        };
        std::thread::Builder::new().name("interrupts".to_owned()).spawn(listener)?;
        Ok(interrupts)
    }

    /// Says what happens on a signal, and ends the process if nothing is waited for.
    #[cfg(any(unix, windows))]
    fn answer(&self, signal: u8) {
        use crate::message::say;

        if self.receive(signal) {
            say("stopping after the work at hand; interrupt again to stop now");
        } else {
            say(self.farewell());
            std::process::exit(self.exit_status().into());
        }
    }

    /// Does nothing: on systems other than Unix and Windows, an interrupt ends the process at once.
    #[cfg(not(any(unix, windows)))]
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_stage_that_stops_is_waited_for_and_only_once() {
        let interrupts = Interrupts::default();
        interrupts.begin_stage(true);
        interrupts.begin_stage(false);
        // Calling it changes nothing.
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
