//! Whether there is a GPU that can be used, and if not, what to do about it.

use cudarc::driver::{CudaContext, DriverError, result, sys};
use cudarc::nvrtc;

use super::Architecture;

/// The oldest CUDA version of a driver that is supported: 12.0, as the driver counts.
const OLDEST_DRIVER: i32 = 12_000;

/// The oldest architecture that NVRTC 12 compiles for and the kernels were compiled for.
const OLDEST_ARCHITECTURE: Architecture = Architecture { major: 7, minor: 5 };

/// Weights, sums, moments and scratch of a few phases of the standard set at once.
const LEAST_MEMORY: usize = 512 << 20;

/// A GPU that can be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// What the driver calls it.
    pub name: String,
    /// What it is compiled for.
    pub architecture: Architecture,
    /// The CUDA version of the driver: 1000 · major + 10 · minor.
    pub driver: i32,
    /// The bytes of its memory.
    pub memory_bytes: usize,
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, architecture, driver, memory_bytes } = self;
        let (gib, driver) = (memory_bytes >> 30, version(*driver));
        write!(f, "{name}, {gib} GiB, {architecture}, driver for CUDA {driver}")
    }
}

/// Why there is no GPU to use.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// No libcuda.
    #[error(
        "no NVIDIA driver (libcuda) was found; on a machine with an NVIDIA GPU, install its driver"
    )]
    NoDriver,
    /// libcuda refuses to start.
    #[error("the NVIDIA driver does not start: {0}; look at what `nvidia-smi` says")]
    Driver(DriverError),
    /// A driver for an older CUDA.
    #[error("the NVIDIA driver is for CUDA {}; install one for CUDA 12.0 or later (525 or later)", version(*found))]
    OldDriver {
        /// The CUDA version that it is for.
        found: i32,
    },
    /// A driver, but nothing to drive.
    #[error(
        "the NVIDIA driver finds no GPU; look at `nvidia-smi`, CUDA_VISIBLE_DEVICES and, in a container, its GPU option"
    )]
    NoDevice,
    /// A GPU from before Turing.
    #[error("{name} is {found}; the kernels need {OLDEST_ARCHITECTURE} or later")]
    OldDevice {
        /// The name of the GPU.
        name: String,
        /// The architecture of the GPU.
        found: Architecture,
    },
    /// A GPU that is too small.
    #[error(
        "{name} has {} MiB of memory; {} MiB are needed",
        found >> 20,
        LEAST_MEMORY >> 20
    )]
    LittleMemory {
        /// The name of the GPU.
        name: String,
        /// The bytes of its memory.
        found: usize,
    },
    /// No libnvrtc.
    #[error(
        "NVRTC (libnvrtc) was not found, which compiles the kernels; install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc-cu12` and put its lib folder into LD_LIBRARY_PATH"
    )]
    NoNvrtc,
}

fn version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// Whether NVRTC can be loaded.
pub(super) fn nvrtc_is_there() -> bool {
    // SAFETY: loads the library of that name, whose initialisers are NVIDIA's own.
    unsafe { nvrtc::sys::is_culib_present() }
}

/// The first GPU, where everything that it takes is there. Asks in an order in which nothing
/// panics: whether the libraries are there before the first call to each.
pub fn find() -> Result<Found, Unavailable> {
    // SAFETY: loads the library of that name, whose initialisers are NVIDIA's own.
    if !unsafe { sys::is_culib_present() } {
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
    let found = describe(driver).map_err(Unavailable::Driver)?;
    if found.architecture < OLDEST_ARCHITECTURE {
        return Err(Unavailable::OldDevice { name: found.name, found: found.architecture });
    }
    if found.memory_bytes < LEAST_MEMORY {
        return Err(Unavailable::LittleMemory { name: found.name, found: found.memory_bytes });
    }
    if !nvrtc_is_there() {
        return Err(Unavailable::NoNvrtc);
    }
    Ok(found)
}

fn driver_version() -> Result<i32, DriverError> {
    let mut version = 0;
    // SAFETY: the library is there, and the pointer is to a number of this type.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    Ok(version)
}

fn describe(driver: i32) -> Result<Found, DriverError> {
    use sys::CUdevice_attribute::{
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    };
    let device = result::device::get(0)?;
    // SAFETY: the device is one that the driver gave.
    let attribute = |attribute| unsafe { result::device::get_attribute(device, attribute) };
    let major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(Found {
        name: result::device::get_name(device)?,
        architecture: Architecture { major: major as u32, minor: minor as u32 },
        driver,
        // SAFETY: the device is one that the driver gave.
        memory_bytes: unsafe { result::device::total_mem(device) }?,
    })
}

/// Free and total memory of a context's device.
pub fn memory_bytes(context: &CudaContext) -> Result<(usize, usize), DriverError> {
    context.mem_get_info()
}
