//! Tests with a GPU driver that is unusable or whose calls fail. A fit must use the CPU, or end
//! with a clear message, without a panic, hang or leak. A second start must continue the fit.

use std::collections::BTreeMap;
use std::env;

use othello_stand_in::{ENTRIES, errors as driver_errors};

use super::child::{Ended, Place};

/// With one thread, a fit calls the driver in the same order in every run.
const FIT: &str = "--threads 1";
/// A setting of the stand-in driver: the GPU has no free memory for the positions, so a fit copies
/// them to the GPU again for each use.
const STAGED: &str = "free-later=0";

/// Driver functions that release an object. If one of them fails, its object is not counted as a
/// leak.
const RELEASES: &str = "\
    cuDevicePrimaryCtxRelease_v2 cuStreamDestroy_v2 cuEventDestroy_v2 cuMemFreeAsync cuMemFree_v2 \
    cuMemFreeHost cuModuleUnload cuCtxSetCurrent";

/// Driver functions whose failure makes the crate cudarc leak a GPU context or a buffer.
const LOSES: &str = "cuEventCreate cuDeviceGetAttribute cuCtxGetCurrent";

fn releases(entry: &str) -> bool {
    RELEASES.split(' ').any(|it| it == entry)
}

/// Returns true if the environment variable `OTHELLO_FAULTS` requests the long test with all error
/// codes.
fn all() -> bool {
    env::var_os("OTHELLO_FAULTS").is_some()
}

/// Returns the codes and names of the errors with which the driver function `entry` fails in tests:
/// all known errors if `all`, else two.
fn errors(entry: &str, all: bool) -> Vec<(u32, &'static str)> {
    let nvrtc = [
        (1, "NVRTC_ERROR_OUT_OF_MEMORY"),
        (6, "NVRTC_ERROR_COMPILATION"),
        (2, "NVRTC_ERROR_PROGRAM_CREATION_FAILURE"),
        (3, "NVRTC_ERROR_INVALID_INPUT"),
        (4, "NVRTC_ERROR_INVALID_PROGRAM"),
        (5, "NVRTC_ERROR_INVALID_OPTION"),
        (11, "NVRTC_ERROR_INTERNAL_ERROR"),
    ];
    if entry.starts_with("nvrtc") {
        return if all { nvrtc.into() } else { nvrtc[..2].into() };
    }
    let wanted = |code: u32| all || [2, 719].contains(&code);
    let known = driver_errors().filter(|&(code, ..)| wanted(code));
    known.map(|(code, name, _)| (code, name)).collect()
}

fn check_handled(ended: &Ended, asked: &str) {
    assert!(!ended.stderr.contains("panicked"), "{asked}: {}", ended.stderr);
    assert!(matches!(ended.status, Some(0 | 2)), "{asked}: {:?}\n{}", ended.status, ended.stderr);
    if ended.status == Some(2) {
        let said = ended.stderr.contains("error: ") && ended.stderr.contains("cuda");
        assert!(said, "{asked}: {}", ended.stderr);
    }
}

#[test]
fn every_entry_point_may_fail_at_any_call() {
    let place = Place::new(60);
    let mut table: BTreeMap<String, [u32; 3]> = BTreeMap::new();
    for pools in ["", "pools=0"] {
        let reference = place.fit(&format!("{STAGED} {pools}"), FIT);
        let expected = reference.sha256();
        let nvrtc = reference.called("nvrtc");
        let entries = ENTRIES.iter().copied().chain(nvrtc).chain(["kernel"]);
        // Without memory pools, the fit calls `cuMemAlloc_v2`; only `_v2` entry points are tested.
        let entries = entries.filter(|entry| pools.is_empty() || entry.contains("_v2"));
        for entry in entries {
            let is_nvrtc = entry.starts_with("nvrtc");
            let calls = if is_nvrtc { 1 } else { reference.calls(entry) };
            let faults = errors(entry, all()).into_iter().map(|error| (calls / 2 + 1, error));
            let few = if all() { errors(entry, false) } else { vec![] };
            let few = few.into_iter().flat_map(|error| [(1, error), (calls, error)]);
            let faults = faults.chain(few).filter(|&(call, _)| (1..=calls).contains(&call));
            for (call, (code, name)) in faults {
                let asked = format!("{STAGED} {pools} fault={entry}:{call}:{code}");
                if is_nvrtc {
                    let _ = std::fs::remove_dir_all(place.path("cache"));
                }
                let ended = place.fit(&asked, FIT);
                check_handled(&ended, &asked);
                let row = table.entry(entry.to_owned()).or_default();
                row[0] += 1;
                if ended.status == Some(0) {
                    assert_eq!(ended.sha256(), expected, "{asked}");
                    row[1] += 1;
                } else if !releases(entry) {
                    // The message for error 100 has other words than the name of the error.
                    let name = if code == 100 { "finds no GPU" } else { name };
                    let named = ended.stderr.contains(name) || ended.stderr.contains("NO_DEVICE");
                    assert!(named, "{asked}: {}", ended.stderr);
                }
                let may_lose = releases(entry) || LOSES.split(' ').any(|it| it == entry);
                let left = if ended.report.is_null() { vec![] } else { ended.unreleased() };
                let is_right = left.is_empty() || may_lose || !ended.report["lost"].is_null();
                assert!(is_right, "{asked}: {left:?} {}", ended.stderr);
                row[2] += u32::from(!left.is_empty());
            }
        }
    }
    eprintln!("entry point                     faults  fits right  something left");
    for (entry, [faults, right, left]) in table {
        eprintln!("{entry:30} {faults:8} {right:11} {left:15}");
    }
}

#[test]
fn a_fit_that_lost_its_gpu_goes_on_on_the_cpu_to_the_same_bytes() {
    let place = Place::new(60);
    for optimizer in ["lsq", "adam"] {
        let fit = format!("{FIT} --optimizer {optimizer}");
        let reference = place.fit(STAGED, &fit);
        let expected = reference.sha256();
        let faults = [("kernel", 700), ("cuMemAllocAsync", 2), ("cuStreamSynchronize", 999)];
        for (number, (entry, code)) in faults.into_iter().enumerate() {
            let call = reference.calls(entry) * (number as u64 + 2) / 5;
            let out = format!("{optimizer}-{entry}.weights");
            let fit = format!("{fit} --out {out}");
            let asked = format!("{STAGED} fault={entry}:{call}:{code}");
            let ended = place.fit(&asked, &fit);
            assert_eq!(ended.status, Some(2), "{asked}: {}", ended.stderr);
            check_handled(&ended, &asked);
            let resumed = place.fit("", &format!("{fit} --device cpu"));
            assert_eq!(resumed.sha256(), expected, "{asked}");
        }
    }
}

/// Checks that a fit without a usable GPU fails with `--device cuda`, but uses the CPU with `auto`.
fn check_passed_over(place: &Place, asked: &str, says: &str) {
    let expected = place.fit(asked, "--threads 1 --device cpu").sha256();
    let refused = place.fit(asked, FIT);
    assert_eq!(refused.status, Some(2), "{asked}: {}", refused.stderr);
    check_handled(&refused, asked);
    assert!(refused.stderr.contains(says), "{asked}: {}", refused.stderr);
    let passed_over = place.fit(asked, "--threads 1 --device auto");
    assert_eq!(passed_over.sha256(), expected, "{asked}");
    assert!(passed_over.stderr.contains(says), "{asked}: {}", passed_over.stderr);
}

#[test]
fn a_gpu_that_cannot_be_used_is_refused_or_passed_over() {
    let whole = Place::new(60);
    let check = |asked, says| check_passed_over(&whole, asked, says);
    check("devices=0", "finds no GPU");
    check("driver=11080", "is for CUDA 11.8");
    check("capability=70", "is compute_70");
    check("memory=1000000", "0 MiB of free memory");
    check("free=1000000", "which processes use it");
    check("fault=cuInit:1:803", "system has unsupported display driver");
    check("fault=cuInit:1:34", "stub library");
    check("fault=cuDevicePrimaryCtxRetain:1:46", "cannot be used");
    check("fault=cuDevicePrimaryCtxRetain:1:2", "cannot be used");
}

#[test]
fn a_library_that_lacks_an_entry_point_is_refused_with_its_name_instead_of_a_panic() {
    let without = |entry| Place::without(60, Some(entry));
    let check = check_passed_over;
    check(&without("cuMemAllocAsync"), "driver=11010", "is for CUDA 11.1");
    check(&without("cuLaunchKernel"), "", "has no cuLaunchKernel");
    check(&without("cuGetErrorString"), "", "has no cuGetErrorString");
    check(&without("nvrtcGetSupportedArchs"), "", "has no nvrtcGetSupportedArchs");
}

#[test]
fn an_older_driver_than_nvrtc_says_which_of_them_to_change() {
    let place = Place::new(60);
    let ended = place.fit("fault=cuModuleLoadData:1:222", FIT);
    assert_eq!(ended.status, Some(2));
    assert!(ended.stderr.contains("NVRTC is newer than the driver"), "{}", ended.stderr);
}
