//! The error codes of the CUDA driver.

pub(crate) type Code = u32;

pub(crate) type Answer = Result<(), Code>;

pub(crate) const SUCCESS: Code = 0;
pub(crate) const INVALID_VALUE: Code = 1;
pub(crate) const OUT_OF_MEMORY: Code = 2;
pub(crate) const NOT_INITIALIZED: Code = 3;
pub(crate) const NO_DEVICE: Code = 100;
pub(crate) const INVALID_DEVICE: Code = 101;
pub(crate) const INVALID_CONTEXT: Code = 201;
pub(crate) const INVALID_PTX: Code = 218;
pub(crate) const INVALID_HANDLE: Code = 400;
pub(crate) const NOT_FOUND: Code = 500;
pub(crate) const ILLEGAL_ADDRESS: Code = 700;
pub(crate) const LAUNCH_FAILED: Code = 719;

/// Iterates over the errors that the driver's documentation lists: number, name, description.
pub fn errors() -> impl Iterator<Item = (u32, &'static str, &'static str)> {
    let error = |line: &'static str| {
        let mut words = line.splitn(3, ' ');
        Some((words.next()?.parse().ok()?, words.next()?, words.next()?))
    };
    include_str!("errors.txt").lines().filter_map(error)
}

/// Returns true if an error makes the CUDA context unusable: every later call then returns it.
pub(crate) fn is_lasting(code: Code) -> bool {
    matches!(code, 4 | 214 | 700 | 702 | 709 | 714..=719 | 999)
}

pub(crate) fn code(answer: Answer) -> Code {
    answer.err().unwrap_or(SUCCESS)
}
