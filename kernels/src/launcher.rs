//! The device interface of the kernels: memory, copies, launches.

use crate::index::Kernel;

/// The error of a device that cannot do the requested work.
#[derive(Debug, thiserror::Error)]
#[error("{device}: {reason}")]
pub struct LaunchError {
    /// The name of the device.
    pub device: &'static str,
    /// The cause and the remedy.
    pub reason: String,
}

/// A device that runs kernels. Requests of one thread are executed in order. A call that reads data
/// returns when the data has arrived.
pub trait Launcher: Send + Sync + 'static {
    /// Memory of the device.
    type Buffer: Send + Sync;
    /// A buffer that can be filled while the device still computes.
    type Staging: Send;

    /// Returns the limits of the device, such as its memory for positions.
    fn limits(&self) -> Limits;

    /// Allocates memory, at least one byte, filled with zeros.
    fn allocate(&self, bytes: usize) -> Result<Self::Buffer, LaunchError>;

    /// Copies `bytes` to the start of a buffer, which is at least as long.
    fn write(&self, buffer: &mut Self::Buffer, bytes: &[u8]) -> Result<(), LaunchError>;

    /// Copies from the start of a buffer, which is at least as long as `bytes`.
    fn read(&self, buffer: &Self::Buffer, bytes: &mut [u8]) -> Result<(), LaunchError>;

    /// Copies between buffers of one length.
    fn copy(&self, from: &Self::Buffer, to: &mut Self::Buffer) -> Result<(), LaunchError>;

    /// Fills a buffer with zeros.
    fn clear(&self, buffer: &mut Self::Buffer) -> Result<(), LaunchError>;

    /// Allocates a staging buffer of `bytes` bytes.
    fn staging(&self, bytes: usize) -> Result<Self::Staging, LaunchError>;

    /// Waits until no kernel reads the staging buffer, then fills it with `bytes`. The buffer is at
    /// least as long as `bytes`.
    fn stage<'s>(
        &self,
        staging: &'s mut Self::Staging,
        bytes: &[u8],
    ) -> Result<&'s Self::Buffer, LaunchError>;

    /// Runs a kernel in this number of blocks, at least one.
    ///
    /// # Safety
    ///
    /// The arguments must be those that the index lists for the kernel. Arrays must be as long as
    /// the kernel reads or writes.
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        blocks: u32,
        arguments: &mut [Value<'_, Self::Buffer>],
    ) -> Result<(), LaunchError>;
}

/// An argument of a kernel.
#[derive(Debug)]
pub enum Value<'a, B> {
    /// An array that the kernel reads.
    In(&'a B),
    /// An array that the kernel writes.
    Out(&'a mut B),
    /// A number.
    U32(u32),
    /// A number.
    F64(f64),
}

/// The limits of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of blocks that fill the device, for kernels whose threads loop over any number of
    /// items.
    pub blocks: u32,
    /// The number of rows in a chunk, if rows are copied in chunks because they do not fit on the
    /// device.
    pub chunk_rows: usize,
    /// The number of bytes of positions that can stay on the device. Further positions are copied
    /// to the device for each use.
    pub resident_bytes: usize,
    /// The memory bandwidth in bytes per second; `None` if the device does not report it.
    pub memory_bandwidth: Option<u64>,
}
