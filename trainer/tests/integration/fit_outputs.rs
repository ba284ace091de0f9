//! Tests of the outputs and messages of a fit. Its side files are the report and the metrics.

use othello_testing::program::message;
use serde_json::Value;

use super::folder::Folder;

const FIT: &str = "fit a.games --patterns small --epochs 3 --optimizer lsq --phases 40..42";

fn folder() -> Folder {
    Folder::with_self_play(9, 200, 4)
}

fn fitted(folder: &Folder, more: &str) -> Value {
    folder.json(&format!("{FIT} {more}"))
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
