//! The memory of the simulated device, and the page-locked memory of the host.

use std::collections::BTreeMap;

use crate::codes::{Code, INVALID_VALUE, OUT_OF_MEMORY};
use crate::order::Uses;

/// The bit that marks device addresses; no address of a program's own memory has it.
const DEVICE_BIT: u64 = 1 << 62;

/// The number of guard bytes after each block. If they change, a kernel wrote beyond its array.
const GUARD: usize = 64;

const FILL_BYTE: u8 = 0xA5;

#[derive(Debug)]
pub(crate) struct Block {
    words: Vec<u128>,
    pub(crate) bytes: usize,
}

impl Block {
    fn new(bytes: usize) -> Self {
        let garbage = u128::from_ne_bytes([FILL_BYTE; 16]);
        Self { words: vec![garbage; (bytes + GUARD).div_ceil(16)], bytes }
    }

    pub(crate) fn host(&self) -> u64 {
        self.words.as_ptr() as u64
    }

    pub(crate) fn is_whole(&self) -> bool {
        let end = self.words.as_ptr().cast::<u8>().wrapping_add(self.bytes);
        // SAFETY: the allocation has `GUARD` bytes after the block's bytes.
        let guard = unsafe { std::slice::from_raw_parts(end, GUARD) };
        guard.iter().all(|&byte| byte == FILL_BYTE)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // Work that still reads the freed memory then reads garbage, which tests notice.
        self.words.fill(u128::from_ne_bytes([!FILL_BYTE; 16]));
    }
}

#[derive(Debug)]
pub(crate) struct Allocation {
    /// The context of the GPU that has the memory; only its streams can use the memory.
    pub(crate) context: u64,
    pub(crate) block: Block,
    pub(crate) uses: Uses,
    /// True if the program has freed the memory, even if the release is still in a stream's queue.
    pub(crate) given_back: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Memory {
    device: BTreeMap<u64, Allocation>,
    pinned: BTreeMap<u64, Block>,
    pub(crate) used: u64,
}

impl Memory {
    pub(crate) fn allocate(&mut self, bytes: usize, limit: u64, context: u64) -> Result<u64, Code> {
        if bytes == 0 {
            return Err(INVALID_VALUE);
        }
        let used = self.used.checked_add(bytes as u64).filter(|&used| used <= limit);
        let used = used.ok_or(OUT_OF_MEMORY)?;
        let block = Block::new(bytes);
        let address = block.host() | DEVICE_BIT;
        let allocation = Allocation { context, block, uses: Uses::default(), given_back: false };
        self.device.insert(address, allocation);
        self.used = used;
        Ok(address)
    }

    pub(crate) fn find(&mut self, address: u64, bytes: usize) -> Option<&mut Allocation> {
        let (start, allocation) = self.device.range_mut(..=address).next_back()?;
        let end = (address - start).checked_add(bytes as u64)?;
        let fits = end <= allocation.block.bytes as u64;
        (fits && !allocation.given_back).then_some(allocation)
    }

    pub(crate) fn starting(&mut self, address: u64) -> Option<&mut Allocation> {
        self.device.get_mut(&address).filter(|allocation| !allocation.given_back)
    }

    pub(crate) fn free(&mut self, address: u64) {
        if let Some(allocation) = self.device.remove(&address) {
            self.used -= allocation.block.bytes as u64;
        }
    }

    pub(crate) fn pin(&mut self, bytes: usize) -> u64 {
        let block = Block::new(bytes);
        let host = block.host();
        self.pinned.insert(host, block);
        host
    }

    pub(crate) fn unpin(&mut self, host: u64) -> bool {
        self.pinned.remove(&host).is_some()
    }

    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.device.len(), self.pinned.len())
    }
}

pub(crate) fn host(address: u64) -> u64 {
    address & !DEVICE_BIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_found_up_to_its_end_until_it_is_given_back() {
        let mut memory = Memory::default();
        let address = memory.allocate(100, 150, 8).unwrap();
        assert!(memory.find(address + 40, 60).is_some());
        assert!(memory.find(address + 40, 61).is_none());
        assert!(memory.find(host(address), 1).is_none(), "an address of the host");
        assert_eq!(memory.allocate(51, 150, 8), Err(OUT_OF_MEMORY));
        assert_eq!(memory.allocate(0, 150, 8), Err(INVALID_VALUE));
        memory.starting(address).unwrap().given_back = true;
        assert!(memory.find(address, 1).is_none());
        memory.free(address);
        assert_eq!((memory.used, memory.counts()), (0, (0, 0)));
    }

    #[test]
    fn what_is_written_behind_the_end_shows() {
        let mut memory = Memory::default();
        let address = memory.allocate(100, 150, 8).unwrap();
        let block = &memory.starting(address).unwrap().block;
        assert!(block.is_whole());
        // SAFETY: byte 100 is the first guard byte of the block of 100 bytes.
        unsafe { (block.host() as *mut u8).add(100).write(0) };
        assert!(!block.is_whole());
    }
}
