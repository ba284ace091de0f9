//! The engine as a WebAssembly module for browsers. Questions and answers are JSON texts in the
//! memory of the module.
//!
//! The page writes a question at the address that [`buffer`] returns, calls [`ask`], and reads the
//! answer at the address that [`answer`] returns. Each instance of the module has one evaluation,
//! which never changes. The page also asks for boards, legal moves and passes, because its
//! JavaScript does not contain the rules of the game.

mod game;
mod question;
mod searching;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use othello_engine::eval::Weights;
pub use question::answer_text;
use searching::Loaded;

thread_local! {
    static BUFFERS: RefCell<[Vec<u8>; 2]> = const { RefCell::new([vec![], vec![]]) };
}

/// Returns the address of a buffer of `bytes` bytes, into which the page writes a question (a JSON
/// text), or the name of a file and then its content.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(bytes: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|[question, _]| {
        *question = vec![0; bytes];
        question.as_mut_ptr()
    })
}

/// Answers the question in the [`buffer`]. Returns the size in bytes of the [`answer`].
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    reply(|question| answer_text(&String::from_utf8_lossy(&question)))
}

/// Loads a weights file from the [`buffer`], which has a file name of `name_bytes` bytes and then
/// the content of the file. Returns the size in bytes of the [`answer`].
#[unsafe(no_mangle)]
pub extern "C" fn load(name_bytes: usize) -> usize {
    take_file(name_bytes, |name, bytes| Loaded::load(name, Weights::read_bytes(name, bytes), true))
}

/// Loads, like [`load`], a weights file without training counts (how often each parameter occurs in
/// the training positions); [`load_counts`] can add them.
#[unsafe(no_mangle)]
pub extern "C" fn load_part(name_bytes: usize) -> usize {
    take_file(name_bytes, |name, bytes| {
        Loaded::load(name, Weights::read_without_counts(name, bytes), false)
    })
}

/// Loads, like [`load`], a file with the training counts of the weights that [`load_part`] loaded.
#[unsafe(no_mangle)]
pub extern "C" fn load_counts(name_bytes: usize) -> usize {
    take_file(name_bytes, searching::load_counts)
}

/// Returns the address of the last answer, a JSON text in UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    BUFFERS.with_borrow(|[_, answer]| answer.as_ptr())
}

/// Returns the time of the page's clock, in milliseconds: WebAssembly has no clock of its own.
#[cfg(target_family = "wasm")]
fn milliseconds() -> f64 {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        safe fn milliseconds() -> f64;
    }
    milliseconds()
}

#[cfg(not(target_family = "wasm"))]
fn milliseconds() -> f64 {
    std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs_f64() * 1e3
}

fn take_file(
    name_bytes: usize,
    take: impl FnOnce(&Path, Vec<u8>) -> Result<serde_json::Value, String>,
) -> usize {
    reply(|mut bytes| {
        // The name is removed in place: the memory has no room for a copy of the file.
        let name: Vec<u8> = bytes.drain(..name_bytes.min(bytes.len())).collect();
        let name = PathBuf::from(String::from_utf8_lossy(&name).into_owned());
        question::written(take(&name, bytes))
    })
}

fn reply(answer: impl FnOnce(Vec<u8>) -> String) -> usize {
    let question = BUFFERS.with_borrow_mut(|[question, _]| std::mem::take(question));
    let text = answer(question).into_bytes();
    BUFFERS.with_borrow_mut(|[_, answer]| {
        *answer = text;
        answer.len()
    })
}
