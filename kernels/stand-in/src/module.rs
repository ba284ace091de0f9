//! Loads modules: compiles the PTX of the stand-in, which is in fact CUDA source, into kernels for
//! the CPU.

use std::error::Error;
use std::fs;

use othello_kernels::Program;
use othello_kernels::host::HostLauncher;

use crate::codes::{Code, INVALID_PTX};
use crate::settings::Settings;

/// The first line of the PTX that the stand-in for NVRTC returns; the CUDA source follows this
/// line.
pub(crate) const PTX: &str = "// PTX of the stand-in\n";

pub(crate) fn load(ptx: &str, settings: &Settings) -> Result<HostLauncher, Code> {
    let program = ptx.strip_prefix(PTX).and_then(Program::of_cuda).ok_or(INVALID_PTX)?;
    build(&program, settings).map_err(|error| {
        eprintln!("stand-in: {error}");
        INVALID_PTX
    })
}

fn build(program: &Program, settings: &Settings) -> Result<HostLauncher, Box<dyn Error>> {
    let Some(folder) = &settings.kernels else { return Ok(HostLauncher::new(program)?) };
    let kept = folder.join(format!("{}.so", program.sha256()));
    if !kept.exists() {
        let fresh = folder.join(format!("{}-{}.so", program.sha256(), std::process::id()));
        HostLauncher::build(program, &fresh)?;
        fs::rename(&fresh, &kept)?;
    }
    Ok(HostLauncher::load(&kept)?)
}
