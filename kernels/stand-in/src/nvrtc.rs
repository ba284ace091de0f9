//! The entry points of NVRTC. The real NVRTC does the work if it can be loaded. The source is added
//! to the PTX in comments, for the stand-in's driver.

use std::ffi::{CStr, c_char, c_int};
use std::fmt::Write as _;
use std::sync::LazyLock;

use libloading::Library;
use othello_kernels::{Argument, index};

use crate::calls::{Needs, enter};
use crate::codes::{Answer, Code, code};
use crate::entries::put;
use crate::module::SOURCE;

const INVALID_PROGRAM: Code = 4;
const COMPILATION: Code = 6;

/// A program: its source, the handle of the real NVRTC, and the results.
struct Program {
    source: String,
    real: usize,
    ptx: Vec<u8>,
    log: Vec<u8>,
}

type Create = unsafe extern "C" fn(
    *mut usize,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Code;
type Compile = unsafe extern "C" fn(usize, c_int, *const *const c_char) -> Code;
type Size = unsafe extern "C" fn(usize, *mut usize) -> Code;
type Text = unsafe extern "C" fn(usize, *mut c_char) -> Code;
type Destroy = unsafe extern "C" fn(*mut usize) -> Code;
type Numbers = unsafe extern "C" fn(*mut c_int) -> Code;

/// The real NVRTC, found by NVIDIA's own names.
static REAL: LazyLock<Option<Library>> = LazyLock::new(|| {
    let names = ["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so.11.2"];
    // SAFETY: loads the library of that name, whose initialisers are NVIDIA's own.
    names.into_iter().find_map(|name| unsafe { Library::new(name) }.ok())
});

/// Returns a function of the real NVRTC.
fn real<F: Copy>(name: &str) -> Option<F> {
    // SAFETY: the callers name the function's own type.
    REAL.as_ref().and_then(|library| unsafe { library.get::<F>(name) }.ok().map(|f| *f))
}

fn answer(entry: &str, work: impl FnOnce() -> Answer) -> Code {
    code(enter(entry, Needs::Nothing).and_then(|state| {
        drop(state);
        work()
    }))
}

fn checked(code: Code) -> Answer {
    if code == 0 { Ok(()) } else { Err(code) }
}

/// Returns the program of a handle.
fn program<'p>(handle: *mut Program) -> Result<&'p mut Program, Code> {
    // SAFETY: a handle is from `nvrtcCreateProgram`, and one thread at a time uses it.
    unsafe { handle.as_mut() }.ok_or(INVALID_PROGRAM)
}

#[allow(non_snake_case, reason = "NVRTC's own name")]
#[unsafe(no_mangle)]
extern "C" fn nvrtcCreateProgram(
    handle: *mut *mut Program,
    source: *const c_char,
    name: *const c_char,
    headers: c_int,
    texts: *const *const c_char,
    names: *const *const c_char,
) -> Code {
    answer("nvrtcCreateProgram", || {
        let mut number = 0;
        if let Some(create) = real::<Create>("nvrtcCreateProgram") {
            // SAFETY: the arguments are those of the caller.
            checked(unsafe { create(&raw mut number, source, name, headers, texts, names) })?;
        }
        // SAFETY: the caller gives a text that ends with a zero byte.
        let source = unsafe { CStr::from_ptr(source) }.to_string_lossy().into_owned();
        let made = Program { source, real: number, ptx: vec![], log: vec![0] };
        put(handle, Box::into_raw(Box::new(made)))
    })
}

#[allow(non_snake_case, reason = "NVRTC's own name")]
#[unsafe(no_mangle)]
extern "C" fn nvrtcCompileProgram(
    handle: *mut Program,
    count: c_int,
    options: *const *const c_char,
) -> Code {
    answer("nvrtcCompileProgram", || {
        let program = program(handle)?;
        let mut ptx = match real::<Compile>("nvrtcCompileProgram") {
            Some(compile) => {
                // SAFETY: the arguments are those of the caller.
                let compiled = checked(unsafe { compile(program.real, count, options) });
                program.log = text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?;
                compiled?;
                text(program, "nvrtcGetPTXSize", "nvrtcGetPTX")?
            }
            None => declarations().into_bytes(),
        };
        while ptx.last() == Some(&0) {
            ptx.pop();
        }
        for line in program.source.lines() {
            ptx.extend([b"\n", SOURCE.as_bytes(), line.as_bytes()].concat());
        }
        ptx.extend(b"\n\0");
        program.ptx = ptx;
        Ok(())
    })
}

/// Returns a text that the real NVRTC gives in two steps, its size and its bytes.
fn text(program: &Program, size: &str, get: &str) -> Result<Vec<u8>, Code> {
    let (size, get) = (real::<Size>(size), real::<Text>(get));
    let (size, get) = size.zip(get).ok_or(COMPILATION)?;
    let mut bytes = 0;
    // SAFETY: the program is the real one's, and gets as many bytes as it asks for.
    checked(unsafe { size(program.real, &raw mut bytes) })?;
    let mut text = vec![0u8; bytes];
    // SAFETY: as above.
    checked(unsafe { get(program.real, text.as_mut_ptr().cast()) })?;
    Ok(text)
}

/// Returns PTX with the arguments of the kernels but no code, for machines without NVRTC. Only the
/// stand-in's driver accepts a target of that name.
fn declarations() -> String {
    let mut text = ".version 7.0\n.target sm_0, stand_in\n".to_owned();
    for kernel in index::kernels() {
        let types = kernel.arguments.iter().map(|argument| match argument {
            Argument::Array(_) => ".param .u64 a",
            Argument::U32 => ".param .u32 a",
            Argument::F64 => ".param .f64 a",
        });
        let types: Vec<&str> = types.collect();
        let _ = writeln!(text, ".visible .entry {}({})", kernel.name, types.join(", "));
    }
    text
}

macro_rules! texts {
    ($($size:ident, $get:ident, $field:ident;)*) => {$(
        #[allow(non_snake_case, reason = "NVRTC's own name")]
        #[unsafe(no_mangle)]
        extern "C" fn $size(handle: *mut Program, bytes: *mut usize) -> Code {
            answer(stringify!($size), || put(bytes, program(handle)?.$field.len()))
        }

        #[allow(non_snake_case, reason = "NVRTC's own name")]
        #[unsafe(no_mangle)]
        extern "C" fn $get(handle: *mut Program, text: *mut u8) -> Code {
            answer(stringify!($get), || {
                let bytes = &program(handle)?.$field;
                // SAFETY: the caller gives as many bytes as the size said.
                unsafe { text.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                Ok(())
            })
        }
    )*};
}

texts! {
    nvrtcGetPTXSize, nvrtcGetPTX, ptx;
    nvrtcGetProgramLogSize, nvrtcGetProgramLog, log;
}

#[allow(non_snake_case, reason = "NVRTC's own name")]
#[unsafe(no_mangle)]
extern "C" fn nvrtcDestroyProgram(handle: *mut *mut Program) -> Code {
    answer("nvrtcDestroyProgram", || {
        // SAFETY: the caller gives the place of a handle.
        let handle = unsafe { handle.as_mut() }.ok_or(INVALID_PROGRAM)?;
        program(*handle)?;
        // SAFETY: made by `nvrtcCreateProgram`, and destroyed once.
        let mut program = unsafe { Box::from_raw(std::mem::replace(handle, std::ptr::null_mut())) };
        if let Some(destroy) = real::<Destroy>("nvrtcDestroyProgram") {
            // SAFETY: the program is the real one's.
            checked(unsafe { destroy(&raw mut program.real) })?;
        }
        Ok(())
    })
}

/// The architectures without the real NVRTC: all up to Hopper.
const ARCHITECTURES: [c_int; 4] = [75, 80, 89, 90];

#[allow(non_snake_case, reason = "NVRTC's own name")]
#[unsafe(no_mangle)]
extern "C" fn nvrtcGetNumSupportedArchs(count: *mut c_int) -> Code {
    answer("nvrtcGetNumSupportedArchs", || match real::<Numbers>("nvrtcGetNumSupportedArchs") {
        // SAFETY: the argument is our caller's.
        Some(numbers) => checked(unsafe { numbers(count) }),
        None => put(count, ARCHITECTURES.len() as c_int),
    })
}

#[allow(non_snake_case, reason = "NVRTC's own name")]
#[unsafe(no_mangle)]
extern "C" fn nvrtcGetSupportedArchs(found: *mut c_int) -> Code {
    answer("nvrtcGetSupportedArchs", || match real::<Numbers>("nvrtcGetSupportedArchs") {
        // SAFETY: the argument is our caller's.
        Some(numbers) => checked(unsafe { numbers(found) }),
        None => {
            // SAFETY: the caller gives as many numbers as it was told.
            unsafe { found.copy_from_nonoverlapping(ARCHITECTURES.as_ptr(), ARCHITECTURES.len()) };
            Ok(())
        }
    })
}
