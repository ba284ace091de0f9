//! Weights: static values, alone and by their parts.

use std::ffi::{CString, c_char};
use std::slice;

use othello_engine::eval::{
    Evaluate as _, Evaluator, ExpandedWeights, Identified as _, STEPS_PER_DISC,
};

use crate::{Failure, OthelloBoard, OthelloStatus, call, null, place, read, text};

/// Values are in steps; this many steps are one disc.
pub const OTHELLO_STEPS_PER_DISC: i32 = 32;
const _: () = assert!(OTHELLO_STEPS_PER_DISC == STEPS_PER_DISC);

/// Weights in memory. They never change, so that threads and searches share them.
pub struct OthelloWeights {
    pub(crate) evaluator: Evaluator,
    identity: CString,
}

/// The origin of a part of a value.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OthelloPartKind {
    /// The weight of one pattern's configuration on its squares.
    Pattern = 0,
    /// The weight of a scalar feature, which has no squares.
    Scalar = 1,
    /// The sum of all factors, which have no squares of their own.
    Factors = 2,
}

/// A part of a value. All parts of a value sum to it, before it is limited to 64 discs.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OthelloPart {
    /// The origin of the part.
    pub kind: OthelloPartKind,
    /// The part in steps.
    pub steps: i32,
    /// The squares of a pattern's instance; otherwise 0.
    pub squares: u64,
}

/// Loads weights: the path of a file, or "mobility" for an evaluation by hand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_weights_load(
    path: *const c_char,
    weights: *mut *mut OthelloWeights,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let (path, weights) = unsafe { (text(path, "path")?, place(weights, "weights")?) };
        let choice = path.parse().map_err(|error| Failure::weights(format!("{path}: {error}")))?;
        weights.write(handle(Evaluator::load(&choice).map_err(Failure::weights)?));
        Ok(())
    })
}

/// Reads weights from the `size` bytes of a weights file in memory, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_weights_read(
    bytes: *const u8,
    size: usize,
    weights: *mut *mut OthelloWeights,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let (bytes, weights) =
            unsafe { (slice(bytes, size, "bytes")?, place(weights, "weights")?) };
        let read = ExpandedWeights::read_with_counts("memory".as_ref(), bytes.to_vec());
        let (file, _) = read.map_err(Failure::weights)?;
        weights.write(handle(file.into()));
        Ok(())
    })
}

fn handle(evaluator: Evaluator) -> *mut OthelloWeights {
    let identity = CString::new(evaluator.identity()).unwrap_or_default();
    Box::into_raw(Box::new(OthelloWeights { evaluator, identity }))
}

/// Returns what identifies the weights: the sha256 of a file's content, or the name of an
/// evaluation by hand. The text is valid until the weights are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_weights_identity(weights: *const OthelloWeights) -> *const c_char {
    // SAFETY: the caller's promise.
    unsafe { weights.as_ref() }.map_or(c"".as_ptr(), |weights| weights.identity.as_ptr())
}

/// Frees weights. No search may use them any more; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_weights_free(weights: *mut OthelloWeights) {
    if !weights.is_null() {
        // SAFETY: `handle` made it, and the caller promises that nobody uses it.
        drop(unsafe { Box::from_raw(weights) });
    }
}

/// Finds the static values of `count` boards, in steps, on the calling thread. If the player must
/// pass, the value is the negated value after the pass; a finished game has its score.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_evaluate(
    weights: *const OthelloWeights,
    boards: *const OthelloBoard,
    count: usize,
    values: *mut i32,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let (weights, boards) =
            unsafe { (read(weights, "weights")?, slice(boards, count, "boards")?) };
        let numbered = boards.iter().enumerate().map(|(number, board)| {
            let named = |Failure(status, text)| Failure(status, format!("board {number}: {text}"));
            Ok((board.position().map_err(named)?, number))
        });
        let mut positions: Vec<_> = numbered.collect::<Result<_, Failure>>()?;
        // Each phase has weights of its own: going phase by phase keeps them in the cache.
        positions.sort_by_key(|(position, _)| position.ply());
        if values.is_null() && count > 0 {
            return Err(null("values"));
        }
        for (position, number) in positions {
            let steps = weights.evaluator.value_of(&position).steps();
            // SAFETY: the caller's promise; `number` is less than `count`.
            unsafe { values.add(number).write(steps) };
        }
        Ok(())
    })
}

/// Takes the static value of a board apart: stores at most `capacity` parts, and in `count` how
/// many there are. `parts` may be null if `capacity` is 0. Fails for an evaluation by hand, and if
/// the player has no legal move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_parts(
    weights: *const OthelloWeights,
    board: *const OthelloBoard,
    parts: *mut OthelloPart,
    capacity: usize,
    count: *mut usize,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let (weights, board, count) =
            unsafe { (read(weights, "weights")?, read(board, "board")?, place(count, "count")?) };
        let no_parts = || Failure::weights("an evaluation by hand has no parts");
        let tables = weights.evaluator.tables().ok_or_else(no_parts)?;
        let no_move = || Failure::argument("the player has no legal move, so no value of its own");
        let found = tables.parts(None, &board.position()?).ok_or_else(no_move)?;
        if parts.is_null() && capacity > 0 {
            return Err(null("parts"));
        }
        let patterns = found.instances.iter().map(|part| OthelloPart {
            kind: OthelloPartKind::Pattern,
            steps: part.weight.steps.into(),
            squares: part.squares.iter().map(|square| square.bit()).sum(),
        });
        let scalars = found.scalars.iter().map(|part| {
            let (kind, steps) = (OthelloPartKind::Scalar, part.weight.steps.into());
            OthelloPart { kind, steps, squares: 0 }
        });
        let (kind, steps) = (OthelloPartKind::Factors, found.together);
        let factors = std::iter::once(OthelloPart { kind, steps, squares: 0 });
        let all: Vec<OthelloPart> = patterns.chain(scalars).chain(factors).collect();
        for (number, part) in all.iter().take(capacity).enumerate() {
            // SAFETY: the caller's promise; `number` is less than `capacity`.
            unsafe { parts.add(number).write(*part) };
        }
        count.write(all.len());
        Ok(())
    })
}

/// # Safety
/// `first` points to `count` values that nobody changes during `'a`; null is allowed if `count` is
/// 0.
unsafe fn slice<'a, T>(first: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    match (first.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { slice::from_raw_parts(first, count) }),
    }
}
