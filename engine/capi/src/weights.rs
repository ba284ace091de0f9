use std::ffi::{CString, c_char};
use std::slice;

use othello_engine::eval::{Evaluate as _, Evaluator, Identified as _, STEPS_PER_DISC, Weights};

use crate::{Failure, OthelloBoard, OthelloStatus, call, null, place, read, text};

/// The number of steps in one disc. All values are whole numbers of steps.
pub const OTHELLO_STEPS_PER_DISC: i32 = 32;
const _: () = assert!(OTHELLO_STEPS_PER_DISC == STEPS_PER_DISC);

/// Weights in memory. Weights never change, so several threads and searches can share them.
pub struct OthelloWeights {
    pub(crate) evaluator: Evaluator,
    identity: CString,
}

/// The kind of term that contributes a part to a static value.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OthelloPartKind {
    /// The linear weight of one pattern instance, a pattern on fixed squares.
    Pattern = 0,
    /// The weight of a scalar feature: a count, such as the number of legal moves.
    Scalar = 1,
    /// The pairwise interactions of all patterns and scalar features (factorization machine).
    Factors = 2,
}

/// A part of a static value. The sum of all parts of a board, clamped to -64 to 64 discs, is its
/// static value.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OthelloPart {
    /// The kind of this part of a static value: pattern, scalar feature or factors.
    pub kind: OthelloPartKind,
    /// The amount that this part adds to the value, in steps of 1/OTHELLO_STEPS_PER_DISC disc.
    pub steps: i32,
    /// The squares of the pattern instance as a bitboard; 0 for a part of another kind.
    pub squares: u64,
}

/// Loads weights from the file at `path`. In place of a path, "embedded" means the shipped weights,
/// "mobility" a hand-written evaluation of mobility, and "none" the value 0 of every position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_weights_load(
    path: *const c_char,
    weights: *mut *mut OthelloWeights,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (path, weights) = unsafe { (text(path, "path")?, place(weights, "weights")?) };
        let choice = path.parse().map_err(|error| Failure::weights(format!("{path}: {error}")))?;
        weights.write(handle(Evaluator::load(&choice).map_err(Failure::weights)?));
        Ok(())
    })
}

/// Reads weights from a copy of the content of a weights file: `size` bytes at the address `bytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_weights_read(
    bytes: *const u8,
    size: usize,
    weights: *mut *mut OthelloWeights,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (bytes, weights) =
            unsafe { (slice(bytes, size, "bytes")?, place(weights, "weights")?) };
        let file = Weights::read_bytes("memory".as_ref(), bytes.to_vec());
        weights.write(handle((&file.map_err(Failure::weights)?).into()));
        Ok(())
    })
}

fn handle(evaluator: Evaluator) -> *mut OthelloWeights {
    let identity = CString::new(evaluator.identity()).unwrap_or_default();
    Box::into_raw(Box::new(OthelloWeights { evaluator, identity }))
}

/// Returns the identity of the weights: the SHA-256 of a weights file, or the name of a
/// hand-written evaluation. The text is valid until the weights are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_weights_identity(weights: *const OthelloWeights) -> *const c_char {
    // SAFETY: the caller promises valid pointers.
    unsafe { weights.as_ref() }.map_or(c"".as_ptr(), |weights| weights.identity.as_ptr())
}

/// Frees weights; null is ignored. All searches that use the weights must be freed first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_weights_free(weights: *mut OthelloWeights) {
    if !weights.is_null() {
        // SAFETY: `handle` made this pointer, and the caller promises that nobody uses it.
        drop(unsafe { Box::from_raw(weights) });
    }
}

/// Stores the static values of `count` boards in `values`, in steps of 1/OTHELLO_STEPS_PER_DISC
/// disc. If the player must pass, the static value is the negated value after the pass. The static
/// value of a finished game is its score.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_evaluate(
    weights: *const OthelloWeights,
    boards: *const OthelloBoard,
    count: usize,
    values: *mut i32,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (weights, boards) =
            unsafe { (read(weights, "weights")?, slice(boards, count, "boards")?) };
        let numbered = boards.iter().enumerate().map(|(number, board)| {
            let named = |Failure(status, text)| Failure(status, format!("board {number}: {text}"));
            Ok((board.position().map_err(named)?, number))
        });
        let mut positions: Vec<_> = numbered.collect::<Result<_, Failure>>()?;
        // Evaluation in order of phase keeps the weights of a phase in the cache.
        positions.sort_by_key(|(position, _)| position.ply());
        if values.is_null() && count > 0 {
            return Err(null("values"));
        }
        for (position, number) in positions {
            let steps = weights.evaluator.value_of(&position).steps();
            // SAFETY: the caller promises room for `count` values; `number` is less than `count`.
            unsafe { values.add(number).write(steps) };
        }
        Ok(())
    })
}

/// Finds the parts of the static value of a board. Stores at most `capacity` parts in `parts`, and
/// the total number of parts in `count`. `parts` may be null if `capacity` is 0. Fails for a
/// hand-written evaluation, and if the player has no legal move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_parts(
    weights: *const OthelloWeights,
    board: *const OthelloBoard,
    parts: *mut OthelloPart,
    capacity: usize,
    count: *mut usize,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (weights, board, count) =
            unsafe { (read(weights, "weights")?, read(board, "board")?, place(count, "count")?) };
        let no_parts = || Failure::weights("an evaluation by hand has no parts");
        let tables = weights.evaluator.tables().ok_or_else(no_parts)?;
        let no_move = || Failure::argument("the player has no legal move, so no value of its own");
        let found = tables.parts(None, &board.position()?).ok_or_else(no_move)?;
        if parts.is_null() && capacity > 0 {
            return Err(null("parts"));
        }
        let part = |kind, steps, squares| OthelloPart { kind, steps, squares };
        let patterns = found.instances.iter().map(|it| {
            let squares = it.squares.iter().map(|square| square.bit()).sum();
            part(OthelloPartKind::Pattern, it.weight.steps.into(), squares)
        });
        let scalars = found.scalars.iter();
        let scalars = scalars.map(|it| part(OthelloPartKind::Scalar, it.weight.steps.into(), 0));
        let factors = [part(OthelloPartKind::Factors, found.together, 0)];
        let all: Vec<OthelloPart> = patterns.chain(scalars).chain(factors).collect();
        for (number, part) in all.iter().take(capacity).enumerate() {
            // SAFETY: the caller promises room for `capacity` parts; `number` is less than that.
            unsafe { parts.add(number).write(*part) };
        }
        count.write(all.len());
        Ok(())
    })
}

/// Returns the `count` values at `first`. Fails if `first` is null, unless `count` is 0.
///
/// # Safety
/// Unless it is null, `first` points to `count` values that nobody changes in `'a`.
unsafe fn slice<'a, T>(first: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    match (first.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: the caller promises valid pointers.
        (false, _) => Ok(unsafe { slice::from_raw_parts(first, count) }),
    }
}
