//! Tests that the benchmark runs and reports its fields; its measurements are not tested.

use othello_testing::program::message;
use serde_json::Value;

use super::folder::{Folder, printed};

fn bench_on(device: &str) -> String {
    format!("bench --device {device} --games 50 --repetitions 1 --json")
}

/// With `--device host`, the C compiler compiles the kernels that a GPU would run.
#[test]
fn the_cpu_and_the_kernels_are_measured_with_their_limit() {
    let folder = Folder::new();
    for device in ["cpu", "host"] {
        check(device, &printed(&folder.run(&bench_on(device))));
    }
}

#[test]
fn the_gpu_is_measured_likewise_or_the_benchmark_says_what_is_missing() {
    let output = Folder::new().run(&bench_on("cuda"));
    if output.status.success() {
        return check("cuda", &printed(&output));
    }
    assert_eq!(output.status.code(), Some(2));
    let message = message(&output);
    assert!(message.contains("--device cuda") && message.contains("NV"), "{message}");
}

fn check(device: &str, report: &Value) {
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
    let positions = report["positions"].as_u64().unwrap();
    assert!(positions > 200, "{positions}");
}
