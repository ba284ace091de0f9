use crate::index::Kernel;

/// The error of a device that cannot do the requested work, such as a GPU without enough memory.
#[derive(Debug, thiserror::Error)]
#[error("{device}: {reason}")]
pub struct LaunchError {
    /// The name of the device: `cuda` or `host`.
    pub device: &'static str,
    /// The cause of the error, and what the user can do.
    pub reason: String,
}

/// A device that runs kernels: one or several GPUs or, in tests, the CPU. The requests of a thread
/// are executed in order. On a GPU, only `read`, `write` and `stage` wait until earlier requests
/// are done, and a buffer may be used only by the thread that allocated it.
pub trait Launcher: Send + Sync + 'static {
    /// A buffer in the memory of the device.
    type Buffer: Send + Sync;
    /// Two staging buffers: one can be filled while kernels read the other.
    type Staging: Send;

    /// Returns the limits of the device, such as its memory for positions.
    fn limits(&self) -> Limits;

    /// Allocates a buffer of `bytes` bytes, filled with zeros.
    fn allocate(&self, bytes: usize) -> Result<Self::Buffer, LaunchError>;

    /// Copies `bytes` to the start of a buffer, which must be at least as long.
    fn write(&self, buffer: &mut Self::Buffer, bytes: &[u8]) -> Result<(), LaunchError>;

    /// Fills `bytes` from the start of a buffer, which must be at least as long. Waits until the
    /// copy is done.
    fn read(&self, buffer: &Self::Buffer, bytes: &mut [u8]) -> Result<(), LaunchError>;

    /// Fills `to` with the first bytes of `from`, which must be at least as long.
    fn copy(&self, from: &Self::Buffer, to: &mut Self::Buffer) -> Result<(), LaunchError>;

    /// Fills a buffer with zeros.
    fn clear(&self, buffer: &mut Self::Buffer) -> Result<(), LaunchError>;

    /// Allocates staging buffers of `bytes` bytes each.
    fn staging(&self, bytes: usize) -> Result<Self::Staging, LaunchError>;

    /// Copies `bytes` to a staging buffer, which must be at least as long, and returns this buffer.
    /// Calls use the two buffers in turn. A copy waits for kernels that read its buffer.
    fn stage<'s>(
        &self,
        staging: &'s mut Self::Staging,
        bytes: &[u8],
    ) -> Result<&'s Self::Buffer, LaunchError>;

    /// Runs a kernel with `blocks` thread blocks; `blocks` must be at least 1.
    ///
    /// # Safety
    /// `arguments` must have the types in `kernel.arguments`, in the same order. Each array must be
    /// long enough for the kernel's accesses.
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        blocks: u32,
        arguments: &mut [Value<'_, Self::Buffer>],
    ) -> Result<(), LaunchError>;
}

/// The value of a kernel argument: an array on the device, or a number.
#[derive(Debug)]
pub enum Value<'a, B> {
    /// An array that the kernel reads.
    In(&'a B),
    /// An array that the kernel writes.
    Out(&'a mut B),
    /// A 32-bit number.
    U32(u32),
    /// A 64-bit floating-point number.
    F64(f64),
}

/// The limits of a device, which decide the size of launches and how many positions stay on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of thread blocks, each of 128 threads or more, that keep the whole device busy.
    pub blocks: u32,
    /// The number of rows (positions) that are copied at once if they do not stay on the device.
    pub chunk_rows: usize,
    /// The bytes of memory for positions, and lists of positions, that stay on the device. Other
    /// positions are copied to the device at each use.
    pub resident_bytes: usize,
    /// The bytes of the device's memory for vectors, which have an element for each parameter.
    pub vector_bytes: usize,
    /// The memory bandwidth in bytes per second; `None` if the device does not report it.
    pub memory_bandwidth: Option<u64>,
}

impl Limits {
    /// Returns limits with the lesser numbers of blocks and bytes of the two; the other limits are
    /// those of `self`.
    pub(crate) fn least(self, other: Self) -> Self {
        Self {
            blocks: self.blocks.min(other.blocks),
            resident_bytes: self.resident_bytes.min(other.resident_bytes),
            vector_bytes: self.vector_bytes.min(other.vector_bytes),
            ..self
        }
    }
}
