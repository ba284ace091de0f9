//! What a device has to do for the kernels: keep memory, copy, launch.

use othello_kernels::{Grid, Kernel};

use crate::backend::BackendError;

/// A device that runs kernels. What one thread asks of it happens in the order asked; what is read
/// back is there when the call returns.
pub trait Launcher: Send + Sync + 'static {
    /// Memory of the device.
    type Buffer: Send + Sync;
    /// A buffer that can be filled while the device still computes.
    type Staging: Send;

    /// How much it can do.
    fn limits(&self) -> Limits;

    /// Memory, at least one byte of it, filled with zeros.
    fn allocate(&self, bytes: usize) -> Result<Self::Buffer, BackendError>;

    /// Copies to the start of a buffer, which is no shorter.
    fn write(&self, buffer: &mut Self::Buffer, bytes: &[u8]) -> Result<(), BackendError>;

    /// Copies from the start of a buffer, which is no shorter.
    fn read(&self, buffer: &Self::Buffer, bytes: &mut [u8]) -> Result<(), BackendError>;

    /// Copies between buffers of one length.
    fn copy(&self, from: &Self::Buffer, to: &mut Self::Buffer) -> Result<(), BackendError>;

    /// Fills a buffer with zeros.
    fn clear(&self, buffer: &mut Self::Buffer) -> Result<(), BackendError>;

    /// A staging buffer of this length.
    fn staging(&self, bytes: usize) -> Result<Self::Staging, BackendError>;

    /// Fills a staging buffer, which is no shorter, as soon as no kernel reads it any more.
    fn stage<'s>(
        &self,
        staging: &'s mut Self::Staging,
        bytes: &[u8],
    ) -> Result<&'s Self::Buffer, BackendError>;

    /// Runs a kernel.
    ///
    /// # Safety
    ///
    /// The arguments are those of the index, and arrays are as long as the kernel reads or writes.
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &mut [Value<'_, Self::Buffer>],
    ) -> Result<(), BackendError>;
}

/// An argument of a kernel.
#[derive(Debug)]
pub enum Value<'a, B> {
    /// An array that it reads.
    In(&'a B),
    /// An array that it writes.
    Out(&'a mut B),
    /// A number.
    U32(u32),
    /// A number.
    F64(f64),
}

/// How much a device can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Blocks that fill it, for kernels that loop over a grid of any size.
    pub blocks: u32,
    /// Bytes of shared memory that a block may have.
    pub shared_bytes: usize,
    /// Rows that are computed at once where they are computed in chunks, or copied at once where
    /// the device cannot keep them.
    pub chunk_rows: usize,
    /// Bytes of positions that it keeps; others are copied to it again and again.
    pub resident_bytes: usize,
}
