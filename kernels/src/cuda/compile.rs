use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use cudarc::nvrtc::{result, sys};
use sha2::{Digest as _, Sha256};

use super::Architecture;
use super::find::{NO_NVRTC, Unavailable, nvrtc_is_there};
use crate::program::Program;

impl From<result::NvrtcError> for Unavailable {
    fn from(error: result::NvrtcError) -> Self {
        Self(format!("NVRTC failed: {error}; try another version of it"))
    }
}

/// Returns the options of NVRTC. For results that equal those of the CPU bit by bit, they forbid
/// fused multiply-adds, flushed denormal numbers, and inexact divisions and square roots.
fn options(architecture: Architecture) -> Vec<String> {
    let options = format!(
        "--fmad=false --ftz=false --prec-div=true --prec-sqrt=true \
         --gpu-architecture={architecture} --std=c++14 --extra-device-vectorization"
    );
    options.split(' ').map(str::to_owned).collect()
}

/// Compiles a program to PTX for `architecture` or, if NVRTC does not support it, for the newest
/// older architecture that NVRTC supports. Drivers can load PTX for older architectures.
pub fn compile(program: &Program, architecture: Architecture) -> Result<String, Unavailable> {
    if !nvrtc_is_there()? {
        return Err(Unavailable(NO_NVRTC.to_owned()));
    }
    let known = supported()?.into_iter().filter(|known| *known <= architecture).max();
    let architecture = known.unwrap_or(architecture);
    let source = CString::new(program.cuda()).unwrap_or_default();
    let unit = Unit(result::create_program(&source, Some(c"kernels.cu"))?);
    // SAFETY: NVRTC created the program `unit.0`, which is not destroyed yet.
    let compiled = unsafe { result::compile_program(unit.0, &options(architecture)) };
    if let Err(error) = compiled {
        // SAFETY: NVRTC created the program `unit.0`, which still exists.
        let log = unsafe { result::get_program_log(unit.0) }.map(text).unwrap_or_default();
        let refused = format!("NVRTC rejects the kernels for {architecture}: {error}\n{log}");
        return Err(Unavailable(refused));
    }
    // SAFETY: NVRTC created the program `unit.0`, which is destroyed only later.
    Ok(text(unsafe { result::get_ptx(unit.0) }?))
}

struct Unit(sys::nvrtcProgram);

impl Drop for Unit {
    fn drop(&mut self) {
        // SAFETY: NVRTC returned the handle, and nothing else uses it. A failure only leaks memory.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

fn supported() -> Result<Vec<Architecture>, result::NvrtcError> {
    let mut count = 0;
    // SAFETY: the library is there, and the pointer is to a number of this type.
    unsafe { sys::nvrtcGetNumSupportedArchs(&raw mut count) }.result()?;
    let mut numbers = vec![0i32; usize::try_from(count).unwrap_or(0)];
    // SAFETY: the library is there, and the array has the length that NVRTC reported.
    unsafe { sys::nvrtcGetSupportedArchs(numbers.as_mut_ptr()) }.result()?;
    let architecture =
        |number: i32| Architecture { major: number as u32 / 10, minor: number as u32 % 10 };
    Ok(numbers.into_iter().map(architecture).collect())
}

fn text(bytes: Vec<c_char>) -> String {
    let bytes: &[u8] = bytemuck::cast_slice(&bytes);
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

const MAX_PTX_BYTES: u64 = 64 << 20;

/// Returns the path of a cached PTX; `None` if neither `XDG_CACHE_HOME` nor `HOME` is absolute.
pub(super) fn cache_file(program: &Program, architecture: Architecture) -> Option<PathBuf> {
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    let name = format!("othello-trainer/{}-{architecture}.ptx", key(program, architecture));
    Some(caches.join(name))
}

pub(super) fn cached(file: &Path) -> Option<String> {
    let found = fs::metadata(file).ok()?;
    let is_usable = found.is_file() && found.len() <= MAX_PTX_BYTES;
    is_usable.then(|| fs::read_to_string(file).ok())?
}

fn key(program: &Program, architecture: Architecture) -> String {
    let text = format!("{:?}\n{}", options(architecture), program.cuda());
    hex::encode(Sha256::digest(text))
}

pub(super) fn cache(path: &Path, ptx: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let temporary = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(&temporary, ptx)?;
    temporary.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use othello_testing::skip;

    use super::*;
    use crate::program::whole;

    const AMPERE: Architecture = Architecture { major: 8, minor: 0 };
    const HOPPER: Architecture = Architecture { major: 9, minor: 0 };
    const BLACKWELL: Architecture = Architecture { major: 12, minor: 0 };

    #[test]
    fn an_nvrtc_that_does_not_know_the_gpu_compiles_for_the_newest_that_it_knows() {
        if !nvrtc_is_there().unwrap() {
            skip!("no NVRTC; put it into LD_LIBRARY_PATH (scripts/nvrtc.sh)");
        }
        let newest = supported().unwrap().into_iter().max().unwrap();
        let ptx = compile(&whole(), BLACKWELL.max(newest)).unwrap();
        let target = newest.to_string().replace("compute", "sm");
        assert!(ptx.contains(&format!(".target {target}")), "{target}");
    }

    #[test]
    fn what_decides_the_ptx_decides_its_name_in_the_cache() {
        let program = whole();
        let changed = program.with("RESIDUAL_SHIFT 8", "RESIDUAL_SHIFT 7");
        assert_eq!(key(&program, HOPPER), key(&program.clone(), HOPPER));
        assert_ne!(key(&program, HOPPER), key(&changed, HOPPER));
        assert_ne!(key(&program, HOPPER), key(&program, AMPERE));
    }
}
