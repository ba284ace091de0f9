//! The engine in a browser: questions and answers in JSON, through the memory of WebAssembly.
//!
//! The page writes a question where [`buffer`] says, calls [`ask`], and reads the answer at [`answer`].
//! An instance takes one evaluation for its life: the page starts another one for other weights. No rule
//! of the game is written in JavaScript: the page asks for boards, legal moves and passes, too.

mod game;
mod question;
mod searching;

use std::cell::RefCell;
use std::path::PathBuf;

pub use question::answer_text;
use searching::Loaded;

thread_local! {
    /// What came from the page, and what goes back.
    static BUFFERS: RefCell<[Vec<u8>; 2]> = const { RefCell::new([vec![], vec![]]) };
}

/// Room for so many bytes, where the page writes a question, or a file with its name before it.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(bytes: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|[question, _]| {
        *question = vec![0; bytes];
        question.as_mut_ptr()
    })
}

/// Answers the question in the buffer; the number of bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    reply(|question| answer_text(&String::from_utf8_lossy(&question)))
}

/// Takes the weights file in the buffer, behind a name of so many bytes; the number of bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn load(name_bytes: usize) -> usize {
    reply(|mut name| {
        let bytes = name.split_off(name_bytes.min(name.len()));
        let name = PathBuf::from(String::from_utf8_lossy(&name).into_owned());
        question::written(Loaded::load(&name, bytes))
    })
}

/// The place of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    BUFFERS.with_borrow(|[_, answer]| answer.as_ptr())
}

fn reply(answer: impl FnOnce(Vec<u8>) -> String) -> usize {
    let question = BUFFERS.with_borrow_mut(|[question, _]| std::mem::take(question));
    let text = answer(question).into_bytes();
    BUFFERS.with_borrow_mut(|[_, answer]| {
        *answer = text;
        answer.len()
    })
}
