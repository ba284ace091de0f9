//! The entry points of NVRTC, as the stand-in defines them. The PTX that they return is the CUDA
//! source itself.

use std::ffi::{CStr, c_char, c_int};

use crate::calls::{Needs, enter};
use crate::codes::{Answer, Code, code};
use crate::entries::{entries, put};
use crate::module::PTX;

const INVALID_PROGRAM: Code = 4;

const ARCHITECTURES: [c_int; 4] = [75, 80, 89, 90];

struct Text(Vec<u8>);

fn program<'p>(handle: *const Text) -> Result<&'p Text, Code> {
    // SAFETY: the handle is from `nvrtcCreateProgram`, and one thread at a time uses it.
    unsafe { handle.as_ref() }.ok_or(INVALID_PROGRAM)
}

fn copy<T: Copy>(to: *mut T, from: &[T]) -> Answer {
    // SAFETY: the caller has queried the size and provides that much memory.
    unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
    Ok(())
}

entries! {
    Nothing fn nvrtcCreateProgram(
        handle: *mut *mut Text, source: *const c_char, _name: *const c_char,
        _headers: c_int, _texts: *const *const c_char, _names: *const *const c_char
    ) |_state| {
        // SAFETY: the caller passes a text that ends with a zero byte.
        let source = unsafe { CStr::from_ptr(source) }.to_bytes_with_nul();
        put(handle, Box::into_raw(Box::new(Text([PTX.as_bytes(), source].concat()))))
    }

    Nothing fn nvrtcCompileProgram(handle: *mut Text, _count: c_int, _options: *const *const c_char) |_state| {
        program(handle).map(|_| ())
    }

    Nothing fn nvrtcGetPTXSize(handle: *mut Text, bytes: *mut usize) |_state| {
        put(bytes, program(handle)?.0.len())
    }

    Nothing fn nvrtcGetPTX(handle: *mut Text, text: *mut u8) |_state| {
        copy(text, &program(handle)?.0)
    }

    Nothing fn nvrtcGetProgramLogSize(handle: *mut Text, bytes: *mut usize) |_state| {
        program(handle)?;
        put(bytes, 1)
    }

    Nothing fn nvrtcGetProgramLog(handle: *mut Text, text: *mut u8) |_state| {
        program(handle)?;
        copy(text, &[0])
    }

    Nothing fn nvrtcDestroyProgram(handle: *mut *mut Text) |_state| {
        // SAFETY: the caller passes a pointer to a handle.
        let handle = unsafe { handle.as_mut() }.ok_or(INVALID_PROGRAM)?;
        program(*handle)?;
        // SAFETY: `nvrtcCreateProgram` made the program, which is destroyed only once.
        drop(unsafe { Box::from_raw(std::mem::replace(handle, std::ptr::null_mut())) });
        Ok(())
    }

    Nothing fn nvrtcGetNumSupportedArchs(count: *mut c_int) |_state| {
        put(count, ARCHITECTURES.len() as c_int)
    }

    Nothing fn nvrtcGetSupportedArchs(found: *mut c_int) |_state| {
        copy(found, &ARCHITECTURES)
    }
}
