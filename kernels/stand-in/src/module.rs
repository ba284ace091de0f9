//! Modules: they turn PTX into kernels that run on the CPU.

use std::collections::HashMap;
use std::fs;

use othello_kernels::host::HostProgram;
use othello_kernels::{Argument, Kernel, Program, index};

use crate::codes::{Code, INVALID_PTX, UNSUPPORTED_PTX_VERSION};
use crate::settings::Settings;

/// The comment in the PTX that precedes each line of the source.
pub(crate) const SOURCE: &str = "//| ";

/// A loaded module.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) program: HostProgram,
    kernels: HashMap<String, &'static Kernel>,
}

impl Module {
    /// Loads PTX as a driver of this version would for a device of this compute capability.
    pub(crate) fn load(ptx: &str, settings: &Settings) -> Result<Self, Code> {
        if number_after(ptx, ".version ").ok_or(INVALID_PTX)? > newest_ptx(settings.driver) {
            return Err(UNSUPPORTED_PTX_VERSION);
        }
        let target: u64 =
            word_after(ptx, ".target sm_").and_then(|word| word.parse().ok()).ok_or(INVALID_PTX)?;
        if target > settings.capability {
            return Err(INVALID_PTX);
        }
        let kernels = kernels(ptx).ok_or(INVALID_PTX)?;
        let source: Vec<&str> = ptx.lines().filter_map(|line| line.strip_prefix(SOURCE)).collect();
        let program = Program::of_cuda(&(source.join("\n") + "\n")).ok_or(INVALID_PTX)?;
        let program = build(&program, settings).map_err(|error| {
            eprintln!("stand-in: {error}");
            INVALID_PTX
        })?;
        Ok(Self { program, kernels })
    }

    pub(crate) fn kernel(&self, name: &str) -> Option<&'static Kernel> {
        self.kernels.get(name).copied()
    }
}

/// Builds the program for the CPU, or takes it from the folder of kept builds.
fn build(program: &Program, settings: &Settings) -> Result<HostProgram, String> {
    let Some(folder) = &settings.kernels else {
        return HostProgram::compile(program).map_err(|error| error.to_string());
    };
    let kept = folder.join(format!("{}.so", program.sha256()));
    if !kept.exists() {
        let fresh = folder.join(format!("{}-{}.so", program.sha256(), std::process::id()));
        HostProgram::build(program, &fresh).map_err(|error| error.to_string())?;
        fs::rename(&fresh, &kept).map_err(|error| error.to_string())?;
    }
    HostProgram::load(&kept).map_err(|error| error.to_string())
}

/// Returns the newest PTX version that a driver for a CUDA version reads; both are 1000 · major +
/// 10 · minor.
fn newest_ptx(cuda: u64) -> u64 {
    match (cuda / 1000, cuda % 1000 / 10) {
        (..=11, minor) => 7_000 + 10 * minor.min(8),
        (12, minor @ ..=5) => 8_000 + 10 * minor,
        (12, minor) => 8_000 + 10 * (minor - 1),
        (_, minor) => 9_000 + 10 * minor,
    }
}

/// Returns the word after the first `what`.
fn word_after<'t>(text: &'t str, what: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(what)?;
    rest.split(|c: char| c.is_whitespace() || c == ',').next()
}

/// Returns the version after the first `what`.
fn number_after(text: &str, what: &str) -> Option<u64> {
    let (major, minor) = word_after(text, what)?.split_once('.')?;
    Some(1000 * major.parse::<u64>().ok()? + 10 * minor.parse::<u64>().ok()?)
}

/// Returns the kernels of the PTX by their names, from the index; `None` if the arguments differ.
fn kernels(ptx: &str) -> Option<HashMap<String, &'static Kernel>> {
    let mut found = HashMap::new();
    for text in ptx.split(".entry ").skip(1) {
        let (name, rest) = text.split_once('(')?;
        let (parameters, _) = rest.split_once(')')?;
        let types: Vec<&str> =
            parameters.split(".param .").skip(1).filter_map(|p| p.split(' ').next()).collect();
        let kernel = index::kernels().find(|kernel| kernel.name == name)?;
        let expected: Vec<&str> = kernel.arguments.iter().map(|a| ptx_type(*a)).collect();
        if types != expected {
            return None;
        }
        found.insert(name.to_owned(), kernel);
    }
    Some(found)
}

fn ptx_type(argument: Argument) -> &'static str {
    match argument {
        Argument::Array(_) => "u64",
        Argument::U32 => "u32",
        Argument::F64 => "f64",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_that_a_driver_or_a_device_cannot_use_is_refused() {
        let settings = Settings::default();
        let refused = |text: &str| Module::load(text, &settings).unwrap_err();
        assert_eq!(refused("nonsense"), INVALID_PTX);
        assert_eq!(refused(".version 8.8\n.target sm_80"), UNSUPPORTED_PTX_VERSION);
        assert_eq!(refused(".version 8.0\n.target sm_100"), INVALID_PTX);
        let none = ".version 8.0\n.target sm_80\n.visible .entry nobody(\n.param .u64 a\n)\n";
        assert_eq!(refused(none), INVALID_PTX);
        let other = none.replace("nobody", "adam");
        assert_eq!(refused(&other), INVALID_PTX, "the arguments differ");
    }

    #[test]
    fn versions_of_ptx_follow_those_of_cuda() {
        let pairs = [(11_080, 7_080), (12_000, 8_000), (12_040, 8_040), (12_090, 8_080)];
        assert!(pairs.iter().all(|&(cuda, ptx)| newest_ptx(cuda) == ptx));
    }
}
