use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use othello_engine::progress::{Interrupted, Progress};

/// A progress observer that stops a fit after a number of phases or of weight updates, and keeps
/// all messages of the fit.
#[derive(Debug)]
pub struct StopFit {
    phases: AtomicU64,
    updates: AtomicU64,
    messages: Mutex<Vec<String>>,
}

impl StopFit {
    /// Creates an observer that stops a fit after `phases` phases or after `updates` updates.
    pub fn after(phases: u64, updates: u64) -> Self {
        Self { phases: phases.into(), updates: updates.into(), messages: Mutex::default() }
    }

    /// Returns all messages that the fit has reported.
    pub fn into_messages(self) -> Vec<String> {
        self.messages.into_inner().expect("nobody panicked")
    }
}

/// Returns true if the counter is 0; otherwise subtracts 1 from it and returns false.
fn is_used_up(left: &AtomicU64) -> bool {
    let one_less = |left: u64| left.checked_sub(1);
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_err()
}

impl Progress for StopFit {
    fn begin(&self, _: &str, _: u64, _: u64) {}

    fn advance(&self, _: u64) {}

    fn message(&self, line: &str) {
        self.messages.lock().expect("nobody panicked").push(line.to_owned());
    }

    fn is_interrupted(&self) -> bool {
        is_used_up(&self.updates)
    }

    fn check(&self) -> Result<(), Interrupted> {
        let is_over = is_used_up(&self.phases) || self.updates.load(Ordering::Relaxed) == 0;
        if is_over { Err(Interrupted) } else { Ok(()) }
    }
}
