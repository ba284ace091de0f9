//! The entry points of the CUDA driver, which behave as the driver's documentation describes.

use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::sync::{Arc, LazyLock, MutexGuard};

use othello_kernels::index;

use crate::calls::{CURRENT, Needs, enter};
use crate::codes::{
    Answer, Code, INVALID_DEVICE, INVALID_HANDLE, INVALID_VALUE, NO_DEVICE, NOT_FOUND, code, errors,
};
use crate::device::{DEVICE, Function, Handle, State};
use crate::memory::host;
use crate::order::{Clock, Moment, Uses};
use crate::queue::{Point, Stream, Work};
use crate::settings::SETTINGS;
use crate::{launch, module, report, worker};

/// Returns the handle of the context of GPU `number`, which all threads share.
fn context(number: c_int) -> Handle {
    8 + number as Handle
}

macro_rules! entries {
    ($($needs:ident fn $name:ident($($argument:ident: $type:ty),*) |$state:pat_param| $body:block)*) => {
        #[allow(dead_code, reason = "those of NVRTC are not compared")]
        pub(crate) const ENTRIES: &[&str] = &[$(stringify!($name)),*];

        $(
            #[allow(non_snake_case, reason = "NVIDIA's own name")]
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $type),*) -> Code {
                let answer = || -> Answer {
                    let $state = enter(stringify!($name), Needs::$needs)?;
                    $body
                };
                code(answer())
            }
        )*
    };
}
pub(crate) use entries;

pub(crate) fn put<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller of the entry point passes a pointer to a value of this type.
    unsafe { to.write(value) };
    Ok(())
}

fn device(number: c_int) -> Answer {
    let there = u64::try_from(number).is_ok_and(|number| number < SETTINGS.devices);
    if there { Ok(()) } else { Err(INVALID_DEVICE) }
}

entries! {
    Nothing fn cuInit(flags: c_uint) |mut state| {
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        if SETTINGS.devices == 0 {
            return Err(NO_DEVICE);
        }
        if !std::mem::replace(&mut state.initialised, true) {
            report::write_at_exit();
        }
        Ok(())
    }

    Nothing fn cuDriverGetVersion(version: *mut c_int) |_state| {
        put(version, SETTINGS.driver as c_int)
    }

    Nothing fn cuGetErrorString(error: Code, text: *mut *const c_char) |_state| {
        put(text, error_text(error)?)
    }

    Start fn cuDeviceGetCount(count: *mut c_int) |_state| {
        put(count, SETTINGS.devices as c_int)
    }

    Start fn cuDeviceGet(found: *mut c_int, number: c_int) |_state| {
        device(number)?;
        put(found, number)
    }

    Start fn cuDeviceGetName(name: *mut c_char, length: c_int, number: c_int) |_state| {
        device(number)?;
        let text = c"Stand-in for a GPU".to_bytes_with_nul();
        if (length as usize) < text.len() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes a buffer of `length` bytes.
        unsafe { name.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        Ok(())
    }

    Start fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, number: c_int) |_state| {
        device(number)?;
        let found = match attribute {
            // Attribute 16 is the number of multiprocessors.
            16 => 2,
            // Attributes 36 and 37: a memory clock of 1 MHz (1000 kHz), and a bus of 64 bits.
            36 => 1000,
            37 => 64,
            75 => SETTINGS.capability / 10,
            76 => SETTINGS.capability % 10,
            115 => SETTINGS.pools,
            _ => return Err(INVALID_VALUE),
        };
        put(value, found as c_int)
    }

    Start fn cuDeviceTotalMem_v2(bytes: *mut usize, number: c_int) |_state| {
        device(number)?;
        put(bytes, SETTINGS.memory as usize)
    }

    Start fn cuDevicePrimaryCtxSetFlags_v2(number: c_int, _flags: c_uint) |_state| {
        device(number)
    }

    Start fn cuDevicePrimaryCtxRetain(found: *mut Handle, number: c_int) |mut state| {
        device(number)?;
        state.retained += 1;
        put(found, context(number))
    }

    Start fn cuDevicePrimaryCtxRelease_v2(number: c_int) |mut state| {
        device(number)?;
        state.retained = state.retained.checked_sub(1).ok_or(INVALID_VALUE)?;
        if state.retained == 0 && state.lost.is_none() { wait_for_all(state) } else { Ok(()) }
    }

    Start fn cuCtxGetCurrent(context: *mut Handle) |_state| {
        put(context, CURRENT.get())
    }

    Start fn cuCtxSetCurrent(wanted: Handle) |_state| {
        let all = (0..SETTINGS.devices).map(|number| context(number as c_int));
        let is_known = all.chain([0]).any(|known| known == wanted);
        CURRENT.set(if is_known { wanted } else { 0 });
        if is_known { Ok(()) } else { Err(INVALID_VALUE) }
    }

    Context fn cuCtxSynchronize() |mut state| {
        let clocks: Vec<_> = state.streams.values().map(|stream| stream.clock.clone()).collect();
        clocks.iter().for_each(|clock| state.host.join(clock));
        wait_for_all(state)
    }

    Context fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) |mut state| {
        let told = if state.asked.insert(CURRENT.get()) { u64::MAX } else { SETTINGS.free_later };
        let limit = memory_limit().saturating_sub(state.memory.used);
        put(free, limit.min(told) as usize)?;
        put(total, SETTINGS.memory as usize)
    }

    Context fn cuStreamCreate(stream: *mut Handle, _flags: c_uint) |mut state| {
        worker::start(&mut state);
        let handle = state.handle();
        state.streams.insert(handle, Stream { context: CURRENT.get(), ..Stream::default() });
        put(stream, handle)
    }

    Context fn cuStreamDestroy_v2(stream: Handle) |mut state| {
        let found = state.stream(stream)?;
        found.destroyed = true;
        if found.is_idle() {
            state.streams.remove(&stream);
        }
        Ok(())
    }

    Context fn cuStreamSynchronize(stream: Handle) |mut state| {
        let found = state.stream(stream)?;
        let (asked, clock) = (found.asked, found.clock.clone());
        state.host.join(&clock);
        DEVICE.wait(state, &[Point(stream, asked)])
    }

    Context fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) |mut state| {
        let event = state.events.get(&event).ok_or(INVALID_HANDLE)?.clone();
        state.stream(stream)?;
        let Some((point, before)) = event else { return Ok(()) };
        let call = state.calls.get("cuStreamWaitEvent").copied();
        if call == Some(SETTINGS.skip_wait) {
            return Ok(());
        }
        let host = state.host.clone();
        let clock = &mut state.stream(stream)?.clock;
        clock.join(&host);
        if !clock.covers(&before) {
            clock.join(&before);
            state.needed_waits.extend(call);
        }
        state.push(stream, Work::Wait(point))
    }

    Context fn cuEventCreate(event: *mut Handle, _flags: c_uint) |mut state| {
        let handle = state.handle();
        state.events.insert(handle, None);
        put(event, handle)
    }

    Context fn cuEventDestroy_v2(event: Handle) |mut state| {
        state.events.remove(&event).map(|_| ()).ok_or(INVALID_HANDLE)
    }

    Context fn cuEventRecord(event: Handle, stream: Handle) |mut state| {
        let found = state.stream(stream)?;
        let recorded = (Point(stream, found.asked), found.clock.clone());
        *state.events.get_mut(&event).ok_or(INVALID_HANDLE)? = Some(recorded);
        Ok(())
    }

    Context fn cuEventSynchronize(event: Handle) |mut state| {
        let event = state.events.get(&event).ok_or(INVALID_HANDLE)?.clone();
        let Some((point, before)) = event else { return Ok(()) };
        state.host.join(&before);
        DEVICE.wait(state, &[point])
    }

    Context fn cuMemAllocAsync(address: *mut u64, bytes: usize, stream: Handle) |mut state| {
        let context = state.stream(stream)?.context;
        let found = state.memory.allocate(bytes, memory_limit(), context)?;
        let (moment, clock) = state.moment(stream)?;
        if let Some(allocation) = state.memory.starting(found) {
            allocation.uses.write(moment, &clock);
        }
        put(address, found)
    }

    Context fn cuMemFreeAsync(address: u64, stream: Handle) |mut state| {
        let (moment, clock) = state.moment(stream)?;
        let allocation = state.memory.starting(address).ok_or(INVALID_VALUE)?;
        allocation.given_back = true;
        let ordered = allocation.uses.write(moment, &clock);
        state.note_order(ordered, "cuMemFreeAsync", moment);
        state.push(stream, Work::Free(address))
    }

    Context fn cuMemAlloc_v2(address: *mut u64, bytes: usize) |mut state| {
        put(address, state.memory.allocate(bytes, memory_limit(), CURRENT.get())?)
    }

    Context fn cuMemFree_v2(address: u64) |mut state| {
        state.memory.starting(address).ok_or(INVALID_VALUE)?.given_back = true;
        wait_for_all(state)?;
        DEVICE.lock().memory.free(address);
        Ok(())
    }

    Context fn cuMemHostAlloc(memory: *mut u64, bytes: usize, _flags: c_uint) |mut state| {
        put(memory, state.memory.pin(bytes))
    }

    Context fn cuMemFreeHost(memory: u64) |mut state| {
        if state.memory.unpin(memory) { Ok(()) } else { Err(INVALID_VALUE) }
    }

    Context fn cuMemcpyHtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) |mut state| {
        record(&mut state, Uses::write, (to, bytes), stream, "cuMemcpyHtoDAsync_v2")?;
        state.push(stream, Work::Copy { from, to: host(to), bytes })
    }

    Context fn cuMemcpyDtoHAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) |mut state| {
        record(&mut state, Uses::read, (from, bytes), stream, "cuMemcpyDtoHAsync_v2")?;
        state.push(stream, Work::Copy { from: host(from), to, bytes })
    }

    Context fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) |mut state| {
        record(&mut state, Uses::read, (from, bytes), stream, "cuMemcpyDtoDAsync_v2")?;
        record(&mut state, Uses::write, (to, bytes), stream, "cuMemcpyDtoDAsync_v2")?;
        state.push(stream, Work::Copy { from: host(from), to: host(to), bytes })
    }

    Context fn cuMemsetD8Async(to: u64, value: u8, bytes: usize, stream: Handle) |mut state| {
        record(&mut state, Uses::write, (to, bytes), stream, "cuMemsetD8Async")?;
        state.push(stream, Work::Fill { to: host(to), value, bytes })
    }

    Context fn cuModuleLoadData(module: *mut Handle, image: *const c_char) |mut state| {
        // SAFETY: the caller passes PTX that ends with a zero byte.
        let ptx = unsafe { CStr::from_ptr(image) }.to_string_lossy();
        let loaded = Arc::new(module::load(&ptx, &SETTINGS)?);
        let handle = state.handle();
        state.modules.insert(handle, (loaded, CURRENT.get()));
        put(module, handle)
    }

    Context fn cuModuleUnload(module: Handle) |mut state| {
        let (unloaded, _) = state.modules.remove(&module).ok_or(INVALID_HANDLE)?;
        state.functions.retain(|_, function| !Arc::ptr_eq(&function.module.0, &unloaded));
        Ok(())
    }

    Context fn cuModuleGetFunction(found: *mut Handle, module: Handle, name: *const c_char) |mut state| {
        let module = state.modules.get(&module).ok_or(INVALID_HANDLE)?.clone();
        // SAFETY: the caller passes a name that ends with a zero byte.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let all = index::FAMILIES.iter().flat_map(|family| family.kernels);
        let kernel = all.into_iter().find(|kernel| kernel.name == name).ok_or(NOT_FOUND)?;
        let handle = state.handle();
        state.functions.insert(handle, Function { module, kernel });
        put(found, handle)
    }

    Context fn cuLaunchKernel(
        function: Handle,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint, stream: Handle, arguments: *const *const u64, _extra: u64
    ) |mut state| {
        let function = state.functions.get(&function).ok_or(INVALID_HANDLE)?.clone();
        state.stream(stream)?;
        if shared != 0 {
            return Err(INVALID_VALUE);
        }
        let shape = [[grid_x, grid_y, grid_z], [block_x, block_y, block_z]];
        let work = launch::prepare(&mut state, function, shape, stream, arguments)?;
        state.push(stream, work)
    }
}

fn memory_limit() -> u64 {
    SETTINGS.free.min(SETTINGS.memory)
}

fn wait_for_all(state: MutexGuard<'_, State>) -> Answer {
    let points: Vec<_> = state.streams.iter().map(|(&n, it)| Point(n, it.asked)).collect();
    DEVICE.wait(state, &points)
}

fn record(
    state: &mut State,
    using: fn(&mut Uses, Moment, &Clock) -> bool,
    (address, bytes): (u64, usize),
    stream: Handle,
    what: &str,
) -> Answer {
    let context = state.stream(stream)?.context;
    let (moment, clock) = state.moment(stream)?;
    let allocation = state.memory.find(address, bytes);
    let allocation = allocation.filter(|there| there.context == context).ok_or(INVALID_VALUE)?;
    let ordered = using(&mut allocation.uses, moment, &clock);
    state.note_order(ordered, what, moment);
    Ok(())
}

fn error_text(error: Code) -> Result<*const c_char, Code> {
    static TEXTS: LazyLock<Vec<(u32, CString)>> = LazyLock::new(|| {
        errors().map(|(code, _, text)| (code, CString::new(text).unwrap_or_default())).collect()
    });
    let found = TEXTS.iter().find(|(code, _)| *code == error);
    found.map(|(_, text)| text.as_ptr()).ok_or(INVALID_VALUE)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use othello_kernels::cuda::DRIVER_ENTRIES;

    use super::*;

    #[test]
    fn the_entry_points_that_are_looked_for_are_those_of_the_stand_in() {
        let asked: BTreeSet<_> = DRIVER_ENTRIES.split_whitespace().collect();
        assert_eq!(asked, ENTRIES.iter().copied().collect());
    }
}
