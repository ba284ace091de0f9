//! `export --format npz` of records: writes their labelled positions as NumPy arrays.

use std::path::Path;

use othello_cli::{Outcome, Session};
use othello_engine::file::{Provenance, plain, sha256_of};
use serde::Serialize;

use super::Arguments;
use crate::dataset::{DataChoice, PositionStream, Split, StreamSettings};
use crate::export::positions::PositionArrays;
use crate::model::Phases;

/// The number of positions that the export reads and converts at a time.
const BATCH: usize = 1 << 18;

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "{positions} training positions, {validation_positions} to validate, {test_positions} to test, \
     {bytes} bytes, sha256 {sha256}"
)]
pub(in crate::cli) struct Exported {
    /// The number of training positions.
    positions: usize,
    /// The number of validation positions.
    validation_positions: usize,
    /// The number of test positions.
    test_positions: usize,
    /// The size of the file.
    bytes: usize,
    /// The SHA-256 of the file.
    sha256: String,
}

pub(super) fn export(
    arguments: &Arguments,
    data: &Path,
    session: &Session,
) -> anyhow::Result<Outcome> {
    let labels = arguments.labels.clone().unwrap_or_default();
    let filter = arguments.filter.clone().unwrap_or_default();
    let split = Split::new(arguments.seed);
    let data = [DataChoice { path: data.to_owned(), weight: 1.0 }];
    let settings = StreamSettings {
        labels: labels.clone(),
        filter: filter.clone(),
        split,
        subset: None,
        phases: Phases::default().0,
        shuffled: 0,
        seed: 0,
    };
    let mut stream = PositionStream::open(&data, settings)?;
    let mut arrays = PositionArrays::beside(&arguments.output.out)?;
    let mut counts = [0; 3];
    loop {
        let rows = stream.next_batch(BATCH, session.progress())?;
        if rows.is_empty() {
            break;
        }
        rows.iter().for_each(|placed| counts[placed.subset as usize] += 1);
        arrays.extend(&rows)?;
    }
    let provenance = Provenance::new("export")
        .with("data", serde_json::to_value(stream.inputs())?)
        .with("labels", labels.in_provenance())
        .with("split", serde_json::to_value(split)?)
        .with_unusual(!filter.is_all(), "filter", filter.to_string());
    let bytes = arrays.finish(&provenance.canonical())?;
    plain::write(&arguments.output.out, &bytes, arguments.output.existing())?;
    let [positions, validation_positions, test_positions] = counts;
    session.print(&Exported {
        positions,
        validation_positions,
        test_positions,
        bytes: bytes.len(),
        sha256: sha256_of(&bytes),
    })
}
