//! The outputs and messages of a fit. Foreign side files are refused, outputs have the same bytes
//! after any interruption, and failed checks give the reason. One test for each past bug.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
use othello_testing::program::message;
use serde_json::Value;

/// A folder with games to fit to.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let run = Run::whole(Settings::new(9, "4..=20".parse().unwrap(), 1, 4), 200);
        let path = folder.path("a.games");
        play_games(&path, &run, PerSide::both(&Mobility), Existing::Keep, &Silent).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn trainer(&self, arguments: &str) -> Output {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("othello-trainer"));
        command.current_dir(self.0.path()).args(arguments.split_whitespace()).output().unwrap()
    }

    /// Fits three phases of the small set with further arguments.
    fn fit(&self, more: &str) -> Output {
        let fit = "fit a.games --patterns small --epochs 3 --optimizer lsq --phases 40..42 --json";
        self.trainer(&format!("{fit} {more}"))
    }

    fn fitted(&self, more: &str) -> Value {
        let output = self.fit(more);
        assert!(output.status.success(), "{}", message(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// A past bug: foreign side files were overwritten or deleted.
#[test]
fn side_files_of_somebody_else_are_refused_without_force() {
    let folder = Folder::new();
    for name in [
        "a.weights.report.json",
        "a.weights.report.json.partial",
        "a.weights.metrics.jsonl",
        "a.weights.metrics.jsonl.partial",
        "a.weights.phase-41.checkpoint",
        "a.weights.phase-41.checkpoint.partial",
        "a.weights.unfinished",
    ] {
        let path = folder.path(name);
        fs::write(&path, "precious").unwrap();
        let refused = folder.fit("--out a.weights");
        assert_eq!(refused.status.code(), Some(2), "{name}");
        let message = message(&refused);
        assert!(message.contains(name) && message.contains("--force"), "{name}: {message}");
        assert_eq!(fs::read(&path).unwrap(), b"precious");
        assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 2, "{name}");
        fs::remove_file(&path).unwrap();
    }
    fs::write(folder.path("a.weights.report.json"), "precious").unwrap();
    assert!(folder.fit("--out a.weights --force").status.success());
}

/// The side files of a fit with other settings are foreign, too.
#[test]
fn side_files_of_another_fit_are_refused_without_force() {
    let folder = Folder::new();
    folder.fitted("--out a.weights");
    fs::remove_file(folder.path("a.weights")).unwrap();
    let refused = folder.fit("--out a.weights --ridge 3");
    assert_eq!(refused.status.code(), Some(2));
    assert!(message(&refused).contains("a.weights.report.json"), "{}", message(&refused));
    // Those of this fit are its own.
    folder.fitted("--out a.weights");
}

#[test]
fn metrics_have_every_epoch_once_in_order_whatever_the_threads() {
    let folder = Folder::new();
    let one = folder.fitted("--out one.weights --threads 1");
    let two = folder.fitted("--out two.weights --threads 2");
    assert_eq!(one["sha256"], two["sha256"]);
    for side_file in ["metrics.jsonl", "report.json"] {
        let [one, two] = ["one", "two"]
            .map(|name| fs::read(folder.path(&format!("{name}.weights.{side_file}"))).unwrap());
        assert!(one == two, "{side_file}");
    }
    let text =
        String::from_utf8(fs::read(folder.path("one.weights.metrics.jsonl")).unwrap()).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert_eq!(lines[0]["provenance"]["command"], "fit");
    let epochs = lines[1..].iter().map(|line| [&line["phase"], &line["epoch"]].map(Value::as_u64));
    let expected = (40..=42).flat_map(|phase| (1..=3).map(move |epoch| [Some(phase), Some(epoch)]));
    assert!(epochs.eq(expected), "{text}");
    assert!(lines[1..].iter().all(|line| line["train_mse"].as_f64() > Some(0.0)), "{text}");
}

#[test]
fn a_fit_refuses_to_replace_its_own_inputs() {
    let folder = Folder::new();
    folder.fitted("--out a.weights");
    let games = fs::read(folder.path("a.games")).unwrap();
    for out in ["--out a.games", "--out b.weights --init b.weights", "--out ./a.games --force"] {
        if out.contains("--init") {
            fs::copy(folder.path("a.weights"), folder.path("b.weights")).unwrap();
        }
        let fit = "fit a.games --epochs 3 --optimizer lsq --phases 40..42 --force";
        let refused = folder.trainer(&format!("{fit} {}", out.replace(" --force", "")));
        assert_eq!(refused.status.code(), Some(2), "{out}");
        assert!(message(&refused).contains("input"), "{}", message(&refused));
    }
    assert!(fs::read(folder.path("a.games")).unwrap() == games);
    let export = "export a.weights --format npz --out a.weights --force";
    let refused = folder.trainer(export);
    assert_eq!(refused.status.code(), Some(2), "{}", message(&refused));
    let bench = "bench --data a.games --indices a.games --force --repetitions 1";
    assert_eq!(folder.trainer(bench).status.code(), Some(2));
    assert!(fs::read(folder.path("a.games")).unwrap() == games);
}

/// A past bug: `bench --indices` overwrote any file.
#[test]
fn indices_replace_no_other_file() {
    let folder = Folder::new();
    fs::write(folder.path("precious"), "precious").unwrap();
    let bench = "bench --data a.games --patterns small --indices precious --repetitions 1";
    let refused = folder.trainer(bench);
    assert_eq!(refused.status.code(), Some(2));
    assert!(message(&refused).contains("--force"), "{}", message(&refused));
    assert_eq!(fs::read(folder.path("precious")).unwrap(), b"precious");
    assert!(folder.trainer(&format!("{bench} --force")).status.success());
}

#[test]
fn an_error_above_the_limit_says_so_and_both_numbers() {
    let folder = Folder::new();
    let failed = folder.fit("--out a.weights --max-mae 0.5");
    assert_eq!(failed.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&failed.stdout).unwrap();
    assert_eq!(report["passed"], false);
    let mae = format!("{:.3} discs", report["validation_mae"].as_f64().unwrap());
    let said = message(&failed);
    assert!(said.contains(&mae) && said.contains("--max-mae 0.5"), "{said}");
    assert_eq!(folder.fitted("--out a.weights --max-mae 64")["passed"], true);
    assert!(folder.fitted("--out a.weights")["passed"].is_null());

    let failed = folder.trainer("loss none a.games --max-mae 0.5 --json");
    assert_eq!(failed.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&failed.stdout).unwrap();
    assert_eq!(report["passed"], false);
    let mae = format!("{:.3} discs", report["mae"].as_f64().unwrap());
    let said = message(&failed);
    assert!(said.contains(&mae) && said.contains("--max-mae 0.5"), "{said}");
}

#[test]
fn phases_that_are_not_fitted_say_where_their_weights_come_from() {
    let folder = Folder::new();
    let output = folder.fit("--out a.weights");
    assert!(message(&output).contains("57 phases are outside --phases"), "{}", message(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let filled = report["filled"].as_array().unwrap();
    assert_eq!(filled.len(), 57);
    assert_eq!(filled[0], serde_json::json!({"phase": 0, "copied_from": 40}));
    assert_eq!(filled[56], serde_json::json!({"phase": 59, "copied_from": 42}));
    let fit = "fit a.games --epochs 3 --phases 40..42 --init a.weights --out b.weights --json";
    let kept = folder.trainer(fit);
    assert!(!message(&kept).contains("outside"), "{}", message(&kept));
    let report: Value = serde_json::from_slice(&kept.stdout).unwrap();
    assert!(report["filled"].is_null());
}

#[test]
fn a_missing_driver_is_news_only_to_who_asked() {
    let folder = Folder::new();
    let doctor = folder.trainer("doctor --json");
    let doctor: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let [device, reason] = ["device", "reason"].map(|field| doctor[field].as_str().unwrap());
    let said = message(&folder.fit("--out a.weights"));
    assert!(said.contains(&format!("device {device}, optimizer lsq\n")), "{said}");
    assert!(!said.contains(reason), "{said}");
    let said = message(&folder.fit("--out b.weights --device auto"));
    assert!(said.contains(reason), "{said}");
}

#[test]
fn a_ridge_that_no_data_outweighs_is_refused_with_its_range() {
    let folder = Folder::new();
    let refused = folder.fit("--out a.weights --ridge 1e307");
    assert_eq!(refused.status.code(), Some(2));
    let said = message(&refused);
    assert!(said.contains("`ridge` is 1e307") && said.contains("at most 1e12"), "{said}");
    folder.fitted("--out a.weights --ridge 1e12");
}

#[test]
fn the_old_name_of_epochs_is_taken() {
    let folder = Folder::new();
    let fit = "fit a.games --patterns small --optimizer lsq --phases 40..42 --json";
    let [new, old] = [("new", "epochs"), ("old", "iterations")].map(|(name, flag)| {
        let output = folder.trainer(&format!("{fit} --{flag} 3 --out {name}.weights"));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["sha256"].clone()
    });
    assert!(new.is_string() && new == old);
}

/// A past bug: complete weights were taken with the report of another fit.
#[test]
fn complete_weights_without_their_report_say_what_to_do() {
    let folder = Folder::new();
    folder.fitted("--out a.weights");
    let report = folder.path("a.weights.report.json");
    fs::write(&report, "precious").unwrap();
    let refused = folder.fit("--out a.weights");
    assert_eq!(refused.status.code(), Some(2));
    let said = message(&refused);
    assert!(said.contains("a.weights.report.json") && said.contains("--force"), "{said}");
    assert_eq!(fs::read(&report).unwrap(), b"precious");
}
