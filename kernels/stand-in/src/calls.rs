//! The start of every entry point: it counts the call, and makes it fail if the settings demand so.

use std::cell::Cell;
use std::sync::MutexGuard;

use crate::codes::{Code, INVALID_CONTEXT, NOT_INITIALIZED, is_lasting};
use crate::device::{DEVICE, State};
use crate::settings::SETTINGS;

thread_local! {
    /// True if the calling thread has made the CUDA context current by `cuCtxSetCurrent`.
    pub(crate) static CURRENT: Cell<bool> = const { Cell::new(false) };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    Nothing,
    Start,
    /// A CUDA context that is current in the calling thread and not lost by an earlier error.
    Context,
}

/// Counts a call and locks the device. Fails if a test asks for that, or if `needs` is not met.
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
