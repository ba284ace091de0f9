//! Tests that a line break in the name of the weights file, or in a text stored in that file, does
//! not make the build script print an instruction to cargo (`cargo::…`).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;

use othello_engine::eval::Weights;
use othello_engine::file::{Existing, Provenance};
use othello_engine::pattern::PatternSet;

#[path = "../../build/embed.rs"]
mod script;

#[test]
#[ignore = "a process for the other tests"]
fn build_script() {
    script::main();
}

fn embed(weights: &OsStr, out: &Path) -> Vec<String> {
    let mut script = Command::new(std::env::current_exe().unwrap());
    script.args(["embedding::build_script", "--exact", "--ignored", "--nocapture", "--quiet"]);
    script.env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR")).env("OUT_DIR", out);
    let output = script.env("OTHELLO_WEIGHTS", weights).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    said.lines().filter(|line| line.starts_with("cargo:")).map(str::to_owned).collect()
}

#[test]
fn a_line_break_in_the_name_of_the_weights_is_no_instruction_to_cargo() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        &b"a.weights\ncargo::rustc-link-arg=x"[..],
        b"a\rcargo::rustc-env=X=y",
        b"\x1b[2J",
        b"missing/a.weights",
        b"\xff\ncargo::warning=x",
        "\u{2028}cargo::x".as_bytes(),
    ] {
        let mut said = embed(OsStr::from_bytes(name), folder.path());
        let refused = said.pop().unwrap();
        assert!(refused.starts_with("cargo::error="), "{refused}");
        assert!(said.iter().all(|line| line.starts_with("cargo::rerun-if-")), "{said:?}");
        assert!(!refused.contains(|letter: char| letter.is_control()), "{refused}");
    }
}

#[test]
fn a_line_break_inside_of_the_weights_is_no_instruction_either() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.weights");
    let set = "name = \"a\"\n# \"; cargo::x\n[[pattern]]\nsquares = \"a1 b1\"\n";
    let weights = Weights::zero(PatternSet::from_toml(set).unwrap());
    let text = "\"\ncargo::rustc-env=X=y\n\u{1b}[2J";
    let provenance = Provenance::new(text).with(text, text);
    let written = weights.write(&path, &provenance, Existing::Keep).unwrap();
    let mut said = embed(path.as_os_str(), folder.path());
    // The build script sets only the checksum: no text of the file may reach cargo.
    let checksum = format!("cargo::rustc-env=OTHELLO_EMBEDDED_SHA256={}", written.sha256);
    assert_eq!(said.pop(), Some(checksum));
    assert!(said.iter().all(|line| line.starts_with("cargo::rerun-if-")), "{said:?}");
}
