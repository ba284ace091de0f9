//! Memory limits, temporary files for data that do not fit into memory, and an external merge sort.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{iter, mem};

use memmap2::Mmap;
use rayon::prelude::*;

/// A limit on the memory for work on records or positions. It has no effect on the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryLimit {
    /// The greatest memory in bytes that the work may use.
    pub bytes: u64,
    /// The folder of temporary files, which have no names and vanish when the process ends.
    pub folder: PathBuf,
}

impl MemoryLimit {
    /// Creates a limit of `bytes` bytes. Temporary files go to the folder of the output file `out`.
    pub fn beside(out: &Path, bytes: u64) -> Self {
        let folder = out.parent().filter(|parent| !parent.as_os_str().is_empty());
        Self { bytes, folder: folder.unwrap_or(Path::new(".")).to_owned() }
    }

    pub(crate) fn none() -> Self {
        Self { bytes: u64::MAX, folder: PathBuf::new() }
    }

    /// Returns the number of pieces of `bytes` bytes that fit into memory at once, up to `most`.
    /// Returns an error if not even one fits.
    pub(crate) fn at_once(&self, bytes: u64, most: usize) -> Result<usize, MemoryError> {
        let (needed, allowed) = (bytes.div_ceil(1 << 20), self.bytes >> 20);
        match parts_within(self.bytes, bytes, most) {
            0 => Err(MemoryError::Limit { needed, allowed }),
            parts => Ok(parts),
        }
    }

    pub(crate) fn changed(&self) -> MemoryError {
        let changed = "the file does not contain the bytes that were written to it";
        self.no_room(io::Error::new(io::ErrorKind::InvalidData, changed))
    }

    pub(crate) fn temporary_file(&self) -> Result<File, MemoryError> {
        tempfile::tempfile_in(&self.folder).map_err(|error| self.no_room(error))
    }

    fn no_room(&self, source: io::Error) -> MemoryError {
        // `self.bytes` may be less than the user's limit, which work with several sorters divides.
        let (folder, megabytes) = (self.folder.clone(), self.bytes.div_ceil(1 << 20));
        MemoryError::Temporary { folder, megabytes, source }
    }
}

pub(crate) fn parts_within(bytes: u64, each: u64, most: usize) -> usize {
    usize::try_from(bytes / each.max(1)).unwrap_or(usize::MAX).min(most)
}

/// The errors of memory limits and of temporary files.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum MemoryError {
    #[error("{allowed} MB of memory are too little: the work takes {needed} MB; raise --memory-mb")]
    Limit { needed: u64, allowed: u64 },
    #[error(
        "{}: {source}: temporary files in this folder take the data beyond the {megabytes} MB of \
         memory allowed: free space there, or raise --memory-mb, and run the same command again; \
         inputs and finished files are not affected", folder.display()
    )]
    Temporary { folder: PathBuf, megabytes: u64, source: io::Error },
}

/// Returns `megabytes` · 2^20 or, for `None`, the number of bytes that this process may use.
pub fn bytes_of(megabytes: Option<u64>) -> u64 {
    megabytes.map_or_else(|| allowed_memory().0, |megabytes| megabytes.saturating_mul(1 << 20))
}

/// Returns the memory in bytes that this process may use: the least of the machine's memory, the
/// limits of control groups and the process limits (`ulimit`). Also returns the name of that limit.
#[cfg(target_os = "linux")]
pub fn allowed_memory() -> (u64, &'static str) {
    let machine = rustix::system::sysinfo();
    let installed = (machine.totalram as u64).saturating_mul(u64::from(machine.mem_unit));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let groups = limits_of_groups(&groups, Path::new("/sys/fs/cgroup"));
    let groups = groups.map(|bytes| (bytes, "control group"));
    let process = limits_of_process().map(|bytes| (bytes, "ulimit"));
    let limits = iter::once((installed, "machine")).chain(groups).chain(process);
    limits.min_by_key(|&(bytes, _)| bytes).expect("the memory of the machine is a limit")
}

/// Returns [`u64::MAX`] bytes and `unknown`, since no limits can be read on this system.
#[cfg(not(target_os = "linux"))]
pub fn allowed_memory() -> (u64, &'static str) {
    (u64::MAX, "unknown")
}

/// Returns the bytes that this process may still allocate for data: half of those left under each
/// limit set by `ulimit -d` and `-v`. The other half is for growing vectors and for threads.
#[cfg(target_os = "linux")]
fn limits_of_process() -> impl Iterator<Item = u64> {
    use rustix::process::{Resource, getrlimit};

    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let taken = move |field: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        kilobytes.and_then(|number| number.parse().ok()).unwrap_or(0_u64).saturating_mul(1 << 10)
    };
    let limits = [(Resource::Data, "VmData:"), (Resource::As, "VmSize:")];
    limits.into_iter().filter_map(move |(resource, field)| {
        let limit = getrlimit(resource).current?;
        Some(limit.saturating_sub(taken(field)) / 2)
    })
}

/// Returns the memory limits, in bytes, of the control groups of a process and of their ancestors.
/// `groups` is the text of `/proc/self/cgroup`, `root` the folder of mounted control groups.
#[cfg(target_os = "linux")]
fn limits_of_groups<'a>(groups: &'a str, root: &'a Path) -> impl Iterator<Item = u64> + 'a {
    let files = groups.lines().flat_map(move |line| {
        let (_, line) = line.split_once(':').unwrap_or_default();
        let (controllers, group) = line.split_once(':').unwrap_or((line, ""));
        let (bases, file) = match controllers {
            // If both versions of control groups are in use, version 2 is under `unified/`.
            "" => (vec![root.to_owned(), root.join("unified")], "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (vec![root.join("memory")], "memory.limit_in_bytes")
            }
            _ => (vec![], ""),
        };
        // In a container, a control group may be outside the mounted folders: `/../name`.
        let group = group.trim_start_matches('/');
        let group = if group.split('/').any(|part| part == "..") { "" } else { group };
        let folders = move |base: PathBuf| {
            Path::new(group).ancestors().map(move |part| base.join(part).join(file))
        };
        bases.into_iter().flat_map(folders)
    });
    files.filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok())
}

pub(crate) trait Stored: Ord + Send {
    /// The greatest size in memory, in bytes, of one value of this type.
    const BYTES: u64;

    fn write(&self, bytes: &mut Vec<u8>);

    /// Removes the bytes of the first value from `bytes`; returns the value, or `None` if invalid.
    fn read(bytes: &mut &[u8]) -> Option<Self>
    where
        Self: Sized;
}

pub(crate) struct Sorter<T> {
    limit: MemoryLimit,
    held: Vec<T>,
    most_held: usize,
    file: Option<Temporary>,
    /// The byte range in the temporary file of each sorted sequence of items.
    runs: Vec<Range<usize>>,
}

impl<T: Stored> Sorter<T> {
    const SMALLEST_RUN: u64 = 256;

    pub(crate) fn new(limit: MemoryLimit) -> Self {
        let most_held = usize::try_from(Self::fitting(&limit)).unwrap_or(usize::MAX);
        Self { limit, held: vec![], most_held, file: None, runs: vec![] }
    }

    /// Returns the number of items that may be in memory at once. They fill 1/4 of the limit,
    /// because a vector takes up to 3 times its size while it grows.
    fn fitting(limit: &MemoryLimit) -> u64 {
        (limit.bytes / 4 / T::BYTES).max(Self::SMALLEST_RUN)
    }

    /// Returns a message for the user if `items` items (`bytes` bytes each) need a temporary file.
    pub(crate) fn notice(limit: &MemoryLimit, items: u64, bytes: u64) -> Option<String> {
        let megabytes = (items.saturating_mul(bytes) >> 20) + 1;
        let text = "records that do not fit into memory go to a temporary file: at most";
        let folder = limit.folder.display();
        (items > Self::fitting(limit)).then(|| format!("{text} {megabytes} MB in {folder}"))
    }

    pub(crate) fn push(&mut self, item: T) -> Result<(), MemoryError> {
        if self.held.len() == self.most_held {
            self.spill()?;
        }
        self.held.push(item);
        Ok(())
    }

    fn spill(&mut self) -> Result<(), MemoryError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Temporary::create(&self.limit)?),
        };
        self.held.par_sort_unstable();
        let (begin, mut bytes) = (file.len(), vec![]);
        for item in self.held.drain(..) {
            bytes.clear();
            item.write(&mut bytes);
            file.write(&bytes)?;
        }
        self.runs.push(begin..file.len());
        Ok(())
    }

    pub(crate) fn sorted(
        mut self,
    ) -> Result<impl Iterator<Item = Result<T, MemoryError>>, MemoryError> {
        self.held.par_sort_unstable();
        let map = self.file.map(Temporary::map).transpose()?;
        let (mut runs, mut held, limit) = (self.runs, self.held.into_iter(), self.limit);
        // The last run consists of the items that are still in memory.
        merged(runs.len() + 1, move |run| {
            let (Some(run), Some(map)) = (runs.get_mut(run), &map) else { return Ok(held.next()) };
            let mut rest = &map[run.clone()];
            if rest.is_empty() {
                return Ok(None);
            }
            let item = T::read(&mut rest).ok_or_else(|| limit.changed())?;
            run.start = run.end - rest.len();
            Ok(Some(item))
        })
    }
}

/// Merges sorted sources, numbered from 0, into one sorted sequence. `next` returns the next item
/// of a source. Of equal items, the one from the source with the lower number comes first.
pub(crate) fn merged<T: Ord, E>(
    sources: usize,
    mut next: impl FnMut(usize) -> Result<Option<T>, E>,
) -> Result<impl Iterator<Item = Result<T, E>>, E> {
    let mut heap = BinaryHeap::with_capacity(sources);
    for source in 0..sources {
        heap.extend(next(source)?.map(|item| Reverse((item, source))));
    }
    Ok(iter::from_fn(move || {
        let mut first = heap.peek_mut()?;
        Some(next(first.0.1).map(|following| match following {
            Some(following) => mem::replace(&mut first.0.0, following),
            None => PeekMut::pop(first).0.0,
        }))
    }))
}

/// A temporary file that is written sequentially, and then memory-mapped.
pub(crate) struct Temporary {
    file: BufWriter<File>,
    bytes: usize,
    limit: MemoryLimit,
}

impl Temporary {
    pub(crate) fn create(limit: &MemoryLimit) -> Result<Self, MemoryError> {
        Ok(Self::of(limit.temporary_file()?, limit))
    }

    /// Makes a temporary file from `file`, which must be empty, nameless and in the folder of
    /// `limit`.
    pub(crate) fn of(file: File, limit: &MemoryLimit) -> Self {
        Self { file: BufWriter::new(file), bytes: 0, limit: limit.clone() }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), MemoryError> {
        self.bytes += bytes.len();
        self.file.write_all(bytes).map_err(|error| self.limit.no_room(error))
    }

    pub(crate) fn map(self) -> Result<Mmap, MemoryError> {
        let limit = self.limit;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error);
        // SAFETY: the file has no name, so nobody else writes to it; its only writer is finished.
        let map = file.and_then(|file| unsafe { Mmap::map(&file) });
        map.map_err(|error| limit.no_room(error))
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    #[ignore = "a process for the next test"]
    fn allowed_bytes_of_this_process() {
        println!("allowed {}", bytes_of(None));
    }

    /// The system ends a process that exceeds its `ulimit`, so the allowed memory must be less.
    #[test]
    fn the_limits_of_the_process_are_seen() {
        let test = "memory::tests::allowed_bytes_of_this_process";
        for limit in ["-v", "-d"] {
            let script = format!(
                "ulimit {limit} 3000000 && exec \"$0\" {test} --exact --ignored --nocapture"
            );
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &script]).arg(std::env::current_exe().unwrap());
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            let bytes = said.lines().find_map(|line| line.split_once("allowed ")?.1.parse().ok());
            let bytes: u64 = bytes.unwrap_or_else(|| panic!("{said}"));
            assert!(bytes <= 3_000_000 << 9 && bytes > 1_000_000 << 9, "{limit}: {bytes}");
        }
    }

    /// The limit of a nested control group must be found: job schedulers create one for each job.
    #[test]
    fn the_limits_of_nested_control_groups_are_seen_in_both_versions() {
        let root = tempfile::tempdir().unwrap();
        let write = |folder: &str, file: &str, text: &str| {
            let folder = root.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(file), text).unwrap();
        };
        let least = |groups: &str| limits_of_groups(groups, root.path()).min();
        assert_eq!(least("0::/slurm/job_7/step_0\n"), None);
        write("slurm/job_7/step_0", "memory.max", "max\n");
        write("slurm/job_7", "memory.max", "1048576\n");
        write("slurm", "memory.max", "2097152\n");
        assert_eq!(least("0::/slurm/job_7/step_0\n"), Some(1 << 20));
        assert_eq!(least("0::/slurm\n"), Some(2 << 20));
        assert_eq!(least("0::/\n"), None);
        write("memory/slurm/uid_1", "memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/slurm", "memory.limit_in_bytes", "4096\n");
        let both = "12:cpu,cpuacct:/slurm\n5:memory:/slurm/uid_1/job\n0::/elsewhere\n";
        assert_eq!(least(both), Some(4096));
        write(".", "memory.max", "77\n");
        assert_eq!(least("0::/../outside\n"), Some(77));
    }
}
