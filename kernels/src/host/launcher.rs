//! A launcher that runs the kernels on the CPU, so that tests can check them without a GPU.

use std::ffi::c_void;

use super::{HostError, HostProgram};
use crate::index::Kernel;
use crate::launcher::{LaunchError, Launcher, Limits, Value};
use crate::program::Program;

/// A launcher that runs a kernel on the CPU, in the calling thread, until the kernel ends.
#[derive(Debug)]
pub struct HostLauncher {
    program: HostProgram,
    /// The limits of a small GPU; tests set other ones.
    pub limits: Limits,
}

impl HostLauncher {
    /// Creates a launcher for a program, which the machine's C compiler compiles.
    pub fn new(program: &Program) -> Result<Self, LaunchError> {
        HostProgram::compile(program).map(Self::of).map_err(failed)
    }

    /// Creates a launcher for a program that is already compiled.
    pub fn of(program: HostProgram) -> Self {
        // The limits of a small GPU: with several blocks, tests also cover how blocks interact.
        let limits = Limits {
            blocks: 4,
            chunk_rows: 1 << 15,
            resident_bytes: usize::MAX,
            memory_bandwidth: None,
        };
        Self { program, limits }
    }
}

fn failed(error: HostError) -> LaunchError {
    LaunchError { device: "host", reason: error.to_string() }
}

/// A buffer of eight-byte words, so that elements of every type are aligned.
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
        to.copy_from_slice(from);
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
        // A word for each argument: the address of an array, or a number in the word's first bytes.
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
        unsafe { self.program.launch(kernel, blocks, &mut pointers) }.map_err(failed)
    }
}
