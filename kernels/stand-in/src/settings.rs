//! The settings of the stand-in CUDA driver, from the environment variable [`VARIABLE`] of a test.
//!
//! The variable contains settings `KEY=VALUE`, separated by spaces:
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `seed` | the seed of the order and the delay of operations on streams | 0 |
//! | `fault` | `ENTRY:N:CODE`: the N-th call of an entry point fails with this error | none |
//! | `skip-wait` | N: the N-th call of `cuStreamWaitEvent` is ignored | none |
//! | `kernels` | a folder where built kernels are kept between processes | none |
//! | `report` | a file to which the calls and the unreleased resources are written | none |
//! | `devices` | the number of GPUs | 1 |
//! | `driver` | the CUDA version of the driver: 1000 · major + 10 · minor | 12040 |
//! | `capability` | the compute capability of the GPU: 10 · major + minor | 90 |
//! | `memory` | the memory of the GPU in bytes | 2³⁰ |
//! | `free` | the bytes of memory that no other program uses | all |
//! | `free-later` | the free memory that the second and later queries of a GPU report | as `free` |
//! | `pools` | whether memory can be allocated on a stream: 0 or 1 | 1 |
//!
//! Calls are counted from 1. In `fault`, the entry point `kernel` means that the N-th kernel fails
//! later, while it runs, and not at its launch. `free-later` imitates another program that takes
//! memory.

use std::env;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::codes::Code;

/// The name of the environment variable that contains the settings.
pub const VARIABLE: &str = "OTHELLO_STAND_IN";

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub(crate) entry: String,
    pub(crate) call: u64,
    pub(crate) code: Code,
}

impl Fault {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (entry, call, code) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { entry: entry.into(), call: call.parse().ok()?, code: code.parse().ok()? })
    }
}

macro_rules! settings {
    ($($field:ident $key:literal $default:expr;)*) => {
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub(crate) struct Settings {
            $(pub(crate) $field: u64,)*
            pub(crate) fault: Option<Fault>,
            pub(crate) kernels: Option<PathBuf>,
            pub(crate) report: Option<PathBuf>,
        }

        impl Settings {
            fn parse(text: &str) -> Option<Self> {
                let (fault, kernels, report) = (None, None, None);
                let mut settings = Self { $($field: $default,)* fault, kernels, report };
                for word in text.split_whitespace() {
                    let (key, value) = word.split_once('=')?;
                    match key {
                        $($key => settings.$field = value.parse().ok()?,)*
                        "fault" => settings.fault = Some(Fault::parse(value)?),
                        "kernels" => settings.kernels = Some(value.into()),
                        "report" => settings.report = Some(value.into()),
                        _ => return None,
                    }
                }
                Some(settings)
            }
        }
    };
}

settings! {
    seed "seed" 0;
    skip_wait "skip-wait" 0;
    devices "devices" 1;
    driver "driver" 12_040;
    capability "capability" 90;
    memory "memory" 1 << 30;
    free "free" u64::MAX;
    free_later "free-later" u64::MAX;
    pools "pools" 1;
}

pub(crate) static SETTINGS: LazyLock<Settings> = LazyLock::new(|| {
    let text = env::var(VARIABLE).unwrap_or_default();
    Settings::parse(&text).unwrap_or_else(|| panic!("{VARIABLE} cannot be read: {text}"))
});
