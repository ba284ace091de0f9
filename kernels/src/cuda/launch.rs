use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use cudarc::driver::sys::{CUdevice_attribute, CUresult};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DriverError, LaunchConfig,
    PinnedHostSlice, PushKernelArg as _,
};
use cudarc::nvrtc::Ptx;

use super::compile::{cache, cache_file, cached, compile};
use super::find::error_text;
use super::{Gpu, failed};
use crate::index::{self, Argument, Kernel};
use crate::launcher::{LaunchError, Launcher, Limits, Value};
use crate::program::Program;

/// The number of streams: a thread of a fit uses one, so that phases are computed in parallel.
const STREAMS: usize = 8;

/// The number of blocks in a full launch. About 5 run at once; the rest balance load near the end.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 16;

/// Positions per chunk (2.6 MB), which is copied to the GPU while kernels work on the previous one.
const CHUNK_ROWS: usize = 1 << 17;

/// The percentage of the free GPU memory for positions. A phase in progress uses 20 MB of the rest.
const PERCENT_FOR_POSITIONS: usize = 70;

/// A launcher that runs the kernels of one program on the first GPU.
#[derive(Debug)]
pub struct CudaLauncher {
    streams: Vec<Arc<CudaStream>>,
    /// The stream for copies to staging buffers, while kernels run on the other streams.
    copies: Arc<CudaStream>,
    functions: HashMap<&'static str, CudaFunction>,
    /// The limits of the device; tests set smaller ones.
    pub limits: Limits,
}

/// A buffer on the GPU, and page-locked host memory from which the GPU copies into it.
#[derive(Debug)]
pub struct CudaStaging {
    pinned: PinnedHostSlice<u8>,
    there: CudaSlice<u8>,
}

impl CudaLauncher {
    /// Loads a program's kernels onto a GPU.
    pub fn new(found: &Gpu, program: &Program) -> Result<Self, LaunchError> {
        let context = &found.context;
        // Created before any buffer: cudarc tracks the streams of a buffer only if several exist.
        let stream = || context.new_stream().map_err(|error| driver("no streams", error));
        let streams = (0..STREAMS).map(|_| stream()).collect::<Result<_, _>>()?;
        let copies = stream()?;
        let module = load(context, found, program)?;
        let limits = limits(context).map_err(|error| driver("no limits", error))?;
        let function = |&Kernel { name, .. }: &_| {
            Ok((name, module.load_function(name).map_err(|error| driver(name, error))?))
        };
        let functions = index::kernels().map(function).collect::<Result<_, LaunchError>>()?;
        Ok(Self { streams, copies, functions, limits })
    }

    /// Returns the calling thread's stream. cudarc orders requests of streams that share a buffer.
    fn stream(&self) -> &Arc<CudaStream> {
        &self.streams[rayon::current_thread_index().unwrap_or(0) % self.streams.len()]
    }
}

fn driver(what: &str, error: DriverError) -> LaunchError {
    let remedy = match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            "; too little memory on the GPU: lower --threads, or end other processes that use it"
        }
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            "; NVRTC is newer than the driver: update the driver, or use the NVRTC of its CUDA version"
        }
        CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            "; the driver's libnvidia-ptxjitcompiler is missing: install the complete driver"
        }
        _ => "; the same command resumes, also with --device cpu; look at `nvidia-smi` and `dmesg`",
    };
    failed(what, &format!("{}{remedy}", error_text(error)))
}

/// Waits even if an earlier call failed: work on the stream may still use the caller's memory.
fn finish(stream: &CudaStream) -> Result<(), DriverError> {
    let first = stream.synchronize();
    if first.is_err() {
        let _ = stream.synchronize();
    }
    first
}

fn load(
    context: &Arc<CudaContext>,
    found: &Gpu,
    program: &Program,
) -> Result<Arc<CudaModule>, LaunchError> {
    let file = cache_file(program, found.architecture);
    if let Some(file) = &file
        && let Some(ptx) = cached(file)
    {
        match context.load_module(Ptx::from_src(ptx.replace('\0', ""))) {
            Ok(module) => return Ok(module),
            Err(_) => drop(fs::remove_file(file)),
        }
    }
    let ptx = compile(program, found.architecture).map_err(|error| failed("kernels", &error))?;
    let module = context.load_module(Ptx::from_src(ptx.clone()));
    let module = module.map_err(|error| driver("the kernels cannot be loaded", error))?;
    let _ = file.map(|file| cache(&file, &ptx));
    Ok(module)
}

fn limits(context: &CudaContext) -> Result<Limits, DriverError> {
    let count = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
    let multiprocessors = context.attribute(count)?;
    let (free, _) = context.mem_get_info()?;
    Ok(Limits {
        blocks: multiprocessors as u32 * BLOCKS_PER_MULTIPROCESSOR,
        chunk_rows: CHUNK_ROWS,
        resident_bytes: free / 100 * PERCENT_FOR_POSITIONS,
        memory_bandwidth: memory_bandwidth(context),
    })
}

/// In bytes per second: two transfers per clock of the memory, each as wide as the bus.
fn memory_bandwidth(context: &CudaContext) -> Option<u64> {
    let kilohertz = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE;
    let bits = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH;
    let [kilohertz, bits] = [kilohertz, bits].map(|name| context.attribute(name));
    let [kilohertz, bits] = [u64::try_from(kilohertz.ok()?).ok()?, u64::try_from(bits.ok()?).ok()?];
    Some(2 * kilohertz * 1000 * bits / 8).filter(|&bandwidth| bandwidth > 0)
}

/// Refuses arguments that do not fit the kernel. With too few, the driver would read beyond them.
fn check<B>(kernel: &Kernel, arguments: &[Value<'_, B>]) -> Result<(), LaunchError> {
    let fits = |(kind, value): (&Argument, &Value<'_, B>)| match (kind, value) {
        (Argument::Array(element), Value::In(_)) => element.starts_with("const "),
        (Argument::Array(_), Value::Out(_)) => true,
        (Argument::U32, Value::U32(_)) | (Argument::F64, Value::F64(_)) => true,
        _ => false,
    };
    let all = kernel.arguments.len() == arguments.len()
        && kernel.arguments.iter().zip(arguments).all(fits);
    if all { Ok(()) } else { Err(failed(kernel.name, &"other arguments than the index has")) }
}

impl Launcher for CudaLauncher {
    type Buffer = CudaSlice<u8>;
    type Staging = CudaStaging;

    fn limits(&self) -> Limits {
        self.limits
    }

    fn allocate(&self, bytes: usize) -> Result<CudaSlice<u8>, LaunchError> {
        let allocated = self.stream().alloc_zeros(bytes.max(1));
        allocated.map_err(|error| driver(&format!("{bytes} bytes"), error))
    }

    fn write(&self, buffer: &mut CudaSlice<u8>, bytes: &[u8]) -> Result<(), LaunchError> {
        let stream = self.stream();
        let written = stream.memcpy_htod(bytes, buffer);
        let finished = finish(stream);
        written.and(finished).map_err(|error| driver("copy to the GPU", error))
    }

    fn read(&self, buffer: &CudaSlice<u8>, bytes: &mut [u8]) -> Result<(), LaunchError> {
        let stream = self.stream();
        let read = stream.memcpy_dtoh(&buffer.slice(..bytes.len()), bytes);
        // `finish` also reports the errors of earlier kernels, whose results are read here.
        let finished = finish(stream);
        read.and(finished).map_err(|error| driver("the kernels", error))
    }

    fn copy(&self, from: &CudaSlice<u8>, to: &mut CudaSlice<u8>) -> Result<(), LaunchError> {
        let copied = self.stream().memcpy_dtod(&from.slice(..to.len()), to);
        copied.map_err(|error| driver("copy on the GPU", error))
    }

    fn clear(&self, buffer: &mut CudaSlice<u8>) -> Result<(), LaunchError> {
        self.stream().memset_zeros(buffer).map_err(|error| driver("memory on the GPU", error))
    }

    fn staging(&self, bytes: usize) -> Result<CudaStaging, LaunchError> {
        let context = self.copies.context();
        // SAFETY: the memory is filled with zeros before anything reads it.
        let pinned = unsafe { context.alloc_pinned::<u8>(bytes) };
        let mut pinned = pinned.map_err(|error| driver("page-locked memory", error))?;
        let zeros = pinned.as_mut_slice().map_err(|error| driver("page-locked memory", error))?;
        zeros.fill(0);
        Ok(CudaStaging { pinned, there: self.allocate(bytes)? })
    }

    fn stage<'s>(
        &self,
        staging: &'s mut CudaStaging,
        bytes: &[u8],
    ) -> Result<&'s CudaSlice<u8>, LaunchError> {
        let CudaStaging { pinned, there } = staging;
        // `as_mut_slice` waits for the end of an earlier copy from `pinned`.
        let filled = pinned.as_mut_slice().map(|to| to[..bytes.len()].copy_from_slice(bytes));
        // On the GPU, this copy waits for the kernels that read the earlier content of `there`.
        let copied = filled.and_then(|()| self.copies.memcpy_htod(pinned, there));
        copied.map_err(|error| driver("copy to the GPU", error))?;
        Ok(there)
    }

    unsafe fn launch(
        &self,
        kernel: &Kernel,
        blocks: u32,
        arguments: &mut [Value<'_, CudaSlice<u8>>],
    ) -> Result<(), LaunchError> {
        check(kernel, arguments)?;
        let stream = self.stream();
        let mut launch = stream.launch_builder(&self.functions[kernel.name]);
        for argument in arguments {
            match argument {
                Value::In(buffer) => launch.arg(*buffer),
                Value::Out(buffer) => launch.arg(&mut **buffer),
                Value::U32(number) => launch.arg(&*number),
                Value::F64(number) => launch.arg(&*number),
            };
        }
        let shape = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (kernel.block, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the caller guarantees the lengths of arrays; `check` checked number and types.
        let launched = unsafe { launch.launch(shape) };
        launched.map(|_| ()).map_err(|error| driver(kernel.name, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_a_kernel_does_not_take_are_refused() {
        let (source, mut target) = ((), ());
        let kernel = &index::ROUND_WEIGHTS;
        let right = [Value::In(&source), Value::Out(&mut target), Value::U32(1)];
        assert!(check(kernel, &right).is_ok());
        assert!(check(kernel, &right[..2]).is_err(), "too few");
        let mut target = ();
        let [first, second] = [Value::In(&source), Value::Out(&mut target)];
        assert!(check(kernel, &[first, second, Value::F64(1.0)]).is_err(), "another number");
        let read_only = [Value::In(&source), Value::In(&source), Value::U32(1)];
        assert!(check(kernel, &read_only).is_err(), "it writes what may only be read");
    }
}
