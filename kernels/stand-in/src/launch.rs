//! Launches: the checks that a device makes immediately, and the preparation for the stream.

use othello_kernels::{Argument, Kernel};

use crate::codes::{Answer, Code, INVALID_VALUE};
use crate::device::{Function, Handle, State};
use crate::memory::host;
use crate::queue::{Launch, Work};

const THREADS: u32 = 1024;

/// Checks that the grid and the blocks of a launch are within the limits of a device. Also refuses
/// launches that a device allows but our kernels do not use: several rows of threads or blocks, and
/// dynamic shared memory.
pub(crate) fn check(grid: [u32; 3], block: [u32; 3], shared: u32) -> Answer {
    let blocks = (1..=i32::MAX as u32).contains(&grid[0]) && grid[1..] == [1, 1];
    let threads = (1..=THREADS).contains(&block[0]) && block[1..] == [1, 1];
    if blocks && threads && shared == 0 { Ok(()) } else { Err(INVALID_VALUE) }
}

/// Prepares a launch: reads its arguments and records the uses of their memory.
pub(crate) fn prepare(
    state: &mut State,
    function: Function,
    [blocks, threads]: [u32; 2],
    stream: Handle,
    arguments: *const *const u64,
) -> Result<Work, Code> {
    if arguments.is_null() {
        return Err(INVALID_VALUE);
    }
    let Function { module, mut kernel } = function;
    if threads != kernel.block {
        // The index is for the whole run of the process; this shape is added to it.
        kernel = Box::leak(Box::new(Kernel { block: threads, ..*kernel }));
    }
    let (moment, clock) = state.moment(stream)?;
    let (mut words, mut written, mut ordered) = (vec![], vec![], true);
    for (number, kind) in kernel.arguments.iter().enumerate() {
        // SAFETY: the caller gives a pointer for each argument of the kernel, to a value of its
        // type.
        let value = unsafe { *arguments.add(number) };
        words.push(match kind {
            // SAFETY: as above.
            Argument::U32 => u64::from(unsafe { value.cast::<u32>().read() }),
            // SAFETY: as above.
            Argument::F64 => unsafe { value.read() },
            Argument::Array(element) => {
                // SAFETY: as above.
                let address = unsafe { value.read() };
                let Some(allocation) = state.memory.find(address, 1) else {
                    eprintln!("stand-in: {}: argument {number} is not memory", kernel.name);
                    return Ok(Work::WildLaunch);
                };
                ordered &= if element.starts_with("const ") {
                    allocation.uses.read(moment, &clock)
                } else {
                    written.push(address);
                    allocation.uses.write(moment, &clock)
                };
                host(address)
            }
        });
    }
    state.note_order(ordered, kernel.name, moment);
    Ok(Work::Launch(Box::new(Launch { module, kernel, blocks, words, written })))
}
