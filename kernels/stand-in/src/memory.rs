//! The memory of the device, and page-locked memory of the host.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;

use crate::codes::{Code, INVALID_VALUE, OUT_OF_MEMORY};
use crate::order::Uses;

/// The bit that every device address has; no address that the processor can use has it.
const DEVICE: u64 = 1 << 62;

/// The alignment of device memory in bytes.
const ALIGNMENT: usize = 256;

/// The number of guard bytes after each block, which nothing may write.
const GUARD: usize = 64;

/// The byte that fills memory before it is written, guard bytes, and (inverted) freed memory.
const GARBAGE: u8 = 0xA5;

/// A piece of the process's memory.
#[derive(Debug)]
pub(crate) struct Block {
    start: *mut u8,
    pub(crate) bytes: usize,
}

// SAFETY: the block owns its memory; the stand-in checks who uses it and when.
unsafe impl Send for Block {}

impl Block {
    fn new(bytes: usize) -> Result<Self, Code> {
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc(Self::layout(bytes)?) };
        if start.is_null() {
            return Err(OUT_OF_MEMORY);
        }
        // SAFETY: the memory is as long as its layout.
        unsafe { start.write_bytes(GARBAGE, bytes + GUARD) };
        Ok(Self { start, bytes })
    }

    fn layout(bytes: usize) -> Result<Layout, Code> {
        let padded = bytes.checked_add(GUARD).ok_or(OUT_OF_MEMORY)?;
        Layout::from_size_align(padded, ALIGNMENT).map_err(|_| OUT_OF_MEMORY)
    }

    /// Returns the address of the block in the process.
    pub(crate) fn host(&self) -> u64 {
        self.start as u64
    }

    /// Returns whether nothing was written beyond the end of the block.
    pub(crate) fn is_whole(&self) -> bool {
        // SAFETY: the guard is after the block's bytes and was written when the block was made.
        let guard = unsafe { std::slice::from_raw_parts(self.start.add(self.bytes), GUARD) };
        guard.iter().all(|&byte| byte == GARBAGE)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Ok(layout) = Self::layout(self.bytes) {
            // SAFETY: made with this layout, and as long. A thread that still reads it gets
            // garbage.
            unsafe {
                self.start.write_bytes(!GARBAGE, self.bytes);
                dealloc(self.start, layout);
            }
        }
    }
}

/// An allocation of device memory.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) block: Block,
    /// The last uses of the memory.
    pub(crate) uses: Uses,
    /// True if the program freed the memory; a stream may still have to take it back.
    pub(crate) given_back: bool,
}

/// All allocated memory that was not taken back yet.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    device: BTreeMap<u64, Allocation>,
    pinned: BTreeMap<u64, Block>,
    /// The bytes of device memory in use.
    pub(crate) used: u64,
    /// The greatest number of bytes that were in use at once.
    pub(crate) peak: u64,
}

impl Memory {
    /// Allocates memory of a device that has `limit` bytes; returns its address.
    pub(crate) fn allocate(&mut self, bytes: usize, limit: u64) -> Result<u64, Code> {
        if bytes == 0 {
            return Err(INVALID_VALUE);
        }
        let used = self.used.checked_add(bytes as u64).filter(|&used| used <= limit);
        let used = used.ok_or(OUT_OF_MEMORY)?;
        let block = Block::new(bytes)?;
        let address = block.host() | DEVICE;
        self.device.insert(address, Allocation { block, uses: Uses::default(), given_back: false });
        self.used = used;
        self.peak = self.peak.max(used);
        Ok(address)
    }

    /// Returns the allocation that has `bytes` bytes from an address on.
    pub(crate) fn find(&mut self, address: u64, bytes: usize) -> Option<&mut Allocation> {
        let (start, allocation) = self.device.range_mut(..=address).next_back()?;
        let end = (address - start).checked_add(bytes as u64)?;
        let fits = end <= allocation.block.bytes as u64;
        (fits && !allocation.given_back).then_some(allocation)
    }

    /// Returns the allocation that begins at an address.
    pub(crate) fn starting(&mut self, address: u64) -> Option<&mut Allocation> {
        self.device.get_mut(&address).filter(|allocation| !allocation.given_back)
    }

    /// Takes device memory back.
    pub(crate) fn free(&mut self, address: u64) {
        if let Some(allocation) = self.device.remove(&address) {
            self.used -= allocation.block.bytes as u64;
        }
    }

    /// Allocates host memory that the device can read directly.
    pub(crate) fn pin(&mut self, bytes: usize) -> Result<u64, Code> {
        let block = Block::new(bytes)?;
        let host = block.host();
        self.pinned.insert(host, block);
        Ok(host)
    }

    /// Takes such host memory back; returns whether there was any.
    pub(crate) fn unpin(&mut self, host: u64) -> bool {
        self.pinned.remove(&host).is_some()
    }

    /// Returns the numbers of allocations on the device and on the host.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.device.len(), self.pinned.len())
    }
}

/// Converts a device address to an address in the process.
pub(crate) fn host(address: u64) -> u64 {
    address & !DEVICE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_found_up_to_its_end_until_it_is_given_back() {
        let mut memory = Memory::default();
        let address = memory.allocate(100, 150).unwrap();
        assert!(memory.find(address + 40, 60).is_some());
        assert!(memory.find(address + 40, 61).is_none());
        assert!(memory.find(host(address), 1).is_none(), "an address of the host");
        assert_eq!(memory.allocate(51, 150), Err(OUT_OF_MEMORY));
        assert_eq!(memory.allocate(0, 150), Err(INVALID_VALUE));
        memory.starting(address).unwrap().given_back = true;
        assert!(memory.find(address, 1).is_none());
        memory.free(address);
        assert_eq!((memory.used, memory.peak, memory.counts()), (0, 100, (0, 0)));
    }

    #[test]
    fn what_is_written_behind_the_end_shows() {
        let mut memory = Memory::default();
        let address = memory.allocate(100, 150).unwrap();
        let block = &memory.starting(address).unwrap().block;
        assert!(block.is_whole());
        // SAFETY: the guard is memory of the block.
        unsafe { (block.host() as *mut u8).add(100).write(0) };
        assert!(!block.is_whole());
    }
}
