//! How much memory positions may take.

use std::path::{Path, PathBuf};

/// The memory that the rows of a dataset may take while it is built, and where what does not fit is
/// put. The dataset is the same, whatever the limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryLimit {
    /// In bytes.
    pub bytes: u64,
    /// Temporary files go here. They have no names: nothing is left behind, whatever happens.
    pub folder: PathBuf,
}

impl MemoryLimit {
    /// So many bytes, and temporary files beside an output.
    pub fn beside(out: &Path, bytes: u64) -> Self {
        let beside = out.parent().filter(|parent| !parent.as_os_str().is_empty());
        Self { bytes, folder: beside.unwrap_or(Path::new(".")).to_owned() }
    }
}

/// What the machine, the control group and the limit on the process's data allow.
#[cfg(target_os = "linux")]
pub fn allowed_bytes() -> u64 {
    use rustix::process::{Resource, getrlimit};

    let machine = rustix::system::sysinfo();
    let installed = (machine.totalram as u64).saturating_mul(u64::from(machine.mem_unit));
    // Without a number in it there is no limit.
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse().ok());
    let data = getrlimit(Resource::Data).current;
    [group, data].into_iter().flatten().fold(installed, u64::min)
}

/// Nothing is known of what the machine allows.
#[cfg(not(target_os = "linux"))]
pub fn allowed_bytes() -> u64 {
    u64::MAX
}
