//! Runs the kernels on the CPU, slowly, for tests. The machine's C compiler compiles the sources
//! into a library, which runs the blocks of a launch one after another.
//!
//! The environment variable `CC` names the compiler (default: `cc`), and `OTHELLO_HOST_CFLAGS` has
//! further flags, such as `-fsanitize=address,undefined`.

use std::ffi::c_void;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fmt, fs, io};

use libloading::Library;

use crate::index::Kernel;
use crate::launcher::{LaunchError, Launcher, Limits, Value};
use crate::program::{HOST, Program};

fn failed(reason: impl fmt::Display) -> LaunchError {
    LaunchError { device: "host", reason: reason.to_string() }
}

fn no_compiler(what: impl AsRef<Path>) -> impl Fn(io::Error) -> LaunchError {
    let remedy = "the host-run kernels need a C compiler: install one, or name it in CC";
    move |error| failed(format!("{}: {error}; {remedy}", what.as_ref().display()))
}

fn unloadable(error: libloading::Error) -> LaunchError {
    failed(format!("the compiled kernels cannot be loaded: {error}"))
}

/// A launcher that runs a kernel on the CPU, in the calling thread, until the kernel ends.
#[derive(Debug)]
pub struct HostLauncher {
    library: Library,
    /// The limits that decide the size of launches. By default, launches have few blocks.
    pub limits: Limits,
}

type Call = unsafe extern "C" fn(*mut *mut c_void);
type Launch = unsafe extern "C" fn(Call, *mut *mut c_void, u32, u32, i32);

impl HostLauncher {
    /// Compiles and loads a program. As on the GPU, products and sums are not fused.
    pub fn new(program: &Program) -> Result<Self, LaunchError> {
        let folder = tempfile::tempdir().map_err(no_compiler(env::temp_dir()))?;
        let library = folder.path().join("kernels.so");
        Self::build(program, &library)?;
        Self::load(&library)
    }

    /// Compiles a program into the file `library` for [`Self::load`]. Keeps the C source beside it.
    pub fn build(program: &Program, library: &Path) -> Result<(), LaunchError> {
        let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
        let source = library.with_extension("c");
        let text = program.on(HOST) + &entries(program);
        fs::write(&source, text).map_err(no_compiler(&source))?;
        let mut command = Command::new(&compiler);
        command.args(["-std=gnu11", "-O2", "-g1", "-shared", "-fPIC", "-ffp-contract=off"]);
        // `_FORTIFY_SOURCE` would reject the jumps between stacks, which are intended. `-Werror`
        // detects a kernel whose argument types differ from those in the index.
        command.args(["-U_FORTIFY_SOURCE", "-Werror=incompatible-pointer-types"]);
        command.args(["-Werror=int-conversion", "-Werror=implicit-function-declaration"]);
        let more_flags = env::var("OTHELLO_HOST_CFLAGS").unwrap_or_default();
        command.args(more_flags.split_whitespace());
        command.arg("-o").arg(library).arg(&source).arg("-lm");
        let output = command.output().map_err(no_compiler(&compiler))?;
        if output.status.success() {
            return Ok(());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(failed(format!("the C compiler rejects the kernels:\n{errors}")))
    }

    /// Loads the kernels from a library file that [`Self::build`] wrote.
    pub fn load(library: &Path) -> Result<Self, LaunchError> {
        // With several blocks, tests also cover how blocks interact.
        let (blocks, chunk_rows, resident_bytes) = (4, 1 << 15, usize::MAX);
        let (vector_bytes, memory_bandwidth) = (usize::MAX, None);
        let limits = Limits { blocks, chunk_rows, resident_bytes, vector_bytes, memory_bandwidth };
        // SAFETY: the library is from our kernel sources, which run no code when it is loaded.
        Ok(Self { library: unsafe { Library::new(library) }.map_err(unloadable)?, limits })
    }

    /// Runs a kernel with `blocks` thread blocks on the calling thread, until it ends.
    ///
    /// # Safety
    /// `arguments` must point to values of the types in `kernel.arguments`, in the same order. Each
    /// array must be long enough for the kernel's accesses, and nothing else may use an array that
    /// the kernel writes.
    pub unsafe fn run(
        &self,
        kernel: &Kernel,
        blocks: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<(), LaunchError> {
        assert_eq!(arguments.len(), kernel.arguments.len(), "{}", kernel.name);
        let name = format!("call_{}", kernel.name);
        // SAFETY: [`entries`] and the platform header define functions with these signatures.
        let (call, launch) =
            unsafe { (self.library.get::<Call>(&name), self.library.get::<Launch>("host_launch")) };
        let (call, launch) = (call.map_err(unloadable)?, launch.map_err(unloadable)?);
        let barriers = i32::from(kernel.barriers);
        // SAFETY: the caller guarantees the arguments.
        unsafe { launch(*call, arguments.as_mut_ptr(), blocks, kernel.block, barriers) };
        Ok(())
    }
}

/// Returns C functions that call the kernels. If a kernel does not have the argument types in the
/// kernel index, the compiler reports an error.
fn entries(program: &Program) -> String {
    let mut text = "#line 1 \"index\"\n".to_owned();
    for Kernel { name, arguments, .. } in program.kernels() {
        let types: Vec<String> = arguments.iter().map(|kind| kind.c_type()).collect();
        let value = |(number, kind): (usize, &String)| format!("*({kind} *)a[{number}]");
        let values: Vec<String> = types.iter().enumerate().map(value).collect();
        let (types, values) = (types.join(", "), values.join(", "));
        let _ = writeln!(text, "static void (*const check_{name})({types}) = {name};");
        let _ = writeln!(text, "void call_{name}(void **a) {{ check_{name}({values}); }}");
    }
    text
}

/// A buffer of eight-byte words, so that elements of every type in it are aligned.
type Words = Vec<u64>;

impl Launcher for HostLauncher {
    type Buffer = Words;
    type Staging = Words;

    fn limits(&self) -> Limits {
        self.limits
    }

    fn allocate(&self, bytes: usize) -> Result<Words, LaunchError> {
        Ok(vec![0; bytes.div_ceil(size_of::<u64>())])
    }

    fn write(&self, buffer: &mut Words, bytes: &[u8]) -> Result<(), LaunchError> {
        bytemuck::cast_slice_mut(buffer)[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, buffer: &Words, bytes: &mut [u8]) -> Result<(), LaunchError> {
        bytes.copy_from_slice(&bytemuck::cast_slice(buffer)[..bytes.len()]);
        Ok(())
    }

    fn copy(&self, from: &Words, to: &mut Words) -> Result<(), LaunchError> {
        let length = to.len();
        to.copy_from_slice(&from[..length]);
        Ok(())
    }

    fn clear(&self, buffer: &mut Words) -> Result<(), LaunchError> {
        buffer.fill(0);
        Ok(())
    }

    fn staging(&self, bytes: usize) -> Result<Words, LaunchError> {
        self.allocate(bytes)
    }

    fn stage<'s>(&self, staging: &'s mut Words, bytes: &[u8]) -> Result<&'s Words, LaunchError> {
        self.write(staging, bytes)?;
        Ok(staging)
    }

    unsafe fn launch(
        &self,
        kernel: &Kernel,
        blocks: u32,
        arguments: &mut [Value<'_, Words>],
    ) -> Result<(), LaunchError> {
        // A `u32` is in the first bytes of its word, because the CPU is little-endian.
        let word = |argument: &mut Value<'_, Words>| match argument {
            Value::In(words) => words.as_ptr() as u64,
            Value::Out(words) => words.as_mut_ptr() as u64,
            Value::U32(number) => u64::from(*number),
            Value::F64(number) => number.to_bits(),
        };
        let mut words: Words = arguments.iter_mut().map(word).collect();
        let mut pointers: Vec<*mut c_void> =
            words.iter_mut().map(|word| std::ptr::from_mut(word).cast()).collect();
        // SAFETY: the caller guarantees the arguments; `Out` borrows the memory that is written.
        unsafe { self.run(kernel, blocks, &mut pointers) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::whole;

    #[test]
    fn a_kernel_whose_arguments_differ_from_the_index_is_refused() {
        let program = whole();
        HostLauncher::new(&program).unwrap();
        let changed = program.with(
            "KERNEL errors(const Row *rows, u32 first",
            "KERNEL errors(const Row *rows, double first",
        );
        assert_ne!(changed.text(), program.text());
        let error = HostLauncher::new(&changed).err().unwrap().to_string();
        assert!(error.contains("incompatible"), "{error}");
    }
}
