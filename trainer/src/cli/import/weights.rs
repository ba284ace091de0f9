//! `othello-trainer import weights`: converts another program's evaluation into weights.

use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use othello_cli::arguments::Output;
use othello_cli::{Outcome, Session};
use othello_engine::file::{FileError, Provenance, check_output, open_ordinary, sha256_of_file};
use othello_engine::progress::Silent;
use serde::Serialize;

use crate::export::program::Program;
use crate::export::read_npz::read_npz;
use crate::export::tables::{ReadTables, Rounding};

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    /// File to read
    file: PathBuf,
    #[arg(long)]
    format: Format,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, ValueEnum, derive_more::Display)]
#[display(rename_all = "lowercase")]
enum Format {
    /// The evaluation file of Edax (eval.dat), unpacked
    Edax,
    /// The evaluation file of Egaroucid (eval.egev2)
    Egaroucid,
    /// The evaluation file of Zebra (coeffs2.bin)
    Zebra,
    /// NumPy arrays (.npz) as `export` writes them; a Python program can also write them
    Npz,
}

/// The number of bytes of an evaluation file that are read at most; real files are smaller.
const MAX_BYTES: u64 = 1 << 27;

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "weights for the pattern set `{pattern_set}`, sha256 {sha256}\n\
     weights rounded by {:.4} discs (root mean square), {:.4} at most",
    rounding.rms, rounding.largest
)]
pub(in crate::cli) struct Imported {
    /// The name of the pattern set.
    pattern_set: String,
    /// The differences between the rounded weights and those in the imported file, in discs.
    rounding: Rounding,
    /// The SHA-256 of the weights file.
    sha256: String,
}

pub(super) fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { file, format, output } = arguments;
    check_output(&output.out, [file])?;
    let input = sha256_of_file(file, &Silent)?;
    let ReadTables { weights, rounding } = format.read(file)?;
    let provenance = Provenance::new("import")
        .with("format", format!("weights of {format}"))
        .with("inputs", vec![input]);
    let sha256 = weights.write(&output.out, &provenance, output.existing())?.sha256;
    let pattern_set = weights.set().name().to_owned();
    session.print(&Imported { pattern_set, rounding, sha256 })
}

impl Format {
    fn read(self, path: &Path) -> anyhow::Result<ReadTables> {
        let tables = match self {
            Self::Edax => Program::Edax.read(&read(path)?),
            Self::Egaroucid => Program::Egaroucid.read(&read(path)?),
            Self::Zebra => Program::Zebra.read(&read(path)?),
            // NumPy arrays can be many times as large as weights, so they are read one at a time.
            Self::Npz => read_npz(BufReader::new(open_ordinary(path)?)),
        };
        tables.with_context(|| path.display().to_string())
    }
}

/// Returns the content of a file, at most [`MAX_BYTES`], which is more than any format needs.
fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = vec![];
    let read = open_ordinary(path)?.take(MAX_BYTES).read_to_end(&mut bytes);
    read.map_err(FileError::io(path, "read it"))?;
    Ok(bytes)
}
