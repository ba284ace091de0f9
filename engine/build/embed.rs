//! Packs the weights to embed, in one block for each range of phases (plies of a game). A program
//! unpacks only the blocks that it needs.

use std::env;
use std::path::{Path, PathBuf};

use othello_core::file::Provenance;
use othello_core::pattern::PatternSet;
use othello_core::weights::{Weights, WeightsFile};

const VARIABLE: &str = "OTHELLO_WEIGHTS";
const NONE: &str = "none";

pub(crate) fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    if let Err(error) = embed() {
        println!("cargo::error={}", error.replace(['\n', '\r'], " "));
    }
}

fn embed() -> Result<(), String> {
    let file = match env::var(VARIABLE) {
        Ok(choice) if choice == NONE => no_weights(),
        // Cargo would read the text after a line break as an instruction of the build script.
        Ok(path) if path.contains(char::is_control) => {
            let what = "has a line break or another control character";
            return Err(format!("{VARIABLE}: {path:?} {what}"));
        }
        Ok(path) => read(&workspace()?.join(path))?,
        Err(env::VarError::NotUnicode(path)) => {
            return Err(format!("{VARIABLE}: {path:?} is not text in UTF-8"));
        }
        // docs.rs only builds the documentation, from the published crate, which lacks the weights.
        Err(env::VarError::NotPresent) if env::var_os("DOCS_RS").is_some() => no_weights(),
        Err(env::VarError::NotPresent) => read(&shipped()?)?,
    };
    let packed = Path::new(&variable("OUT_DIR")?).join("embedded.weights");
    let written = file.weights.write_packed(&packed, &file.provenance);
    written.map_err(|error| error.to_string())?;
    println!("cargo::rustc-env=OTHELLO_EMBEDDED_SHA256={}", file.sha256);
    Ok(())
}

fn workspace() -> Result<PathBuf, String> {
    let engine = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    Ok(engine.parent().map(Path::to_path_buf).unwrap_or(engine))
}

fn shipped() -> Result<PathBuf, String> {
    let path = workspace()?.join("engine/weights/default.weights");
    if path.exists() {
        return Ok(path);
    }
    Err(format!(
        "{}: not found; published crates do not contain it: set {VARIABLE} to the absolute path of \
        a weights file, that of the release page or your own, or to `{NONE}` for a program without \
        weights; a library can omit the feature `embedded`",
        path.display()
    ))
}

fn read(path: &Path) -> Result<WeightsFile, String> {
    println!("cargo::rerun-if-changed={}", path.display());
    Weights::read(path).map_err(|error| {
        format!("the weights to embed cannot be used: {error}. Set {VARIABLE} to a weights file, or to `{NONE}`")
    })
}

fn no_weights() -> WeightsFile {
    let set = "name = \"none\"\n[[pattern]]\nsquares = \"a1\"";
    let set = PatternSet::from_toml(set).unwrap_or_else(|_| unreachable!());
    let (provenance, sha256) = (Provenance::new(NONE), NONE.to_owned());
    WeightsFile { weights: Weights::zero(set), provenance, sha256 }
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| format!("cargo did not set {name}: {error}"))
}
