//! Tests that every available device, including a GPU, fits the same weights, byte for byte.

use std::path::Path;
use std::process::{Command, Output};

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
use othello_testing::skip;
use serde_json::Value;

fn self_play(path: &Path) {
    let random_plies = "4..=20".parse().unwrap();
    let run = Run::whole(Settings::new(9, random_plies, 1, 4), 400);
    play_games(path, &run, PerSide::both(&Mobility), Existing::Keep, &Silent).unwrap();
}

fn trainer(arguments: &[&str]) -> Output {
    let binary = assert_cmd::cargo::cargo_bin!("othello-trainer");
    Command::new(binary).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn has_gpu() -> bool {
    json(&trainer(&["doctor", "--json"]))["device"] == "cuda"
}

#[test]
fn threads_and_kernels_fit_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("a.games");
    self_play(&games);
    let games = games.to_str().unwrap();
    // Kernels are slow on the CPU.
    let settings = folder.path().join("fit.toml");
    std::fs::write(&settings, "[adam]\nupdates = 4\n").unwrap();
    let settings = settings.to_str().unwrap();
    for optimizer in ["lsq", "adam"] {
        let fit = |device: &str, threads: &str| {
            let out = folder.path().join(format!("{optimizer}-{device}-{threads}.weights"));
            let out = out.to_str().unwrap();
            let mut arguments = vec!["fit", games, "--out", out, "--json", "--phases", "30..32"];
            arguments.extend(["--window", "1,0.5", "--epochs", "4", "--optimizer", optimizer]);
            arguments.extend(["--device", device, "--threads", threads, "--settings", settings]);
            let report = json(&trainer(&arguments));
            assert_eq!(report["device"], device);
            let sha256 = report["sha256"].as_str().unwrap().to_owned();
            eprintln!("{optimizer} {device}, threads {threads}: sha256 {sha256}");
            (sha256, std::fs::read(out).unwrap())
        };
        let one = fit("cpu", "1");
        assert!(one == fit("cpu", "2"), "{optimizer}: 2 threads differ");
        assert!(one == fit("host", "2"), "{optimizer}: kernels differ");
        if has_gpu() {
            assert!(one == fit("cuda", "2"), "{optimizer}: the GPU differs");
        }
    }
    if !has_gpu() {
        skip!("no GPU here: only threads and the kernels on the CPU were compared");
    }
}

#[test]
fn threads_and_kernels_fit_the_same_factors() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (games, set, settings) = (file("a.games"), file("set.toml"), file("fit.toml"));
    self_play(Path::new(&games));
    let patterns = "name = \"tiny\"\nscalars = [\"moves_pair\"]\n[factors]\ndimensions = 8\nphases = 2\n\
                    [[pattern]]\nsquares = \"a1 b1 c1 d1 a2\"\n[[pattern]]\nsquares = \"c3 d3 e3 f3\"\n";
    std::fs::write(&set, patterns).unwrap();
    std::fs::write(&settings, "[factors]\nepochs = 3\nbatch = 200\n").unwrap();
    let fit = |device: &str, threads: &str| {
        let out = file(&format!("{device}-{threads}.weights"));
        let mut arguments = vec!["fit", &games, "--out", &out, "--json", "--phases", "30..33"];
        arguments.extend(["--patterns", &set, "--settings", &settings]);
        arguments.extend(["--device", device, "--threads", threads]);
        let report = json(&trainer(&arguments));
        assert_eq!(report["device"], device);
        eprintln!("factors {device}, threads {threads}: sha256 {}", report["sha256"]);
        std::fs::read(out).unwrap()
    };
    let one = fit("cpu", "1");
    assert!(one == fit("cpu", "2"), "2 threads differ");
    assert!(one == fit("host", "2"), "kernels differ");
    if has_gpu() {
        assert!(one == fit("cuda", "2"), "the GPU differs");
    }
}

#[test]
fn doctor_says_what_will_be_used_and_why() {
    let report = json(&trainer(&["doctor", "--json"]));
    let reason = report["reason"].as_str().unwrap();
    eprintln!("{report}");
    assert!(!reason.is_empty());
    if has_gpu() {
        return; // What is refused without a GPU is not: it is fitted on, above.
    }
    assert_eq!(report["device"], "cpu");
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("a.games");
    let out = folder.path().join("a.weights");
    let arguments = ["fit", games.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let refused = trainer(&[&arguments[..], &["--device", "cuda"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains(reason), "{message}");
}
