//! Loads weights and evaluates positions statically, without a search.
//!
//! ```sh
//! cargo run --release -p othello-engine --no-default-features --example evaluate -- embedded
//! cargo run --release -p othello-engine --no-default-features --example evaluate -- my.weights
//! ```

use std::path::Path;
use std::process::ExitCode;

use othello_engine::board::{Position, StatedPosition};
use othello_engine::eval::{Evaluate as _, Tables, Weights, WeightsError, embedded};
use othello_engine::file::FileError;

/// A position as text: the squares from a1 to h8 (X black, O white), then the side to move.
const BOARD: &str = "--XXXX----XXXX--XXOXOOX-XXXOOOX-XXOXOOO--XXXOO----X-OO---------- O";

fn main() -> ExitCode {
    let choice = std::env::args().nth(1).unwrap_or_else(|| "embedded".into());
    match load(&choice) {
        Ok(tables) => {
            report(&tables);
            ExitCode::SUCCESS
        }
        Err(error) => {
            // The message has the file, the place and the remedy; the enum's variant is the fault.
            let kind = match &error {
                WeightsError::File(FileError::Io { .. }) => "cannot be read",
                WeightsError::File(FileError::Newer { .. }) => "is of a later version",
                WeightsError::File(_) => "is damaged or not a weights file",
                _ => "does not contain usable weights",
            };
            eprintln!("{choice} {kind}\n{error}");
            ExitCode::FAILURE
        }
    }
}

pub(crate) fn load(choice: &str) -> Result<Tables, WeightsError> {
    if choice == "embedded" {
        return Ok(embedded::tables());
    }
    let file = Weights::read(Path::new(choice))?;
    println!("{}: {} weights a phase", file.sha256, file.weights.geometry().parameters());
    Ok(Tables::new(&file.weights))
}

pub(crate) fn report(tables: &Tables) {
    // `value_of` starts from scratch; along a game, update a state move by move (`after`, `pass`).
    println!("at the start {:+.2} discs", tables.value_of(&Position::START));
    // If the line cannot be parsed, the error names the wrong column or word.
    match BOARD.parse::<StatedPosition>() {
        Ok(board) => println!("for white {:+.2} discs", tables.value_of(&board.position)),
        Err(error) => eprintln!("{BOARD}\n{error}"),
    }
}
