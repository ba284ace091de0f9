//! Launches: the checks that a device makes at once, and the preparation for the stream.

use othello_kernels::{Argument, Grid};

use crate::codes::{Answer, Code, INVALID_VALUE};
use crate::device::{Function, Handle, State};
use crate::memory::host;
use crate::module::Entry;
use crate::queue::{Launch, Work};

/// The bytes of shared memory that a block may have if the kernel is not set to have more.
pub(crate) const SHARED_UNLESS_ASKED: u64 = 48 << 10;

/// The greatest number of threads of a block, and of blocks in the second direction.
const THREADS: u32 = 1024;
const BLOCKS: u32 = 65_535;

/// Checks that a device can do a launch of this shape. Shapes that the kernels do not use are
/// refused here: blocks of several rows of threads, and several blocks in the third direction.
pub(crate) fn check(function: &Function, grid: [u32; 3], block: [u32; 3], shared: u32) -> Answer {
    let [x, y, z] = grid;
    let blocks = (1..=i32::MAX as u32).contains(&x) && (1..=BLOCKS).contains(&y) && z == 1;
    let threads = (1..=THREADS).contains(&block[0]) && block[1..] == [1, 1];
    let memory = u64::from(shared) <= function.dynamic_shared;
    if blocks && threads && memory { Ok(()) } else { Err(INVALID_VALUE) }
}

/// Prepares a launch: reads its arguments and records the uses of their memory.
pub(crate) fn prepare(
    state: &mut State,
    function: Function,
    grid: Grid,
    block: u32,
    stream: Handle,
    arguments: *const *const u64,
) -> Result<Work, Code> {
    if arguments.is_null() {
        return Err(INVALID_VALUE);
    }
    let Function { module, entry: Entry { mut kernel, shared }, .. } = function;
    if block != kernel.block {
        // The index is for the whole run of the process; this shape is added to it.
        kernel = Box::leak(Box::new(othello_kernels::Kernel { block, ..*kernel }));
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
                    eprintln!("stand-in: {}: argument {number} is no memory", kernel.name);
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
    let entry = Entry { kernel, shared };
    Ok(Work::Launch(Box::new(Launch { module, entry, grid, words, written })))
}
