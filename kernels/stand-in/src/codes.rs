//! The error codes of the driver.

/// An error code of the driver; 0 is success.
pub(crate) type Code = u32;

/// The result of an entry point before it becomes a [`Code`].
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

/// The errors that the documentation of the entry points names: number, name, and the driver's text.
const ERRORS: &str = "\
    1 CUDA_ERROR_INVALID_VALUE invalid argument
    2 CUDA_ERROR_OUT_OF_MEMORY out of memory
    3 CUDA_ERROR_NOT_INITIALIZED initialization error
    4 CUDA_ERROR_DEINITIALIZED driver shutting down
    34 CUDA_ERROR_STUB_LIBRARY CUDA driver is a stub library
    46 CUDA_ERROR_DEVICE_UNAVAILABLE CUDA-capable device(s) is/are busy or unavailable
    100 CUDA_ERROR_NO_DEVICE no CUDA-capable device is detected
    101 CUDA_ERROR_INVALID_DEVICE invalid device ordinal
    201 CUDA_ERROR_INVALID_CONTEXT invalid device context
    209 CUDA_ERROR_NO_BINARY_FOR_GPU no kernel image is available for execution on the device
    214 CUDA_ERROR_ECC_UNCORRECTABLE uncorrectable ECC error encountered
    218 CUDA_ERROR_INVALID_PTX a PTX JIT compilation failed
    221 CUDA_ERROR_JIT_COMPILER_NOT_FOUND PTX JIT compiler library not found
    222 CUDA_ERROR_UNSUPPORTED_PTX_VERSION the provided PTX was compiled with an unsupported toolchain.
    304 CUDA_ERROR_OPERATING_SYSTEM OS call failed or operation not supported on this OS
    400 CUDA_ERROR_INVALID_HANDLE invalid resource handle
    500 CUDA_ERROR_NOT_FOUND named symbol not found
    700 CUDA_ERROR_ILLEGAL_ADDRESS an illegal memory access was encountered
    701 CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES too many resources requested for launch
    702 CUDA_ERROR_LAUNCH_TIMEOUT the launch timed out and was terminated
    709 CUDA_ERROR_CONTEXT_IS_DESTROYED context is destroyed
    719 CUDA_ERROR_LAUNCH_FAILED unspecified launch failure
    801 CUDA_ERROR_NOT_SUPPORTED operation not supported
    802 CUDA_ERROR_SYSTEM_NOT_READY system not yet initialized
    803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH system has unsupported display driver / cuda driver combination
    999 CUDA_ERROR_UNKNOWN unknown error";

/// Iterates over [`ERRORS`].
pub fn errors() -> impl Iterator<Item = (u32, &'static str, &'static str)> {
    let error = |line: &'static str| {
        let mut words = line.trim_start().splitn(3, ' ');
        Some((words.next()?.parse().ok()?, words.next()?, words.next()?))
    };
    ERRORS.lines().filter_map(error)
}

/// Returns whether this error ends the context: after an error of a kernel or of the hardware,
/// every later call returns it.
pub(crate) fn is_lasting(code: Code) -> bool {
    matches!(code, 4 | 214 | 700 | 702 | 709 | 714..=719 | 999)
}

pub(crate) fn code(answer: Answer) -> Code {
    answer.err().unwrap_or(SUCCESS)
}
