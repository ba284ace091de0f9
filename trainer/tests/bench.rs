//! The benchmark runs and reports what it must; what it measures is nobody's test.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::process::Command;

use serde_json::Value;

#[test]
fn the_benchmark_reports_rates_and_writes_indices() {
    let folder = tempfile::tempdir().unwrap();
    let indices = folder.path().join("indices.bin");
    let output = Command::new(assert_cmd::cargo::cargo_bin!("othello-trainer"))
        .args(["bench", "--device", "cpu", "--games", "100", "--repetitions", "1", "--json"])
        .arg("--indices")
        .arg(&indices)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for field in ["positions_per_second", "limit_positions_per_second", "ratio", "speedup"] {
        assert!(report[field].as_f64().unwrap() > 0.0, "{field}");
    }
    let sets = report["instruction_sets"].as_array().unwrap();
    assert_eq!(sets[0]["instructions"], "portable");
    assert_eq!(sets.last().unwrap()["instructions"], report["instructions"]);
    let positions = report["positions"].as_u64().unwrap();
    assert!(positions > 400, "{positions}");
    // 64 instances and a scalar, 4 bytes each.
    assert_eq!(indices.metadata().unwrap().len(), positions * 65 * 4);
}

#[test]
fn phases_without_positions_are_refused() {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("othello-trainer"))
        .args(["bench", "--games", "0"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--phases"));
}
