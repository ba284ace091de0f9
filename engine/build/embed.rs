//! Verifies the weights file and expands it into tables inside the binary.

use std::path::{Path, PathBuf};
use std::{env, fs};

use othello_core::file::Provenance;
use othello_core::pattern::PatternSet;
use othello_core::weights::layout::CacheLine;
use othello_core::weights::{ExpandedWeights, MoveOrderingWeights, Weights, WeightsFile};

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
        // Cargo takes every line of the output for an instruction.
        Ok(path) if path.contains(char::is_control) => {
            return Err(format!(
                "{VARIABLE}: {path:?} has a line break or another control character"
            ));
        }
        Ok(path) => read(&workspace()?.join(path))?,
        Err(env::VarError::NotUnicode(path)) => {
            return Err(format!("{VARIABLE}: {path:?} is not text in UTF-8"));
        }
        // docs.rs plays nothing, and gets the crate as it is published: without the weights.
        Err(env::VarError::NotPresent) if env::var_os("DOCS_RS").is_some() => no_weights(),
        Err(env::VarError::NotPresent) => read(&shipped()?)?,
    };
    let WeightsFile { weights, provenance, sha256 } = file;
    let factors = table("FACTORS", &sha256, CacheLine::bytes_of(&weights.vectors))?;
    let tables = weights.steps.into_iter().flat_map(i16::to_le_bytes);
    let tables = table("TABLES", &sha256, &tables.collect::<Vec<u8>>())?;
    let ordering = match weights.ordering.as_ref().map(MoveOrderingWeights::sections) {
        Some([set, weights]) => {
            write("embedded.ordering", &weights.content)?;
            let set = String::from_utf8(set.content).unwrap_or_default();
            format!(
                "Some(({set:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/embedded.ordering\"))))"
            )
        }
        None => "None".to_owned(),
    };
    let models = weights.models.sections().map(|section| {
        let name = format!("embedded.{}", section.name);
        write(&name, &section.content)?;
        let content = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))");
        Ok(format!("({:?}, {content})", section.name))
    });
    let models = models.collect::<Result<Vec<String>, String>>()?.join(", ");
    let identity = format!(
        "const PATTERN_SET: &str = {:?};\nconst PROVENANCE: &str = {:?};\nconst SHA256: &str = {:?};\n\
        const ORDERING: Option<(&str, &[u8])> = {ordering};\n\
        const MODELS: &[(&str, &[u8])] = &[{models}];\n\
        {tables}{factors}",
        weights.set.to_toml(),
        provenance.canonical(),
        sha256,
    );
    write("embedded.rs", identity.as_bytes())
}

/// Writes a table, and returns Rust code that declares it as a static of type `Aligned<[u8; N]>`.
///
/// If object files are in ELF, the assembler includes the bytes, so that the compiler does not
/// carry a constant of that size through every build. The symbol is weak and named after the
/// weights, because two builds of this crate may be linked into one program.
fn table(name: &str, sha256: &str, content: &[u8]) -> Result<String, String> {
    let file = format!("embedded.{}", name.to_lowercase());
    write(&file, content)?;
    let length = content.len();
    let elf = ["linux", "android", "freebsd", "netbsd", "openbsd"];
    if !elf.contains(&variable("CARGO_CFG_TARGET_OS")?.as_str()) {
        return Ok(format!(
            "static {name}: Aligned<[u8; {length}]> =\n    \
            Aligned(*include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{file}\")));\n"
        ));
    }
    let symbol = format!("othello_engine_{}_{sha256}", name.to_lowercase());
    let path = format!("{}/{file}", variable("OUT_DIR")?);
    let include = format!(".incbin {path:?}");
    Ok(format!(
        "core::arch::global_asm!(\n    \
            \".pushsection .rodata.{symbol}, \\\"a\\\"\", \".balign 64\",\n    \
            \".weak {symbol}\", \"{symbol}:\", {include:?}, \".popsection\",\n    \
            options(raw),\n\
        );\n\
        // SAFETY: the assembler puts so many bytes there, aligned, and nobody writes them.\n\
        unsafe extern \"C\" {{\n    \
            #[link_name = {symbol:?}]\n    \
            safe static {name}: Aligned<[u8; {length}]>;\n\
        }}\n"
    ))
}

fn workspace() -> Result<PathBuf, String> {
    let engine = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    Ok(engine.parent().map(Path::to_path_buf).unwrap_or(engine))
}

/// Returns the path of the weights that ship. A published crate has none: they are larger than its
/// registry takes.
fn shipped() -> Result<PathBuf, String> {
    let path = workspace()?.join("engine/weights/default.weights");
    if path.exists() {
        return Ok(path);
    }
    Err(format!(
        "{}: not there, as in every published crate: set {VARIABLE} to the absolute path of the \
        weights file from the release page or of your own, or to `{NONE}` for a program without \
        weights; a library leaves the feature `embedded` out",
        path.display()
    ))
}

fn read(path: &Path) -> Result<WeightsFile<ExpandedWeights>, String> {
    println!("cargo::rerun-if-changed={}", path.display());
    ExpandedWeights::read(path).map_err(|error| {
        format!("the weights to embed cannot be used: {error}. Set {VARIABLE} to a weights file, or to `{NONE}`")
    })
}

/// Returns weights of the smallest pattern set, all 0: every position has value 0.
fn no_weights() -> WeightsFile<ExpandedWeights> {
    let set = "name = \"none\"\n[[pattern]]\nsquares = \"a1\"";
    let set = PatternSet::from_toml(set).unwrap_or_else(|_| unreachable!());
    WeightsFile {
        weights: ExpandedWeights::of(&Weights::zero(set)),
        provenance: Provenance::new(NONE),
        sha256: NONE.to_owned(),
    }
}

fn write(name: &str, content: &[u8]) -> Result<(), String> {
    let path = Path::new(&variable("OUT_DIR")?).join(name);
    fs::write(&path, content).map_err(|error| format!("{}: {error}", path.display()))
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| format!("cargo did not set {name}: {error}"))
}
