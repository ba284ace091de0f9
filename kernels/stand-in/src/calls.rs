//! The first step of every entry point: counts the call, and returns an error if a setting makes
//! this call fail or if the driver could not do it in its present state.

use std::cell::Cell;
use std::sync::MutexGuard;

use crate::codes::{Code, INVALID_CONTEXT, NOT_INITIALIZED, is_lasting};
use crate::device::{DEVICE, Handle, State};
use crate::settings::SETTINGS;

thread_local! {
    /// The current CUDA context of the calling thread; 0 if the thread has none.
    pub(crate) static CURRENT: Cell<Handle> = const { Cell::new(0) };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    Nothing,
    Start,
    Context,
}

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
        if CURRENT.get() == 0 || state.retained == 0 {
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
