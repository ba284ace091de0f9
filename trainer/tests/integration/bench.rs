//! Tests that the benchmark runs and reports its fields; its measurements are not tested.

use othello_testing::program::message;
use serde_json::Value;

use super::folder::{Folder, printed};

#[test]
fn the_benchmark_reports_rates_and_writes_indices() {
    let folder = Folder::new();
    let bench = "bench --device cpu --games 100 --repetitions 1 --indices indices.bin";
    let report = folder.json(bench);
    for field in ["positions_per_second", "limit_positions_per_second", "ratio", "speedup"] {
        assert!(report[field].as_f64().unwrap() > 0.0, "{field}");
    }
    let sets = report["instruction_sets"].as_array().unwrap();
    assert_eq!(sets[0]["instructions"], "portable");
    assert_eq!(sets.last().unwrap()["instructions"], report["instructions"]);
    let positions = report["positions"].as_u64().unwrap();
    assert!(positions > 400, "{positions}");
    // 64 instances and a scalar, 4 bytes each.
    assert_eq!(folder.read("indices.bin").len() as u64, positions * 65 * 4);
}

fn bench_on(device: &str) -> String {
    format!("bench --device {device} --games 50 --repetitions 1 --json")
}

/// The C compiler compiles the same kernels that a GPU runs.
#[test]
fn the_kernels_are_measured_with_their_limit() {
    check_kernels("host", &printed(&Folder::new().run(&bench_on("host"))));
}

#[test]
fn the_gpu_is_measured_likewise_or_the_benchmark_says_what_is_missing() {
    let output = Folder::new().run(&bench_on("cuda"));
    if output.status.success() {
        return check_kernels("cuda", &printed(&output));
    }
    assert_eq!(output.status.code(), Some(2));
    let message = message(&output);
    assert!(message.contains("--device cuda") && message.contains("NV"), "{message}");
}

fn check_kernels(device: &str, report: &Value) {
    eprintln!("{report:#}");
    assert_eq!(report["device"], device);
    let rate = |value: &Value| {
        let rate = value.as_f64().unwrap();
        assert!(rate > 0.0 && rate.is_finite(), "{rate}");
        rate
    };
    let limit = rate(&report["limit_positions_per_second"]);
    let own = rate(&report["positions_per_second"]);
    assert!((rate(&report["ratio"]) - own / limit).abs() < 1e-9);
    let solves = report["solves"].as_array().unwrap();
    let empties: Vec<&Value> = solves.iter().map(|solve| &solve["empties"]).collect();
    assert_eq!(empties, [10, 12, 14]);
    for solve in solves {
        let [device, cpu] = ["positions_per_second", "cpu_positions_per_second"];
        assert!((rate(&solve["ratio"]) - rate(&solve[device]) / rate(&solve[cpu])).abs() < 1e-9);
        assert!(rate(&solve["nodes_per_second"]) > rate(&solve[device]));
        // Random games are hard: single searches with 14 empty squares take too many steps.
        let [given_up, all] = ["given_up", "positions"].map(|name| solve[name].as_u64().unwrap());
        assert!(10 * given_up <= all, "{given_up} of {all}");
    }
    // A row of 20 bytes, and 20 bytes for each of 65 features.
    assert_eq!(report["bytes_per_position"], 20 + 20 * 65);
}
