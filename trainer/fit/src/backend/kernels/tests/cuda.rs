//! Tests all kernels on a GPU, if there is one, and checks the code into which NVRTC compiles them.

use std::env;
use std::process::Command;

use othello_kernels::cuda::{Architecture, CudaLauncher, compile, find, nvrtc_is_there};
use othello_testing::skip;

use super::*;

impl Bring for CudaLauncher {
    fn bring(program: &Program, limits: Option<Limits>) -> Self {
        let mut launcher = Self::new(&[find(0).unwrap()], program).unwrap();
        launcher.limits = limits.unwrap_or(launcher.limits);
        launcher
    }
}

#[test]
fn the_gpu_computes_what_the_cpu_computes() {
    if let Err(error) = find(0) {
        skip!("{error}");
    }
    all_is_computed_alike::<CudaLauncher>();
}

const TURING: Architecture = Architecture { major: 7, minor: 5 };
const AMPERE: Architecture = Architecture { major: 8, minor: 0 };
const HOPPER: Architecture = Architecture { major: 9, minor: 0 };

const NO_NVRTC: &str = "no NVRTC; put it into LD_LIBRARY_PATH (scripts/nvrtc.sh)";

fn there_is_nvrtc() -> bool {
    !matches!(nvrtc_is_there(), Ok(false))
}

fn all_ptx(set: &str) -> Vec<(Architecture, String)> {
    let program = program(&model(set));
    eprintln!("{set}: sha256 of the sources {}", program.sha256());
    let compiled = |architecture| (architecture, compile(&program, architecture).unwrap());
    [TURING, AMPERE, HOPPER].map(compiled).into()
}

#[test]
fn nvrtc_compiles_every_kernel_without_contraction_and_loops_of_compare_and_swap() {
    if !there_is_nvrtc() {
        skip!("{NO_NVRTC}");
    }
    let sets = ["standard", "small", "factors"];
    let all = sets.into_iter().flat_map(|set| all_ptx(set).into_iter().map(move |ptx| (set, ptx)));
    for (set, (architecture, ptx)) in all {
        for kernel in program(&model(set)).kernels() {
            assert!(ptx.contains(&format!(".entry {}(", kernel.name)), "{}", kernel.name);
        }
        assert!(!ptx.contains("fma.rn"), "{architecture}: a product and a sum are contracted");
        assert!(!ptx.contains(".ftz"), "{architecture}: small numbers are flushed to zero");
        assert!(ptx.contains("sqrt.rn.f64") && ptx.contains("div.rn.f64"), "{architecture}");
        assert!(ptx.contains("dp4a.u32.u32"), "{architecture}");
        assert!(!ptx.contains(".extern .func"), "{architecture}: a function is missing");
        // Without a 64-bit atomic addition, the compiler would emit a compare-and-swap loop.
        assert!(ptx.contains("atom.global.add.u64") || ptx.contains("red.global.add.u64"));
        assert!(!ptx.contains(".cas."), "{architecture}: a loop of compare and swap");
        eprintln!("{architecture}: {} instructions", ptx.matches(";\n").count());
    }
}

#[test]
fn no_kernel_spills_registers() {
    let Some(ptxas) = env::var_os("OTHELLO_PTXAS") else {
        skip!("OTHELLO_PTXAS does not name a ptxas (scripts/nvrtc.sh --ptxas)");
    };
    if !there_is_nvrtc() {
        skip!("{NO_NVRTC}");
    }
    for (architecture, ptx) in ["standard", "factors"].into_iter().flat_map(all_ptx) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("kernels.ptx");
        fs::write(&source, ptx).unwrap();
        let real = architecture.to_string().replace("compute", "sm");
        let output = Command::new(&ptxas)
            .args(["-v", "-arch", &real, "-o"])
            .args([folder.path().join("kernels.cubin"), source])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        eprintln!("{said}");
        let spills = said.lines().filter(|line| line.contains("spill stores"));
        assert!(spills.clone().count() >= program(&model("standard")).kernels().count());
        let spilling: Vec<&str> =
            spills.filter(|line| !line.contains("0 bytes spill stores")).collect();
        assert!(spilling.is_empty(), "{architecture}: {spilling:?}");
    }
}
