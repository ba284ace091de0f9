//! Launches of kernels: the immediate checks of a device, and the operation for the stream.

use othello_kernels::{Argument, Kernel};

use crate::codes::{Answer, Code, INVALID_VALUE};
use crate::device::{Function, Handle, State};
use crate::memory::host;
use crate::queue::{Launch, Work};

const THREADS: u32 = 1024;

/// Checks the limits of a device. More than one dimension, and dynamic shared memory (`shared`
/// bytes), are also errors, because our kernels do not use them.
pub(crate) fn check(grid: [u32; 3], block: [u32; 3], shared: u32) -> Answer {
    let blocks = (1..=i32::MAX as u32).contains(&grid[0]) && grid[1..] == [1, 1];
    let threads = (1..=THREADS).contains(&block[0]) && block[1..] == [1, 1];
    if blocks && threads && shared == 0 { Ok(()) } else { Err(INVALID_VALUE) }
}

/// Prepares a launch on `stream`: reads the arguments, records the memory that the kernel uses.
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
        // A launch needs a kernel that lives as long as the process, so this copy is leaked.
        kernel = Box::leak(Box::new(Kernel { block: threads, ..*kernel }));
    }
    let (moment, clock) = state.moment(stream)?;
    let (mut words, mut written, mut ordered) = (vec![], vec![], true);
    for (number, kind) in kernel.arguments.iter().enumerate() {
        // SAFETY: for each argument of the kernel, the caller passes a pointer to a value of the
        // argument's type.
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
