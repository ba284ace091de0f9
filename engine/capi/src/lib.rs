//! The engine as a C library: `include/othello.h` is generated from this crate.
//!
//! Each function with the prefix `othello_` checks its arguments and calls the engine. If it fails,
//! it stores an error message, which [`othello_error`] returns. A panic of the engine becomes the
//! status [`OthelloStatus::Internal`]. [`OthelloWeights`] is an evaluation that several threads and
//! searches can share. [`OthelloSearch`] is a searcher with its own transposition table.
//!
//! # Safety
//! Every function relies on its caller for these conditions. Each pointer to an argument is null or
//! points to a value of its type. Each pointer to a result is null or points to memory for a value
//! of its type. A handle has not been freed. A text ends with a zero byte. A null pointer is an
//! error unless the function allows it.
#![allow(clippy::missing_safety_doc, reason = "the front page states it for all functions")]

mod board;
mod search;
mod weights;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use board::*;
pub use search::*;
pub use weights::*;

/// The status that a function of this library returns.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OthelloStatus {
    /// The call succeeded.
    Ok = 0,
    /// An argument is not valid: it is null, not a position, not a legal move, or not a setting.
    Argument = 1,
    /// A weights file cannot be read, is damaged, or lacks a required model, such as ProbCut.
    Weights = 2,
    /// There is too little memory, or the system allows no further thread.
    Memory = 3,
    /// The library panicked, by a bug. Do not use again a handle that was passed to the call.
    Internal = 4,
}

pub(crate) struct Failure(OthelloStatus, String);

impl Failure {
    pub(crate) fn argument(text: impl ToString) -> Self {
        Self(OthelloStatus::Argument, text.to_string())
    }

    pub(crate) fn weights(text: impl ToString) -> Self {
        Self(OthelloStatus::Weights, text.to_string())
    }

    pub(crate) fn memory(text: impl ToString) -> Self {
        Self(OthelloStatus::Memory, text.to_string())
    }
}

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
}

/// Returns the error message of the last failed call of this thread: what was wrong, where, and
/// what was expected. The text is empty if no call failed, and valid until the next call fails.
#[unsafe(no_mangle)]
pub extern "C" fn othello_error() -> *const c_char {
    ERROR.with_borrow(|error| error.as_ptr())
}

pub(crate) fn call(work: impl FnOnce() -> Result<(), Failure>) -> OthelloStatus {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let text = "a fault of the library, described on standard error; please report it";
        Err(Failure(OthelloStatus::Internal, text.to_owned()))
    });
    let Err(Failure(status, text)) = result else { return OthelloStatus::Ok };
    ERROR.set(CString::new(text.replace('\0', " ")).unwrap_or_default());
    status
}

fn null(name: &str) -> Failure {
    Failure::argument(format!("{name} is null; expected an address"))
}

/// Returns the value at `pointer`, or an error that states that the parameter `name` is null.
///
/// # Safety
/// Unless it is null, `pointer` points to a valid value that nobody changes in `'a`.
pub(crate) unsafe fn read<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller promises a valid pointer.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// Returns the memory at `pointer`, or an error that states that the parameter `name` is null.
///
/// # Safety
/// Unless it is null, `pointer` points to memory that nobody else uses in `'a`.
pub(crate) unsafe fn place<'a, T>(
    pointer: *mut T,
    name: &str,
) -> Result<&'a mut MaybeUninit<T>, Failure> {
    // SAFETY: the caller promises a valid pointer; the memory need not contain a value yet.
    unsafe { pointer.cast::<MaybeUninit<T>>().as_mut() }.ok_or_else(|| null(name))
}

/// Returns the text at `pointer`. If the pointer is null or the text is not UTF-8, returns an error
/// that contains the name of the parameter, `name`.
///
/// # Safety
/// Unless it is null, `pointer` points to a text that ends with a zero and is unchanged in `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller promises a valid pointer.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|error| Failure::argument(format!("{name} is not UTF-8: {error}")))
}
