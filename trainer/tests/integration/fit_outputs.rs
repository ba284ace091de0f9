//! Tests of the outputs and messages of a fit. Its side files are the report and the metrics.

use std::fs;

use othello_testing::program::message;
use serde_json::Value;

use super::folder::{Folder, printed};

const FIT: &str = "fit a.games --patterns small --epochs 3 --optimizer lsq --phases 40..42";

fn folder() -> Folder {
    Folder::with_self_play(9, 200, 4)
}

fn fitted(folder: &Folder, more: &str) -> Value {
    folder.json(&format!("{FIT} {more}"))
}

#[test]
fn side_files_of_another_fit_are_refused_without_force() {
    let folder = folder();
    fitted(&folder, "--out a.weights");
    fs::remove_file(folder.path("a.weights")).unwrap();
    folder.refuses(&format!("{FIT} --out a.weights --ridge 3"), "a.weights.report.json");
    // The fit accepts the report and metrics files of an earlier run with the same settings.
    fitted(&folder, "--out a.weights");
    folder.write("b.weights.report.json", "precious");
    fitted(&folder, "--out b.weights --force");
}

/// A regression: a fit of one phase showed only a progress bar for minutes.
#[test]
fn every_epoch_is_an_event_with_the_numbers_of_its_line_in_the_metrics() {
    let folder = folder();
    let output = folder.run(&format!("{FIT} --out a.weights --log json"));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let events = stderr.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut epochs: Vec<Value> = events.filter(|event| event["event"] == "epoch").collect();
    assert!(epochs.iter().all(|event| event["positions_per_second"].as_f64().unwrap() > 0.0));
    epochs.sort_by_key(|event| [&event["phase"], &event["epoch"]].map(|key| key.as_u64()));
    let metrics = folder.text("a.weights.metrics.jsonl");
    let lines = metrics.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert!(epochs.len() >= 9 && epochs.len() == lines.len(), "{stderr}");
    for (event, line) in epochs.iter().zip(&lines) {
        for (key, value) in line.as_object().unwrap() {
            assert_eq!(&event[key], value, "{key}");
        }
    }
}

#[test]
fn metrics_have_every_epoch_once_in_order_whatever_the_threads() {
    let folder = folder();
    let one = fitted(&folder, "--out one.weights --threads 1");
    let two = fitted(&folder, "--out two.weights --threads 2");
    assert_eq!(one["sha256"], two["sha256"]);
    for side_file in ["metrics.jsonl", "report.json"] {
        let [one, two] =
            ["one", "two"].map(|name| folder.read(&format!("{name}.weights.{side_file}")));
        assert!(one == two, "{side_file}");
    }
    let text = folder.text("one.weights.metrics.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert_eq!(lines[0]["provenance"]["command"], "fit");
    let epochs = lines[1..].iter().map(|line| [&line["phase"], &line["epoch"]].map(Value::as_u64));
    let expected = (40..=42).flat_map(|phase| (1..=3).map(move |epoch| [Some(phase), Some(epoch)]));
    assert!(epochs.eq(expected), "{text}");
    assert!(lines[1..].iter().all(|line| line["train_mse"].as_f64() > Some(0.0)), "{text}");
}

#[test]
fn an_error_above_the_limit_says_so_and_both_numbers() {
    let folder = folder();
    let check = |failing: &str, mae: &str| {
        let failed = folder.run(&format!("{failing} --max-mae 0.5 --json"));
        assert_eq!(failed.status.code(), Some(1));
        let report = printed(&failed);
        assert_eq!(report["passed"], false);
        let mae = format!("{:.3} discs", report[mae].as_f64().unwrap());
        let said = message(&failed);
        assert!(said.contains(&mae) && said.contains("--max-mae 0.5"), "{said}");
    };
    check(&format!("{FIT} --out a.weights"), "validation_mae");
    assert_eq!(fitted(&folder, "--out a.weights --max-mae 64")["passed"], true);
    assert!(fitted(&folder, "--out a.weights")["passed"].is_null());
    check("loss none a.games", "mae");
}

#[test]
fn phases_that_are_not_fitted_say_where_their_weights_come_from() {
    let folder = folder();
    let output = folder.run(&format!("{FIT} --out a.weights --json"));
    assert!(message(&output).contains("57 phases outside --phases"), "{}", message(&output));
    let report = printed(&output);
    let filled = report["filled"].as_array().unwrap();
    assert_eq!(filled.len(), 57);
    assert_eq!(filled[0], serde_json::json!({"phase": 0, "copied_from": 40}));
    assert_eq!(filled[56], serde_json::json!({"phase": 59, "copied_from": 42}));
    let fit = "fit a.games --epochs 3 --phases 40..42 --init a.weights --out b.weights --json";
    let kept = folder.run(fit);
    assert!(!message(&kept).contains("outside"), "{}", message(&kept));
    assert!(printed(&kept)["filled"].is_null());
}

#[test]
fn a_missing_driver_is_news_only_to_who_asked() {
    let folder = folder();
    let doctor = folder.json("doctor");
    let [device, reason] = ["device", "reason"].map(|field| doctor[field].as_str().unwrap());
    let said = message(&folder.run(&format!("{FIT} --out a.weights")));
    assert!(said.contains(&format!("device {device}, optimizer lsq\n")), "{said}");
    assert!(!said.contains(reason), "{said}");
    let said = message(&folder.run(&format!("{FIT} --out b.weights --device auto")));
    assert!(said.contains(reason), "{said}");
}

/// A regression: a fit accepted complete weights with a foreign report file next to them.
#[test]
fn complete_weights_without_their_report_say_what_to_do() {
    let folder = folder();
    fitted(&folder, "--out a.weights");
    folder.write("a.weights.report.json", "precious");
    let said = folder.refusal(&format!("{FIT} --out a.weights"));
    assert!(said.contains("a.weights.report.json") && said.contains("--force"), "{said}");
    assert_eq!(folder.read("a.weights.report.json"), b"precious");
}
