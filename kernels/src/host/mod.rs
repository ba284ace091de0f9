//! Runs the kernels on the CPU, slowly, for tests. The machine's C compiler compiles the sources
//! into a library, which runs the blocks of a launch one after another.
//!
//! The environment variable `CC` names the compiler (default: `cc`), and `OTHELLO_HOST_CFLAGS` has
//! further flags, such as `-fsanitize=address,undefined`.

mod launcher;

use std::ffi::c_void;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use libloading::Library;

use crate::index::{Argument, Kernel, kernels};
use crate::program::{HOST, Program};

pub use launcher::HostLauncher;

/// The errors of compiling and loading the kernels for the CPU.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum HostError {
    #[error("{}: {source}; the host-run kernels need a C compiler: install one, or name it in CC", what.display())]
    Io { what: PathBuf, source: io::Error },
    #[error("the C compiler rejects the kernels:\n{0}")]
    Refused(String),
    #[error("the compiled kernels cannot be loaded: {0}")]
    Load(#[from] libloading::Error),
}

/// A program whose kernels are compiled for the CPU and loaded as a library.
#[derive(Debug)]
pub struct HostProgram {
    library: Library,
}

type Call = unsafe extern "C" fn(*mut *mut c_void);
type Launch = unsafe extern "C" fn(Call, *mut *mut c_void, u32, u32, i32);

impl HostProgram {
    /// Compiles and loads a program. Its arithmetic is rounded as on the GPU, because the compiler
    /// must not contract a product and a sum into one operation.
    pub fn compile(program: &Program) -> Result<Self, HostError> {
        let folder = tempfile::tempdir()
            .map_err(|source| HostError::Io { what: env::temp_dir(), source })?;
        let library = folder.path().join("kernels.so");
        Self::build(program, &library)?;
        Self::load(&library)
    }

    /// Compiles a program into the file `library` for [`Self::load`]. Keeps the C source beside it.
    pub fn build(program: &Program, library: &Path) -> Result<(), HostError> {
        let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
        let source = library.with_extension("c");
        let text = program.on(HOST) + &entries();
        fs::write(&source, text)
            .map_err(|error| HostError::Io { what: source.clone(), source: error })?;
        let mut command = Command::new(&compiler);
        command.args(["-std=gnu11", "-O2", "-g1", "-shared", "-fPIC", "-ffp-contract=off"]);
        // `_FORTIFY_SOURCE` would reject the jumps between stacks, which are intended. `-Werror`
        // detects a kernel whose argument types differ from those in the index.
        command.args(["-U_FORTIFY_SOURCE", "-Werror=incompatible-pointer-types"]);
        command.args(["-Werror=int-conversion", "-Werror=implicit-function-declaration"]);
        let more_flags = env::var("OTHELLO_HOST_CFLAGS").unwrap_or_default();
        command.args(more_flags.split_whitespace());
        command.arg("-o").arg(library).arg(&source).arg("-lm");
        let output = command
            .output()
            .map_err(|error| HostError::Io { what: compiler.into(), source: error })?;
        if !output.status.success() {
            return Err(HostError::Refused(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(())
    }

    /// Loads the kernels from a library file that [`Self::build`] wrote.
    pub fn load(library: &Path) -> Result<Self, HostError> {
        // SAFETY: the library is from our kernel sources, which run no code when it is loaded.
        Ok(Self { library: unsafe { Library::new(library) }? })
    }

    /// Runs a kernel with `blocks` thread blocks on the calling thread, until it ends.
    ///
    /// # Safety
    ///
    /// `arguments` must point to values of the types in `kernel.arguments`, in the same order. Each
    /// array must be long enough for the kernel's accesses, and nothing else may use an array that
    /// the kernel writes.
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        blocks: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<(), HostError> {
        assert_eq!(arguments.len(), kernel.arguments.len(), "{}", kernel.name);
        let name = format!("call_{}", kernel.name);
        // SAFETY: [`entries`] and the platform header define functions with these signatures.
        let (call, launch) = unsafe {
            (self.library.get::<Call>(&name)?, self.library.get::<Launch>("host_launch")?)
        };
        let barriers = i32::from(kernel.barriers);
        // SAFETY: the caller guarantees the arguments.
        unsafe { launch(*call, arguments.as_mut_ptr(), blocks, kernel.block, barriers) };
        Ok(())
    }
}

/// Returns C code with a function for each kernel, which calls the kernel with arguments from an
/// array of pointers. The compiler checks the types of the arguments against those in [`kernels`].
fn entries() -> String {
    let mut text = "#line 1 \"index\"\n".to_owned();
    for Kernel { name, arguments, .. } in kernels() {
        let types: Vec<String> = arguments.iter().map(|a| Argument::c_type(*a)).collect();
        let value = |(number, kind): (usize, &String)| format!("*({kind} *)a[{number}]");
        let values: Vec<String> = types.iter().enumerate().map(value).collect();
        let (types, values) = (types.join(", "), values.join(", "));
        let _ = writeln!(text, "static void (*const check_{name})({types}) = {name};");
        let _ = writeln!(text, "void call_{name}(void **a) {{ check_{name}({values}); }}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::HEADER;

    /// Formerly, the compiler flag `-w` switched off the error for wrong argument types.
    #[test]
    fn a_kernel_whose_arguments_differ_from_the_index_is_refused() {
        let program = Program::new(HEADER);
        HostProgram::compile(&program).unwrap();
        let changed = program.with(
            "KERNEL errors(const Row *rows, u32 first",
            "KERNEL errors(const Row *rows, double first",
        );
        assert_ne!(changed.text(), program.text());
        let error = HostProgram::compile(&changed).err().unwrap().to_string();
        assert!(error.contains("incompatible"), "{error}");
    }
}
