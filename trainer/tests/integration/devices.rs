//! Tests that commands give the same bytes on all available devices (CPU and GPU).

use othello_testing::program::message;
use othello_testing::skip;
use serde_json::Value;

use super::folder::{Folder, TINY_FACTORS, printed};

fn doctor() -> Value {
    Folder::new().json("doctor")
}

fn check_all_devices(folder: &Folder, command: &str, out: &str) {
    let bytes = |device: &str, threads: u32| {
        let run = format!("{command} --device {device} --threads {threads} --out {out} --force");
        let report = folder.json(&run);
        assert_eq!(report["device"], device);
        eprintln!("{run}: sha256 {}", report["sha256"]);
        folder.read(out)
    };
    let one = bytes("cpu", 1);
    assert!(one == bytes("cpu", 2), "{command}: 2 threads differ");
    assert!(one == bytes("host", 2), "{command}: kernels differ");
    if doctor()["device"] == "cuda" {
        assert!(one == bytes("cuda", 2), "{command}: the GPU differs");
    }
}

#[test]
fn threads_and_kernels_fit_the_same_bytes() {
    let folder = Folder::with_self_play(9, 100, 4);
    // The device `host` runs the kernels slowly on the CPU, so this fit is small.
    folder.write("fit.toml", "[adam]\nupdates = 4\n");
    let fit = "fit a.games --phases 30..31 --window 1,0.5 --epochs 4 --settings fit.toml";
    for optimizer in ["lsq", "adam", "adam --batch 500"] {
        check_all_devices(&folder, &format!("{fit} --optimizer {optimizer}"), "a.weights");
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
    check_all_devices(&folder, fit, "a.weights");
}

#[test]
fn every_device_relabels_to_the_same_bytes() {
    let folder = Folder::with_self_play(9, 30, 4);
    for settings in ["--exact 9", "--exact 6 --depth 2"] {
        check_all_devices(&folder, &format!("relabel a.games {settings}"), "b.games");
    }
}

/// Checks only that each measured speed is positive, because speeds vary.
#[test]
fn every_device_is_measured_with_its_limit_or_says_what_is_missing() {
    for device in ["cpu", "host", "cuda"] {
        let bench = format!("bench --device {device} --games 50 --repetitions 1 --json");
        let output = Folder::new().run(&bench);
        if device == "cuda" && !output.status.success() {
            assert_eq!(output.status.code(), Some(2));
            let message = message(&output);
            assert!(message.contains("--device cuda") && message.contains("NV"), "{message}");
            continue;
        }
        let report = printed(&output);
        assert_eq!(report["device"], device);
        let rate = |field: &str| report[field].as_f64().filter(|&rate| rate > 0.0).unwrap();
        let ratio = rate("positions_per_second") / rate("limit_positions_per_second");
        assert!((rate("ratio") - ratio).abs() < 1e-9, "{report}");
        assert!(report["positions"].as_u64() > Some(200), "{report}");
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
    assert!(reason.contains("install") || reason.contains("nvidia-smi"), "{reason}");
    Folder::new().refuses("fit a.games --out a.weights --device cuda", reason);
}
