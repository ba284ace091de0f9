//! The settings that a test gives the stand-in, in the environment variable [`VARIABLE`].
//!
//! The form is `KEY=VALUE`, separated by spaces:
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `seed` | decides the order and delay of streams | 0 |
//! | `fault` | `ENTRY:N:CODE`: the N-th call of an entry point fails with this error | none |
//! | `skip-wait` | the N-th `cuStreamWaitEvent` is ignored | none |
//! | `kernels` | a folder where built kernels are kept between processes | none |
//! | `report` | a file that gets the calls and leftovers at the end | none |
//! | `devices` | the number of GPUs | 1 |
//! | `driver` | the CUDA version of the driver: 1000 · major + 10 · minor | 12040 |
//! | `capability` | 10 · major + minor | 90 |
//! | `memory` | bytes of memory | 2³⁰ |
//! | `free` | bytes of it that no other program has | all |
//! | `free-later` | bytes reported free from the second query on | as before |
//! | `pools` | whether memory can be had from a stream: 0 or 1 | 1 |
//! | `multiprocessors` | their number | 2 |
//!
//! Calls are counted from 1. The entry `kernel` of a fault is a launch that fails later, while it
//! runs. `free-later` imitates another program that takes memory.

use std::env;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::codes::Code;

/// The environment variable with the settings.
pub const VARIABLE: &str = "OTHELLO_STAND_IN";

/// The settings of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    pub(crate) fault: Option<Fault>,
    pub(crate) skip_wait: Option<u64>,
    pub(crate) kernels: Option<PathBuf>,
    pub(crate) report: Option<PathBuf>,
    pub(crate) devices: u64,
    pub(crate) driver: u64,
    pub(crate) capability: u64,
    pub(crate) memory: u64,
    pub(crate) free: u64,
    pub(crate) free_later: u64,
    pub(crate) pools: u64,
    pub(crate) multiprocessors: u64,
}

/// A call that is set to fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub(crate) entry: String,
    pub(crate) call: u64,
    pub(crate) code: Code,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            fault: None,
            skip_wait: None,
            kernels: None,
            report: None,
            devices: 1,
            driver: 12_040,
            capability: 90,
            memory: 1 << 30,
            free: u64::MAX,
            free_later: u64::MAX,
            pools: 1,
            multiprocessors: 2,
        }
    }
}

impl Settings {
    fn parse(text: &str) -> Option<Self> {
        let mut settings = Self::default();
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=')?;
            let number = || value.parse::<u64>().ok();
            match key {
                "seed" => settings.seed = number()?,
                "fault" => settings.fault = Some(Fault::parse(value)?),
                "skip-wait" => settings.skip_wait = Some(number()?),
                "kernels" => settings.kernels = Some(value.into()),
                "report" => settings.report = Some(value.into()),
                "devices" => settings.devices = number()?,
                "driver" => settings.driver = number()?,
                "capability" => settings.capability = number()?,
                "memory" => settings.memory = number()?,
                "free" => settings.free = number()?,
                "free-later" => settings.free_later = number()?,
                "pools" => settings.pools = number()?,
                "multiprocessors" => settings.multiprocessors = number()?,
                _ => return None,
            }
        }
        Some(settings)
    }
}

impl Fault {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (entry, call, code) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { entry: entry.into(), call: call.parse().ok()?, code: code.parse().ok()? })
    }
}

/// The settings of this process. Text that cannot be read is a mistake of the test and ends it.
pub(crate) static SETTINGS: LazyLock<Settings> = LazyLock::new(|| {
    let text = env::var(VARIABLE).unwrap_or_default();
    Settings::parse(&text).unwrap_or_else(|| panic!("{VARIABLE} cannot be read: {text}"))
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_what_is_none_is_refused() {
        let read = Settings::parse("seed=7 fault=cuInit:1:100 free=5").unwrap();
        let fault = Fault { entry: "cuInit".into(), call: 1, code: 100 };
        let expected = Settings { seed: 7, fault: Some(fault), free: 5, ..Settings::default() };
        assert_eq!(read, expected);
        assert_eq!(Settings::parse(""), Some(Settings::default()));
        for wrong in ["seed", "seed=x", "what=1", "fault=cuInit:1"] {
            assert_eq!(Settings::parse(wrong), None, "{wrong}");
        }
    }
}
