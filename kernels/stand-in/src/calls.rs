//! The first step of every entry point. It counts the call, and lets it fail if the settings demand
//! this.

use std::cell::Cell;
use std::sync::MutexGuard;

use crate::codes::{Code, INVALID_CONTEXT, NOT_INITIALIZED, is_lasting};
use crate::device::{DEVICE, State};
use crate::settings::SETTINGS;

thread_local! {
    /// True if the context is current in this thread.
    pub(crate) static CURRENT: Cell<bool> = const { Cell::new(false) };
}

/// The state that a call requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    Nothing,
    Start,
    /// A context that works and is current in this thread.
    Context,
}

/// Counts a call, and locks the state. Returns an error if the settings demand one for this call,
/// or if the driver is not in the state that the call requires.
pub(crate) fn enter(entry: &str, needs: Needs) -> Result<MutexGuard<'static, State>, Code> {
    let mut state = DEVICE.lock();
    if let Some(code) = fault(&mut state, entry) {
        if needs == Needs::Context && is_lasting(code) {
            state.lose(code);
        }
        return Err(code);
    }
    if needs != Needs::Nothing && !state.initialised {
        return Err(NOT_INITIALIZED);
    }
    if needs == Needs::Context {
        if !CURRENT.get() || state.retained == 0 {
            return Err(INVALID_CONTEXT);
        }
        if let Some(code) = state.lost {
            return Err(code);
        }
    }
    Ok(state)
}

pub(crate) fn fault(state: &mut State, entry: &str) -> Option<Code> {
    let calls = state.calls.entry(entry.to_owned()).or_default();
    *calls += 1;
    let fault = SETTINGS.fault.as_ref()?;
    (fault.entry == entry && fault.call == *calls).then_some(fault.code)
}
