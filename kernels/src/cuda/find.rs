//! Finds a usable GPU. If there is none, reports the reason and the remedy.

use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, result, sys};
use cudarc::nvrtc;

use super::Architecture;

/// The oldest supported CUDA version of a driver: 12.0, in the driver's encoding.
const OLDEST_DRIVER: i32 = 12_000;

/// The oldest architecture that NVRTC 12 compiles for and that the kernels were compiled for.
const OLDEST_ARCHITECTURE: Architecture = Architecture { major: 7, minor: 5 };

/// The memory, in bytes, that a GPU must have at least to be used. It has room for the weights,
/// sums, Adam moments and scratch of a few phases of the standard pattern set.
const LEAST_MEMORY: usize = 512 << 20;

/// A usable GPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gpu {
    /// The name of the GPU in the driver.
    pub name: String,
    /// The architecture that the kernels are compiled for.
    pub architecture: Architecture,
    /// The CUDA version of the driver: 1000 · major + 10 · minor.
    pub driver: i32,
    /// The memory of the GPU in bytes.
    pub memory_bytes: usize,
    /// The CUDA context of the GPU.
    pub(super) context: Arc<CudaContext>,
}

impl std::fmt::Display for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, architecture, driver, memory_bytes, .. } = self;
        let (gib, driver) = (memory_bytes >> 30, version(*driver));
        write!(f, "{name}, {gib} GiB, {architecture}, driver for CUDA {driver}")
    }
}

/// Reasons for a missing GPU.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Unavailable {
    #[error(
        "no NVIDIA driver (libcuda) was found; on a machine with an NVIDIA GPU, install its driver"
    )]
    NoDriver,
    #[error("the NVIDIA driver does not start: {}; look at the output of `nvidia-smi`", said(*.0))]
    Driver(DriverError),
    #[error("the {library} has no {entry}; {}", remedy(library))]
    Incomplete { library: &'static str, entry: &'static str },
    #[error(
        "{name} cannot be used: {}; `nvidia-smi` shows its mode, and which processes use \
         it", said(*error)
    )]
    Busy { name: String, error: DriverError },
    #[error("the NVIDIA driver is for CUDA {}; install one for CUDA 12.0 or later (525 or later)", version(*found))]
    OldDriver { found: i32 },
    #[error(
        "the NVIDIA driver finds no GPU; look at `nvidia-smi`, CUDA_VISIBLE_DEVICES and, in a container, its GPU option"
    )]
    NoDevice,
    #[error("{name} is {found}; the kernels need {OLDEST_ARCHITECTURE} or later")]
    OldDevice { name: String, found: Architecture },
    #[error(
        "{name} has {} MiB of free memory; {} MiB are needed: `nvidia-smi` shows which processes \
         use it",
        found >> 20,
        LEAST_MEMORY >> 20
    )]
    LittleMemory {
        name: String,
        /// The free memory of the GPU in bytes.
        found: usize,
    },
    #[error(
        "NVRTC (libnvrtc), which compiles the kernels, was not found; install the CUDA toolkit, or \
         `pip install nvidia-cuda-nvrtc-cu12` and put its lib folder into LD_LIBRARY_PATH"
    )]
    NoNvrtc,
}

fn version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// Returns the driver's text for an error, with the error's name.
pub(super) fn said(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    let text = text.unwrap_or_else(|_| "an error without a description".to_owned());
    format!("{text} ({:?})", error.0)
}

const DRIVER: &str = "NVIDIA driver (libcuda)";
const NVRTC: &str = "NVRTC (libnvrtc)";

fn remedy(library: &str) -> &'static str {
    match library {
        DRIVER => "install one for CUDA 12.0 or later (525 or later)",
        _ => "install that of CUDA 12: `pip install nvidia-cuda-nvrtc-cu12`",
    }
}

/// The entry points of the driver that cudarc and this module call. Calling an entry point that is
/// missing panics.
pub const DRIVER_ENTRIES: &str = "\
    cuInit cuDriverGetVersion cuGetErrorName cuGetErrorString cuDeviceGetCount cuDeviceGet \
    cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2 cuDevicePrimaryCtxRetain \
    cuDevicePrimaryCtxRelease_v2 cuCtxGetCurrent cuCtxSetCurrent cuCtxSynchronize \
    cuMemGetInfo_v2 cuStreamCreate cuStreamDestroy_v2 cuStreamSynchronize cuStreamWaitEvent \
    cuEventCreate cuEventDestroy_v2 cuEventRecord cuEventSynchronize cuMemAllocAsync \
    cuMemFreeAsync cuMemAlloc_v2 cuMemFree_v2 cuMemHostAlloc cuMemFreeHost cuMemcpyHtoDAsync_v2 \
    cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async cuModuleLoadData cuModuleUnload \
    cuModuleGetFunction cuLaunchKernel";

/// The entry points of NVRTC that are called.
const NVRTC_ENTRIES: &str = "\
    nvrtcCreateProgram nvrtcCompileProgram nvrtcGetProgramLogSize nvrtcGetProgramLog \
    nvrtcGetPTXSize nvrtcGetPTX nvrtcDestroyProgram nvrtcGetNumSupportedArchs \
    nvrtcGetSupportedArchs";

/// Returns true if NVRTC can be loaded. Refuses a library without one of the entry points.
pub(super) fn nvrtc_is_there() -> Result<bool, Unavailable> {
    // SAFETY: loads the library of that name, whose initialisers are NVIDIA's own.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Ok(false);
    }
    // SAFETY: the library is there.
    let library = unsafe { nvrtc::sys::culib() };
    // SAFETY: the entry points found are not called.
    let has = |entry: &str| unsafe { library.get::<unsafe extern "C" fn()>(entry) }.is_ok();
    match NVRTC_ENTRIES.split_whitespace().find(|entry| !has(entry)) {
        None => Ok(true),
        Some(entry) => Err(Unavailable::Incomplete { library: NVRTC, entry }),
    }
}

/// Returns true if the driver can be loaded. Refuses a library without one of the entry points. The
/// error then states the driver's version if that is too old, or else the missing entry point.
fn driver_is_there() -> Result<bool, Unavailable> {
    // SAFETY: loads the library of that name, whose initialisers are NVIDIA's own.
    if !unsafe { sys::is_culib_present() } {
        return Ok(false);
    }
    // SAFETY: the library is there.
    let library = unsafe { sys::culib() };
    // SAFETY: the entry points found are not called.
    let has = |entry: &str| unsafe { library.get::<unsafe extern "C" fn()>(entry) }.is_ok();
    let Some(entry) = DRIVER_ENTRIES.split_whitespace().find(|entry| !has(entry)) else {
        return Ok(true);
    };
    if has("cuDriverGetVersion")
        && let Ok(found) = driver_version()
        && found < OLDEST_DRIVER
    {
        return Err(Unavailable::OldDriver { found });
    }
    Err(Unavailable::Incomplete { library: DRIVER, entry })
}

/// Returns the first GPU if all requirements are met. Checks each library before the first call to
/// it, so that no call can panic.
pub fn find() -> Result<Gpu, Unavailable> {
    if !driver_is_there()? {
        return Err(Unavailable::NoDriver);
    }
    match result::init() {
        Ok(()) => {}
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => return Err(Unavailable::NoDevice),
        Err(error) => return Err(Unavailable::Driver(error)),
    }
    let driver = driver_version().map_err(Unavailable::Driver)?;
    if driver < OLDEST_DRIVER {
        return Err(Unavailable::OldDriver { found: driver });
    }
    if result::device::get_count().map_err(Unavailable::Driver)? < 1 {
        return Err(Unavailable::NoDevice);
    }
    let (name, architecture, memory_bytes) = describe().map_err(Unavailable::Driver)?;
    if architecture < OLDEST_ARCHITECTURE {
        return Err(Unavailable::OldDevice { name, found: architecture });
    }
    if !nvrtc_is_there()? {
        return Err(Unavailable::NoNvrtc);
    }
    // Last, as it takes longest.
    let context = CudaContext::new(0);
    let used = context.and_then(|context| Ok((context.mem_get_info()?.0, context)));
    match used {
        Ok((free, _)) if free < LEAST_MEMORY => {
            Err(Unavailable::LittleMemory { name, found: free })
        }
        Ok((_, context)) => Ok(Gpu { name, architecture, driver, memory_bytes, context }),
        Err(error) => Err(Unavailable::Busy { name, error }),
    }
}

fn driver_version() -> Result<i32, DriverError> {
    let mut version = 0;
    // SAFETY: the library is there, and the pointer is to a number of this type.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    Ok(version)
}

/// Returns the GPU's name, architecture and bytes of memory.
fn describe() -> Result<(String, Architecture, usize), DriverError> {
    use sys::CUdevice_attribute::{
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    };
    let device = result::device::get(0)?;
    // SAFETY: the device is one that the driver gave.
    let attribute = |attribute| unsafe { result::device::get_attribute(device, attribute) };
    let major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let architecture = Architecture { major: major as u32, minor: minor as u32 };
    // SAFETY: the device is one that the driver gave.
    let memory_bytes = unsafe { result::device::total_mem(device) }?;
    Ok((result::device::get_name(device)?, architecture, memory_bytes))
}
