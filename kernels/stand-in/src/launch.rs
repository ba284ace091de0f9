//! Checks a requested launch of a kernel, and turns it into an operation for a stream's queue.

use othello_kernels::Argument;

use crate::codes::{Code, ILLEGAL_ADDRESS, INVALID_HANDLE, INVALID_VALUE};
use crate::device::{Function, Handle, State};
use crate::memory::host;
use crate::queue::{Launch, Work};

pub(crate) fn prepare(
    state: &mut State,
    Function { module, kernel }: Function,
    [grid, block]: [[u32; 3]; 2],
    stream: Handle,
    arguments: *const *const u64,
) -> Result<Work, Code> {
    let blocks = grid[0];
    let fits = (1..=i32::MAX as u32).contains(&blocks) && grid[1..] == [1, 1];
    if !fits || block != [kernel.block, 1, 1] || arguments.is_null() {
        return Err(INVALID_VALUE);
    }
    let context = state.stream(stream)?.context;
    let (module, of_module) = module;
    if of_module != context {
        return Err(INVALID_HANDLE);
    }
    let (moment, clock) = state.moment(stream)?;
    let (mut words, mut written, mut ordered) = (vec![], vec![], true);
    for (number, kind) in kernel.arguments.iter().enumerate() {
        // SAFETY: for each argument, the caller passes a pointer to a value of its type.
        let value = unsafe { *arguments.add(number) };
        words.push(match kind {
            // SAFETY: the caller passes a pointer to a value of this type.
            Argument::U32 => u64::from(unsafe { value.cast::<u32>().read() }),
            // SAFETY: the caller passes a pointer to a value of this type, which has 8 bytes.
            Argument::F64 => unsafe { value.read() },
            Argument::Array(element) => {
                // SAFETY: the caller passes a pointer to the address of the array.
                let address = unsafe { value.read() };
                let allocation = state.memory.find(address, 1);
                let Some(allocation) = allocation.filter(|there| there.context == context) else {
                    eprintln!(
                        "stand-in: {}: argument {number} is not memory of the GPU",
                        kernel.name
                    );
                    return Err(ILLEGAL_ADDRESS);
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
