use std::io::Cursor;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;
use othello_cli::arguments::{Output, number_from};
use othello_cli::{Outcome, Session};
use othello_engine::board::Square;
use othello_engine::eval::{WeightsChoice, WeightsFile};
use othello_engine::file::{Kind, Provenance, check_output, kind_of, plain, sha256_of};
use othello_engine::record::{Game, GameReader};
use serde::Serialize;

use super::lines;
use crate::dataset::{DataChoice, Filter, LayoutSettings, PositionStream, Split, StreamSettings};
use crate::export::Program;
use crate::export::arrays::{Npz, Origin, PositionArrays, add_weights};
use crate::export::raw::{c_file, raw};
use crate::export::wthor::wthor;
use crate::model::Phases;
use crate::source::LabelRules;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Weights file, or `embedded` (without counts of occurrences in training). For the formats
    /// wthor and transcripts, a file of games. For the format npz, weights, or a file of games,
    /// positions or openings, or a folder of such files
    #[arg(value_name = "DATA")]
    weights: WeightsChoice,
    #[arg(long)]
    format: Format,
    /// Prefix of all names in a C file [default: the name of the file]
    #[arg(long, value_name = "P", value_parser = identifier)]
    prefix: Option<String>,
    #[command(flatten)]
    output: Output,
    /// Year of the games, for the header of a WTHOR file; 0 if it is unknown
    #[arg(long, value_name = "YEAR", default_value_t = 0)]
    year: u16,
    #[arg(long, value_name = "RULES")]
    labels: Option<LabelRules>,
    #[arg(long, value_name = "FILTER")]
    filter: Option<Filter>,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, derive_more::Display)]
#[display(rename_all = "lowercase")]
enum Format {
    /// NumPy arrays of weights, or of positions with labels
    Npz,
    /// Weights as plain binary numbers without a header, to be read by the C file of the format `c`
    Raw,
    /// A C file that evaluates positions, also incrementally after each move. It contains weights
    /// up to 4 MiB; larger weights are read from a file of the format `raw`
    C,
    /// The evaluation file of Edax (eval.dat), for weights of Edax's patterns
    Edax,
    /// The evaluation file of Egaroucid (eval.egev2), for weights of Egaroucid's patterns
    Egaroucid,
    /// The evaluation file of Zebra (coeffs2.bin), for weights of Zebra's patterns
    Zebra,
    /// Games in the format of the Fédération Française d'Othello (.wtb)
    Wthor,
    /// Games as text, one a line: f5d6c3…
    Transcripts,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{bytes} bytes, sha256 {sha256}, of the weights {weights_sha256}")]
pub(in crate::cli) struct Exported {
    /// The size of the written file.
    bytes: usize,
    /// The SHA-256 of the written file.
    sha256: String,
    /// The SHA-256 of the weights file.
    weights_sha256: String,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{games} games, {bytes} bytes, sha256 {sha256}, of the games {games_sha256}")]
pub(in crate::cli) struct ExportedGames {
    /// The number of written games.
    games: usize,
    /// The size of the written file.
    bytes: usize,
    /// The SHA-256 of the written file.
    sha256: String,
    /// The SHA-256 of the input file of games.
    games_sha256: String,
}

pub fn run(arguments: &Arguments, session: &Session) -> Result<Outcome> {
    check_output(&arguments.output.out, arguments.weights.path())?;
    match (arguments.format, arguments.records()) {
        (Format::Wthor | Format::Transcripts, _) => export_games(arguments, session),
        (_, Some(data)) => export_positions(arguments, data, session),
        _ => export_weights(arguments, session),
    }
}

fn export_weights(arguments: &Arguments, session: &Session) -> Result<Outcome> {
    let WeightsFile { weights, sha256, provenance } = arguments.weights.by_class()?;
    let counted = arguments.weights != WeightsChoice::Embedded;
    let provenance = provenance.canonical();
    let origin = Origin { provenance: &provenance, sha256: &sha256, counted };
    let for_program =
        |program: Program| program.write(&weights).with_context(|| arguments.weights.to_string());
    let bytes = match arguments.format {
        Format::Npz => {
            let mut file = Npz::new(Cursor::new(vec![]));
            add_weights(&mut file, &weights, origin)?;
            file.finish()?.into_inner()
        }
        Format::Raw => raw(&weights),
        Format::C => c_file(&weights, &arguments.prefix()).into_bytes(),
        Format::Edax => for_program(Program::Edax)?,
        Format::Egaroucid => for_program(Program::Egaroucid)?,
        Format::Zebra => for_program(Program::Zebra)?,
        Format::Wthor | Format::Transcripts => return export_games(arguments, session),
    };
    plain::write(&arguments.output.out, &bytes, arguments.output.existing())?;
    let weights_sha256 = sha256;
    let sha256 = sha256_of(&bytes);
    session.print(&Exported { bytes: bytes.len(), sha256, weights_sha256 })
}

fn export_games(arguments: &Arguments, session: &Session) -> Result<Outcome> {
    let WeightsChoice::File(path) = &arguments.weights else {
        let Arguments { format, weights, .. } = arguments;
        bail!("--format {format} takes a file of games; `{weights}` is not one");
    };
    let mut reader = GameReader::open(path)?;
    let games = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    let line = |game: &Game| game.squares().iter().map(Square::to_string).collect::<String>();
    let bytes = match arguments.format {
        Format::Transcripts => lines(games.iter().map(line)).into_bytes(),
        _ => wthor(&games, arguments.year).context("more games than such a file can count")?,
    };
    plain::write(&arguments.output.out, &bytes, arguments.output.existing())?;
    session.print(&ExportedGames {
        games: games.len(),
        bytes: bytes.len(),
        sha256: sha256_of(&bytes),
        games_sha256: reader.sha256().unwrap_or_default().to_owned(),
    })
}

fn identifier(text: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = text.chars().next().is_some_and(|c| !c.is_ascii_digit());
    let is_identifier = first && text.chars().all(is_word);
    let wrong = "is not a C identifier (expected letters, digits and _, first not a digit)";
    is_identifier.then(|| text.to_owned()).ok_or_else(|| wrong.to_owned())
}

impl Arguments {
    fn prefix(&self) -> String {
        let of_file = || {
            let stem =
                self.output.out.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
            let words = stem.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            identifier(&words).unwrap_or_else(|_| format!("weights_{words}"))
        };
        self.prefix.clone().unwrap_or_else(of_file)
    }

    fn records(&self) -> Option<&Path> {
        let path = self.weights.path()?;
        let holds_records = || path.is_dir() || kind_of(path).is_ok_and(Kind::is_of_records);
        (self.format == Format::Npz && holds_records()).then_some(path)
    }
}

const BATCH: usize = 1 << 18;

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "{positions} training positions, {validation_positions} to validate, {test_positions} to test, \
     {bytes} bytes, sha256 {sha256}"
)]
pub(in crate::cli) struct ExportedPositions {
    /// The number of exported positions in the training set.
    positions: usize,
    /// The number of exported positions in the validation set.
    validation_positions: usize,
    /// The number of exported positions in the test set.
    test_positions: usize,
    /// The size of the written file.
    bytes: usize,
    /// The SHA-256 of the written file.
    sha256: String,
}

fn export_positions(arguments: &Arguments, data: &Path, session: &Session) -> Result<Outcome> {
    let labels = arguments.labels.clone().unwrap_or_default();
    let filter = arguments.filter.clone().unwrap_or_default();
    let split = Split::new(arguments.seed);
    let layout = LayoutSettings { labels: labels.clone(), filter: filter.clone(), split };
    let (subset, phases) = (None, Phases::default().0);
    let settings = StreamSettings { layout, subset, phases, shuffled: 0, seed: 0 };
    let data = [DataChoice { path: data.to_owned(), weight: 1.0 }];
    let mut stream = PositionStream::open(&data, settings)?;
    let mut arrays = PositionArrays::beside(&arguments.output.out)?;
    let mut counts = [0; 3];
    while let rows @ [_, ..] = &stream.next_batch(BATCH, session.progress())?[..] {
        rows.iter().for_each(|placed| counts[placed.subset as usize] += 1);
        arrays.extend(rows)?;
    }
    let provenance = Provenance::new("export")
        .with("data", serde_json::to_value(&stream.inputs)?)
        .with("labels", labels.in_provenance())
        .with("split", serde_json::to_value(split)?)
        .with_unusual(!filter.is_all(), "filter", filter.to_string());
    let bytes = arrays.finish(&provenance.canonical())?;
    plain::write(&arguments.output.out, &bytes, arguments.output.existing())?;
    let [positions, validation_positions, test_positions] = counts;
    let (bytes, sha256) = (bytes.len(), sha256_of(&bytes));
    session.print(&ExportedPositions {
        positions,
        validation_positions,
        test_positions,
        bytes,
        sha256,
    })
}
