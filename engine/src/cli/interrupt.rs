//! Interrupts from the terminal (Ctrl-C) and from schedulers (SIGTERM).
//!
//! A run can be killed at any moment, so an interrupt may always end the process at once. Work
//! that asks between its units whether to stop is let finish those at hand first, since they would
//! have to be done again; a second interrupt does not wait for them.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// The number of the signal that came first; 0 where none did.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// Whether the stage at hand asks [`is_requested`].
static STAGE_ASKS: AtomicBool = AtomicBool::new(false);

/// Whether any stage did: the work can be gone on with.
static RESUMES: AtomicBool = AtomicBool::new(false);

/// Whether to stop. Asking promises to ask again soon.
pub(super) fn is_requested() -> bool {
    if !STAGE_ASKS.load(Ordering::Relaxed) {
        RESUMES.store(true, Ordering::SeqCst);
        STAGE_ASKS.store(true, Ordering::SeqCst);
    }
    SIGNAL.load(Ordering::SeqCst) != 0
}

/// A new stage begins, which may not ask.
pub(super) fn begin_stage() {
    STAGE_ASKS.store(false, Ordering::SeqCst);
}

/// The exit status of a process that the first signal ended, as shells have it.
pub(super) fn exit_status() -> u8 {
    128 + SIGNAL.load(Ordering::SeqCst)
}

/// What to say at the end.
pub(super) fn farewell() -> &'static str {
    if RESUMES.load(Ordering::SeqCst) {
        "interrupted: what is finished is kept; run the same command again to go on"
    } else {
        "interrupted"
    }
}

/// Listens from now on. Other systems than Unix end the process at once, as they do without.
#[cfg(unix)]
pub(super) fn listen() -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let listener = move || {
        for signal in signals.forever() {
            let number = u8::try_from(signal).unwrap_or(u8::MAX - 128);
            let first = SIGNAL.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst);
            if first.is_ok() && STAGE_ASKS.load(Ordering::SeqCst) {
                super::progress::say(
                    "stopping after the work at hand; interrupt again to stop now",
                );
            } else {
                super::progress::say(farewell());
                std::process::exit(exit_status().into());
            }
        }
    };
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(listener)?;
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn listen() -> std::io::Result<()> {
    Ok(())
}
