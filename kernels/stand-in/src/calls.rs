//! The start of every entry point: counts the call, and fails if the settings require it.

use std::cell::Cell;
use std::sync::MutexGuard;

use crate::codes::{Code, INVALID_CONTEXT, NOT_INITIALIZED, is_lasting};
use crate::device::{DEVICE, State};
use crate::settings::SETTINGS;

thread_local! {
    pub(crate) static CONTEXT_IS_CURRENT: Cell<bool> = const { Cell::new(false) };
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
        if !CONTEXT_IS_CURRENT.get() || state.retained == 0 {
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
