use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::{fs, mem};

use cudarc::driver::sys::{CUdevice_attribute, CUevent_flags, CUresult};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtrMut as _,
    DriverError, LaunchConfig, PinnedHostSlice, PushKernelArg as _, result,
};
use cudarc::nvrtc::Ptx;

use super::compile::{cache, cache_file, cached, compile};
use super::find::error_text;
use super::{Gpu, failed};
use crate::index::{Argument, Kernel};
use crate::launcher::{LaunchError, Launcher, Limits, Value};
use crate::program::Program;

/// The number of blocks per multiprocessor in a launch that occupies the whole GPU. About 5 of them
/// run at once; the others balance the load.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 16;

/// The number of positions in a chunk (2.6 MB). One chunk is copied while kernels work on another.
const CHUNK_ROWS: usize = 1 << 17;

/// The percentage of the free GPU memory for positions and lists of positions. The remaining memory
/// is for vectors with an element for each parameter.
const PERCENT_FOR_POSITIONS: usize = 70;

/// A launcher that runs the kernels of one program on one or several GPUs.
///
/// Each thread of the rayon pool has its own stream, on one of the GPUs. Threads outside the pool
/// use the stream of its first thread. A buffer belongs to the stream of the thread that allocated
/// it, so the driver executes all uses of the buffer in order, without events.
#[derive(Debug)]
pub struct CudaLauncher {
    /// The streams of the threads. Stream n is on GPU n modulo the number of GPUs.
    streams: Vec<Arc<CudaStream>>,
    /// For each thread, the index of its stream, assigned at its first use. The threads in use are
    /// thus spread evenly over the GPUs, even if other threads stay idle.
    threads: Vec<OnceLock<usize>>,
    next: AtomicUsize,
    gpus: Vec<OnGpu>,
    /// The limits for launches on each of the GPUs. Tests set smaller limits.
    pub limits: Limits,
}

#[derive(Debug)]
struct OnGpu {
    /// The stream for copies to staging buffers, while kernels run on the other streams.
    copies: Arc<CudaStream>,
    functions: HashMap<&'static str, CudaFunction>,
}

/// Two buffers on a GPU that are filled in turn, each from page-locked host memory.
#[derive(Debug)]
pub struct CudaStaging {
    slots: [Slot; 2],
    next: usize,
    copies: Arc<CudaStream>,
    /// An event in the thread's stream at the last call of `stage`. All kernels that read the next
    /// buffer to fill were launched before this event, so the next copy waits for it.
    filled: CudaEvent,
}

#[derive(Debug)]
struct Slot {
    pinned: PinnedHostSlice<u8>,
    there: CudaSlice<u8>,
    /// The event at the end of the last copy from the host buffer `pinned`; `None` before the first
    /// copy.
    copied: Option<CudaEvent>,
}

impl Drop for CudaStaging {
    /// Waits until all copies from the page-locked host memory end, before this memory is freed.
    fn drop(&mut self) {
        self.slots.iter().filter_map(|slot| slot.copied.as_ref()).for_each(|copied| {
            let _ = copied.synchronize();
        });
    }
}

impl CudaLauncher {
    /// Loads a program's kernels onto every GPU of `found`, which must not be empty.
    pub fn new(found: &[Gpu], program: &Program) -> Result<Self, LaunchError> {
        let stream = |gpu: &Gpu| gpu.context.new_stream().map_err(|error| driver("streams", error));
        let mut gpus = vec![];
        let mut least: Option<Limits> = None;
        for gpu in found {
            // SAFETY: a buffer is used only on the stream of its thread, which `own` checks, except
            // in `stage`, which orders its copies by events.
            unsafe { gpu.context.disable_event_tracking() };
            let copies = stream(gpu)?;
            let module = load(&gpu.context, gpu, program)?;
            let function = |&Kernel { name, .. }: &_| {
                Ok((name, module.load_function(name).map_err(|error| driver(name, error))?))
            };
            let functions = program.kernels().map(function).collect::<Result<_, LaunchError>>()?;
            gpus.push(OnGpu { copies, functions });
            let own = limits(&gpu.context).map_err(|error| driver("no limits", error))?;
            least = Some(least.map_or(own, |least| least.least(own)));
        }
        let threads = rayon::current_num_threads().max(found.len());
        let streams = found.iter().cycle().take(threads).map(stream).collect::<Result<_, _>>()?;
        let limits = least.ok_or_else(|| failed("no GPU", &"name at least one"))?;
        let own = (0..threads).map(|_| OnceLock::new()).collect();
        Ok(Self { streams, threads: own, next: AtomicUsize::new(0), gpus, limits })
    }

    fn thread(&self) -> usize {
        let thread = rayon::current_thread_index().unwrap_or(0) % self.threads.len();
        *self.threads[thread].get_or_init(|| self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn stream(&self) -> &Arc<CudaStream> {
        &self.streams[self.thread()]
    }

    fn gpu(&self) -> &OnGpu {
        &self.gpus[self.thread() % self.gpus.len()]
    }

    /// Returns the stream of the calling thread; an error if `buffer` belongs to another stream.
    fn own(&self, buffer: &CudaSlice<u8>) -> Result<&Arc<CudaStream>, LaunchError> {
        let stream = self.stream();
        match Arc::ptr_eq(stream, buffer.stream()) {
            true => Ok(stream),
            false => Err(failed("buffer", &"used by another thread than the one that made it")),
        }
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

/// Waits for the stream, even after an error: its work may still use the caller's memory.
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
    // The memory that an earlier fit freed on a stream is free only after a synchronisation.
    context.synchronize()?;
    let count = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
    let multiprocessors = context.attribute(count)?;
    let (free, _) = context.mem_get_info()?;
    Ok(Limits {
        blocks: multiprocessors as u32 * BLOCKS_PER_MULTIPROCESSOR,
        chunk_rows: CHUNK_ROWS,
        resident_bytes: free / 100 * PERCENT_FOR_POSITIONS,
        vector_bytes: free / 100 * (100 - PERCENT_FOR_POSITIONS),
        memory_bandwidth: memory_bandwidth(context),
    })
}

/// Returns the bytes per second of the memory: two transfers per clock, each as wide as the bus.
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
        let stream = self.own(buffer)?;
        let written = stream.memcpy_htod(bytes, buffer);
        let finished = finish(stream);
        written.and(finished).map_err(|error| driver("copy to the GPU", error))
    }

    fn read(&self, buffer: &CudaSlice<u8>, bytes: &mut [u8]) -> Result<(), LaunchError> {
        let stream = self.own(buffer)?;
        let read = stream.memcpy_dtoh(&buffer.slice(..bytes.len()), bytes);
        // `finish` also reports the errors of earlier kernels, whose results are read here.
        let finished = finish(stream);
        read.and(finished).map_err(|error| driver("the kernels", error))
    }

    fn copy(&self, from: &CudaSlice<u8>, to: &mut CudaSlice<u8>) -> Result<(), LaunchError> {
        self.own(from)?;
        let copied = self.own(to)?.memcpy_dtod(&from.slice(..to.len()), to);
        copied.map_err(|error| driver("copy on the GPU", error))
    }

    fn clear(&self, buffer: &mut CudaSlice<u8>) -> Result<(), LaunchError> {
        let cleared = self.own(buffer)?.memset_zeros(buffer);
        cleared.map_err(|error| driver("memory on the GPU", error))
    }

    fn staging(&self, bytes: usize) -> Result<CudaStaging, LaunchError> {
        let copies = self.gpu().copies.clone();
        let slot = || {
            // SAFETY: the memory is filled with zeros before anything reads it.
            let pinned = unsafe { copies.context().alloc_pinned::<u8>(bytes) };
            let mut pinned = pinned.map_err(|error| driver("page-locked memory", error))?;
            let all = pinned.as_mut_slice().map_err(|error| driver("page-locked memory", error))?;
            all.fill(0);
            Ok(Slot { pinned, there: self.allocate(bytes)?, copied: None })
        };
        let slots = [slot()?, slot()?];
        // The first copy waits for the zeros of `allocate`.
        let filled = self.stream().record_event(None);
        let filled = filled.map_err(|error| driver("page-locked memory", error))?;
        Ok(CudaStaging { slots, next: 0, copies, filled })
    }

    fn stage<'s>(
        &self,
        staging: &'s mut CudaStaging,
        bytes: &[u8],
    ) -> Result<&'s CudaSlice<u8>, LaunchError> {
        let CudaStaging { slots, next, copies, filled } = staging;
        let Slot { pinned, there, copied } = &mut slots[*next];
        *next = 1 - *next;
        let stream = self.own(there)?;
        let mut copy = || {
            // The host waits until the last copy from `pinned` has ended.
            copied.take().map_or(Ok(()), |copied| copied.synchronize())?;
            pinned.as_mut_slice()?[..bytes.len()].copy_from_slice(bytes);
            // The GPU waits for the kernels that read this slot, not for those that read the other.
            copies.wait(&mem::replace(filled, stream.record_event(None)?))?;
            let (address, _) = there.device_ptr_mut(copies);
            let source = &pinned.as_slice()?[..bytes.len()];
            // SAFETY: `there` is as long as `pinned`, which stays unchanged until `copied`.
            unsafe { result::memcpy_htod_async(address, source, copies.cu_stream()) }?;
            let sleeps = CUevent_flags::CU_EVENT_BLOCKING_SYNC;
            stream.wait(copied.insert(copies.record_event(Some(sleeps))?))
        };
        copy().map_err(|error| driver("copy to the GPU", error))?;
        Ok(there)
    }

    unsafe fn launch(
        &self,
        kernel: &Kernel,
        blocks: u32,
        arguments: &mut [Value<'_, CudaSlice<u8>>],
    ) -> Result<(), LaunchError> {
        check(kernel, arguments)?;
        let mut launch = self.stream().launch_builder(&self.gpu().functions[kernel.name]);
        for argument in arguments {
            match argument {
                Value::In(buffer) => self.own(buffer).map(|_| launch.arg(*buffer))?,
                Value::Out(buffer) => self.own(buffer).map(|_| launch.arg(&mut **buffer))?,
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
    use crate::index;

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
