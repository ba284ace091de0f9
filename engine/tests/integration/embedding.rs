//! Tests that a line break in a name or a file reaches cargo as text, not as an instruction.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use othello_engine::eval::Weights;
use othello_engine::file::{Existing, Provenance};
use othello_engine::pattern::PatternSet;

/// Returns whether a build script embeds weights; without weights, it does nothing.
fn embeds(script: &Path) -> bool {
    let variable = b"OTHELLO_WEIGHTS";
    fs::read(script).is_ok_and(|code| code.windows(variable.len()).any(|at| at == variable))
}

/// Returns the path of the build script of this crate that was compiled last.
fn build_script() -> PathBuf {
    let own_folder = Path::new(env!("OUT_DIR")).parent().unwrap();
    let folders = fs::read_dir(own_folder.parent().unwrap()).unwrap().flatten();
    let own = folders.filter(|folder| {
        let name = folder.file_name();
        let hash = name.to_str().and_then(|name| name.strip_prefix("othello-engine-"));
        hash.is_some_and(|hash| !hash.contains('-'))
    });
    let scripts = own.map(|folder| folder.path().join("build-script-build"));
    let scripts = scripts.filter(|script| embeds(script));
    let newest = scripts.max_by_key(|path| fs::metadata(path).and_then(|it| it.modified()).ok());
    newest.expect("cargo ran it")
}

/// Runs the build script with these weights. Returns whether it succeeds, and its output for cargo.
fn embed(weights: &OsStr, out: &Path) -> (bool, String) {
    let mut script = Command::new(build_script());
    script.env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR")).env("OUT_DIR", out);
    script.env("CARGO_CFG_TARGET_OS", std::env::consts::OS);
    let output = script.env("OTHELLO_WEIGHTS", weights).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A regression: a line break in the name began a line that cargo read as an instruction.
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
        let (_, said) = embed(OsStr::from_bytes(name), folder.path());
        let lines: Vec<&str> = said.lines().collect();
        let refused = lines.last().unwrap();
        assert!(refused.starts_with("cargo::error="), "{said}");
        let is_own = |line: &&str| line.starts_with("cargo::rerun-if-");
        assert!(lines[..lines.len() - 1].iter().all(is_own), "{said}");
        assert!(!refused.contains(|letter: char| letter.is_control()), "{said}");
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
    let (is_content, said) = embed(path.as_os_str(), folder.path());
    // The checksum is the only setting: no text of the file reaches cargo.
    let checksum = format!("OTHELLO_EMBEDDED_SHA256={}", written.sha256);
    let (settings, others): (Vec<&str>, Vec<&str>) =
        said.lines().partition(|line| line.starts_with("cargo::rustc-env="));
    assert_eq!(settings, [format!("cargo::rustc-env={checksum}")]);
    assert!(is_content && others.iter().all(|line| line.starts_with("cargo::rerun-if-")), "{said}");
}
