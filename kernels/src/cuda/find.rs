use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, result, sys};
use cudarc::nvrtc;
use libloading::Library;

use super::Architecture;

/// The oldest supported CUDA version of a driver: 12.0, encoded as 1000 · major + 10 · minor.
const OLDEST_DRIVER: i32 = 12_000;

/// The oldest supported architecture. The kernels were never compiled for older ones.
const OLDEST_ARCHITECTURE: Architecture = Architecture { major: 7, minor: 5 };

/// The least free memory of a usable GPU, in bytes: enough to fit a few phases.
const LEAST_MEMORY: usize = 512 << 20;

/// An NVIDIA GPU that can run the kernels, with its driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gpu {
    /// The name of the GPU that the driver reports.
    pub name: String,
    /// The architecture (compute capability) of the GPU, for which the kernels are compiled.
    pub architecture: Architecture,
    /// The CUDA version of the driver: 1000 · major + 10 · minor.
    pub driver: i32,
    /// The memory of the GPU in bytes.
    pub memory_bytes: usize,
    pub(super) context: Arc<CudaContext>,
}

impl std::fmt::Display for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, architecture, driver, memory_bytes, .. } = self;
        let (gib, driver) = (memory_bytes >> 30, version(*driver));
        write!(f, "{name}, {gib} GiB, {architecture}, driver for CUDA {driver}")
    }
}

/// The reason why there is no usable GPU, or why NVRTC does not compile the kernels.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub(super) String);

impl From<DriverError> for Unavailable {
    fn from(error: DriverError) -> Self {
        let error = error_text(error);
        let remedy = "look at the output of `nvidia-smi`";
        Self(format!("the NVIDIA driver does not start: {error}; {remedy}"))
    }
}

const NO_DRIVER: &str =
    "no NVIDIA driver (libcuda) was found; on a machine with an NVIDIA GPU, install its driver";

const NO_DEVICE: &str = "the NVIDIA driver finds no GPU; look at `nvidia-smi`, \
    CUDA_VISIBLE_DEVICES and, in a container, its GPU option";

pub(super) const NO_NVRTC: &str = "NVRTC (libnvrtc), which compiles the kernels, was not found; \
    install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc-cu12` and put its lib folder into \
    LD_LIBRARY_PATH";

fn unavailable<T>(reason: impl Into<String>) -> Result<T, Unavailable> {
    Err(Unavailable(reason.into()))
}

fn version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

pub(super) fn error_text(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    let text = text.unwrap_or_else(|_| "an error without a description".to_owned());
    format!("{text} ({:?})", error.0)
}

/// The entry points of the driver that this crate calls. [`find`] checks that the driver has them.
pub const DRIVER_ENTRIES: &str = "\
    cuInit cuDriverGetVersion cuGetErrorString cuDeviceGetCount cuDeviceGet \
    cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2 cuDevicePrimaryCtxSetFlags_v2 \
    cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxGetCurrent cuCtxSetCurrent cuCtxSynchronize \
    cuMemGetInfo_v2 cuStreamCreate cuStreamDestroy_v2 cuStreamSynchronize cuStreamWaitEvent \
    cuEventCreate cuEventDestroy_v2 cuEventRecord cuEventSynchronize cuMemAllocAsync \
    cuMemFreeAsync cuMemAlloc_v2 cuMemFree_v2 cuMemHostAlloc cuMemFreeHost cuMemcpyHtoDAsync_v2 \
    cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async cuModuleLoadData cuModuleUnload \
    cuModuleGetFunction cuLaunchKernel";

const NVRTC_ENTRIES: &str = "\
    nvrtcCreateProgram nvrtcCompileProgram nvrtcGetProgramLogSize nvrtcGetProgramLog \
    nvrtcGetPTXSize nvrtcGetPTX nvrtcDestroyProgram nvrtcGetNumSupportedArchs \
    nvrtcGetSupportedArchs";

fn has(library: &Library, entry: &str) -> bool {
    // SAFETY: the entry point is only looked up, not called.
    unsafe { library.get::<unsafe extern "C" fn()>(entry) }.is_ok()
}

fn missing<'e>(library: &Library, entries: &'e str) -> Option<&'e str> {
    entries.split_whitespace().find(|entry| !has(library, entry))
}

/// Returns true if NVRTC can be loaded; an error if one of its functions is missing.
pub fn nvrtc_is_there() -> Result<bool, Unavailable> {
    // SAFETY: this loads NVIDIA's library by its name; its initialisers are safe to run.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Ok(false);
    }
    // SAFETY: the library is there.
    let library = unsafe { nvrtc::sys::culib() };
    match missing(library, NVRTC_ENTRIES) {
        None => Ok(true),
        Some(entry) => unavailable(format!(
            "the NVRTC (libnvrtc) has no {entry}; install that of CUDA 12: \
             `pip install nvidia-cuda-nvrtc-cu12`"
        )),
    }
}

/// Returns an error if the driver is missing or lacks one of [`DRIVER_ENTRIES`].
fn check_driver() -> Result<(), Unavailable> {
    // SAFETY: this loads NVIDIA's library by its name; its initialisers are safe to run.
    if !unsafe { sys::is_culib_present() } {
        return unavailable(NO_DRIVER);
    }
    // SAFETY: the library is there.
    let library = unsafe { sys::culib() };
    let Some(entry) = missing(library, DRIVER_ENTRIES) else { return Ok(()) };
    if has(library, "cuDriverGetVersion")
        && let Ok(found) = driver_version()
        && found < OLDEST_DRIVER
    {
        return old_driver(found);
    }
    unavailable(format!(
        "the NVIDIA driver (libcuda) has no {entry}; install one for CUDA 12.0 or later (525 or \
         later)"
    ))
}

fn old_driver<T>(found: i32) -> Result<T, Unavailable> {
    let (found, remedy) = (version(found), "install one for CUDA 12.0 or later (525 or later)");
    unavailable(format!("the NVIDIA driver is for CUDA {found}; {remedy}"))
}

/// Returns the GPU to which the driver gives the index `number`, from 0. Checks that each library
/// has the needed entry points before its first use, because cudarc panics if one is missing.
pub fn find(number: usize) -> Result<Gpu, Unavailable> {
    check_driver()?;
    match result::init() {
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => return unavailable(NO_DEVICE),
        begun => begun?,
    }
    let driver = driver_version()?;
    if driver < OLDEST_DRIVER {
        return old_driver(driver);
    }
    let count = usize::try_from(result::device::get_count()?).unwrap_or(0);
    if count == 0 {
        return unavailable(NO_DEVICE);
    }
    if number >= count {
        return unavailable(format!("there is no GPU {number}; the driver finds {count}, from 0"));
    }
    let (name, architecture, memory_bytes) = describe(number as i32)?;
    if architecture < OLDEST_ARCHITECTURE {
        let needed = format!("the kernels need {OLDEST_ARCHITECTURE} or later");
        return unavailable(format!("{name} is {architecture}; {needed}"));
    }
    if !nvrtc_is_there()? {
        return unavailable(NO_NVRTC);
    }
    // The context is created last, because this takes longest.
    wait_without_spinning(number as i32);
    let context = CudaContext::new(number);
    match context.and_then(|context| Ok((context.mem_get_info()?.0, context))) {
        Ok((free, _)) if free < LEAST_MEMORY => unavailable(format!(
            "{name} has {} MiB of free memory; {} MiB are needed: `nvidia-smi` shows which \
             processes use it",
            free >> 20,
            LEAST_MEMORY >> 20
        )),
        Ok((_, context)) => Ok(Gpu { name, architecture, driver, memory_bytes, context }),
        Err(error) => unavailable(format!(
            "{name} cannot be used: {}; `nvidia-smi` shows its mode, and which processes use it",
            error_text(error)
        )),
    }
}

fn driver_version() -> Result<i32, DriverError> {
    let mut version = 0;
    // SAFETY: the library is there, and the pointer is to a number of this type.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    Ok(version)
}

/// Makes threads sleep while they wait for the GPU, so that their cores can do other work. Ignores
/// failures: some drivers refuse to set the flags of a context that is in use already.
fn wait_without_spinning(number: i32) {
    let sleeps = sys::CUctx_flags_enum::CU_CTX_SCHED_BLOCKING_SYNC as u32;
    if let Ok(device) = result::device::get(number) {
        // SAFETY: the library is there, and the driver has this device.
        let _ = unsafe { sys::cuDevicePrimaryCtxSetFlags_v2(device, sleeps) };
    }
}

fn describe(number: i32) -> Result<(String, Architecture, usize), DriverError> {
    use sys::CUdevice_attribute::{
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    };
    let device = result::device::get(number)?;
    // SAFETY: the driver returned this device.
    let attribute = |attribute| unsafe { result::device::get_attribute(device, attribute) };
    let major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let architecture = Architecture { major: major as u32, minor: minor as u32 };
    // SAFETY: the driver returned this device.
    let memory_bytes = unsafe { result::device::total_mem(device) }?;
    Ok((result::device::get_name(device)?, architecture, memory_bytes))
}
