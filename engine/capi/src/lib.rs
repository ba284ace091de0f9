//! The engine as a C library: `include/othello.h` is generated from this crate.
//!
//! Each function with the prefix `othello_` checks its arguments, calls the engine, and stores a
//! text if it fails. Panics end at this border. [`OthelloWeights`] are an evaluation, which threads
//! and searches share; an [`OthelloSearch`] has a transposition table.
//!
//! # Safety
//! Of every function: each pointer is null, which is refused, or points to a value of its type, or
//! to memory for one if it is a result. A handle has not been freed. A text ends with a zero.
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

/// The result of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OthelloStatus {
    /// Done.
    Ok = 0,
    /// An argument is null, not a position, not a legal move, or not a setting.
    Argument = 1,
    /// A weights file cannot be read, is damaged, or has no model for the search.
    Weights = 2,
    /// There is too little memory or no further thread.
    Memory = 3,
    /// A fault of the library. The handle of the call must not be used any more.
    Internal = 4,
}

/// A failed call: its status and its text.
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
    /// The text of this thread's last failure.
    static ERROR: RefCell<CString> = RefCell::default();
}

/// Returns the text of the last failed call of this thread: the fault, its place, and the expected
/// form. It is valid until the next call that fails; empty if none failed.
#[unsafe(no_mangle)]
pub extern "C" fn othello_error() -> *const c_char {
    ERROR.with_borrow(|error| error.as_ptr())
}

/// Does the work of a call, and stores the text of a failure.
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

/// # Safety
/// `pointer` is null or points to a valid value that nobody changes during `'a`.
pub(crate) unsafe fn read<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// # Safety
/// `pointer` is null or points to memory for a value that nobody else uses during `'a`.
pub(crate) unsafe fn place<'a, T>(
    pointer: *mut T,
    name: &str,
) -> Result<&'a mut MaybeUninit<T>, Failure> {
    // SAFETY: the caller's promise; the memory need not contain a value yet.
    unsafe { pointer.cast::<MaybeUninit<T>>().as_mut() }.ok_or_else(|| null(name))
}

/// # Safety
/// `pointer` is null or points to a text that ends with a zero and that nobody changes during `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|error| Failure::argument(format!("{name} is not UTF-8: {error}")))
}
