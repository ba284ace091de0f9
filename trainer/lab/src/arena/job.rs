use std::io;
use std::mem::size_of;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::process::Child;
use std::ptr;

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject,
};

/// A Windows job object with one program and its child processes. Windows ends them all when the
/// job's only handle is closed: when this value is dropped, or when the process that owns it ends.
#[derive(Debug)]
pub(super) struct Job(#[expect(dead_code, reason = "closed when dropped")] OwnedHandle);

impl Job {
    pub(super) fn of(program: &Child) -> io::Result<Self> {
        // SAFETY: `CreateJobObjectW` allows null pointers for the attributes and the name.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle was just created, and belongs to nobody else.
        let job = unsafe { OwnedHandle::from_raw_handle(handle) };
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let bytes = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
        // SAFETY: the handle is open, and `limits` has the stated structure and size.
        let limited = unsafe {
            SetInformationJobObject(
                job.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                ptr::from_ref(&limits).cast(),
                bytes,
            )
        };
        // SAFETY: both handles are open.
        let taken = limited != 0
            && unsafe { AssignProcessToJobObject(job.as_raw_handle(), program.as_raw_handle()) }
                != 0;
        if taken { Ok(Self(job)) } else { Err(io::Error::last_os_error()) }
    }
}
