//! Tests that all available devices, such as a GPU, fit the same weights, byte for byte.

use othello_testing::skip;
use serde_json::Value;

use super::folder::{Folder, TINY_FACTORS};

fn doctor() -> Value {
    Folder::new().json("doctor")
}

/// Checks that a fit of games of self-play gives the same bytes on every device.
fn check_all_devices(folder: &Folder, fit: &str) {
    let bytes = |device: &str, threads: u32| {
        let run = format!("{fit} --device {device} --threads {threads} --out a.weights --force");
        let report = folder.json(&run);
        assert_eq!(report["device"], device);
        eprintln!("{fit} --device {device} --threads {threads}: sha256 {}", report["sha256"]);
        folder.read("a.weights")
    };
    let one = bytes("cpu", 1);
    assert!(one == bytes("cpu", 2), "{fit}: 2 threads differ");
    assert!(one == bytes("host", 2), "{fit}: kernels differ");
    if doctor()["device"] == "cuda" {
        assert!(one == bytes("cuda", 2), "{fit}: the GPU differs");
    }
}

#[test]
fn threads_and_kernels_fit_the_same_bytes() {
    let folder = Folder::with_self_play(9, 100, 4);
    // Kernels are slow on the CPU.
    folder.write("fit.toml", "[adam]\nupdates = 4\n");
    let fit = "fit a.games --phases 30..31 --window 1,0.5 --epochs 4 --settings fit.toml";
    for optimizer in ["lsq", "adam", "adam --batch 500"] {
        check_all_devices(&folder, &format!("{fit} --optimizer {optimizer}"));
    }
    if doctor()["device"] != "cuda" {
        skip!("no GPU here: only threads and the kernels on the CPU were compared");
    }
}

#[test]
fn threads_and_kernels_fit_the_same_factors() {
    let folder = Folder::with_self_play(9, 400, 4);
    folder.write("set.toml", TINY_FACTORS.replace("phases = 4", "phases = 2"));
    folder.write("fit.toml", "[factors]\nepochs = 3\nbatch = 200\n");
    let fit = "fit a.games --phases 30..33 --patterns set.toml --settings fit.toml";
    check_all_devices(&folder, fit);
}

#[test]
fn every_device_relabels_to_the_same_bytes() {
    let folder = Folder::with_self_play(9, 30, 4);
    for settings in ["--exact 9", "--exact 6 --depth 2"] {
        let bytes = |device: &str| {
            let run = format!("relabel a.games {settings} --device {device} --out b.games --force");
            assert_eq!(folder.json(&run)["device"], device);
            folder.read("b.games")
        };
        let one = bytes("cpu");
        assert!(one == bytes("host"), "{settings}: kernels differ");
        if doctor()["device"] == "cuda" {
            assert!(one == bytes("cuda"), "{settings}: the GPU differs");
        }
    }
}

#[test]
fn doctor_says_what_will_be_used_and_why() {
    let report = doctor();
    let reason = report["reason"].as_str().unwrap();
    eprintln!("{report}");
    assert!(!reason.is_empty());
    if report["device"] == "cuda" {
        return; // The fits above use the GPU.
    }
    assert_eq!(report["device"], "cpu");
    Folder::new().refuses("fit a.games --out a.weights --device cuda", reason);
}
