//! Imports: the records of other programs' files, read one after the other into a file of ours.

mod inputs;
mod output;
mod solved;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use othello_engine::file::{Begin, Existing, Provenance, check_output};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, PositionWriter, Record as _, RecordError, ScoredPosition};
use serde::{Deserialize, Serialize};

use super::wthor::WthorGames;
use super::{Entries, SourceError};
use inputs::Inputs;
pub use output::Imported;
use output::{Output, Place};

/// The result of an import.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The number of games read; 0 for boards.
    pub games: u64,
    /// The number of positions to learn from: those of the games in which a move was played, or
    /// those written.
    pub positions: u64,
    /// The number of refused records.
    pub rejected: u64,
    /// The number of games that stop before their end.
    pub incomplete: u64,
    /// The checksum of the output's content.
    pub sha256: String,
}

/// The files of an import.
#[derive(Clone, Debug)]
pub struct Import<'a> {
    /// The name of the format in the provenance.
    pub format: &'a str,
    /// The files to read; of a folder, all of its files (of WTHOR, all its .wtb files).
    pub paths: &'a [PathBuf],
    /// The file to write.
    pub out: &'a Path,
    /// The treatment of an existing file.
    pub existing: Existing,
}

impl Import<'_> {
    /// Imports records one after the other. A run that was killed continues after the last whole
    /// frame, at the next entry of the inputs.
    pub fn run<T: Imported, E: Entries<T>>(
        &self,
        open: fn(&Path) -> Result<E, SourceError>,
        progress: &dyn Progress,
    ) -> Result<Summary, SourceError> {
        let (inputs, provenance) = self.inputs(progress)?;
        let mut output: Output<T> =
            Output::begin(self.out, &provenance, self.existing, inputs.bytes(), progress)?;
        let place = output.place.clone();
        inputs.read(open, &place, progress, |entry, bytes| output.take(entry, bytes))?;
        output.finish(&self.sources())
    }

    /// Imports the exactly scored positions of WTHOR games, except those that occur in files of
    /// games, up to symmetry. They are few, and are written when all are known: a run that was
    /// killed reads the games again.
    pub fn run_solved(
        &self,
        except: &[PathBuf],
        progress: &dyn Progress,
    ) -> Result<Summary, SourceError> {
        check_output(self.out, except)?;
        let (inputs, provenance) = self.inputs(progress)?;
        let (mut positions, mut summary) = (solved::Positions::default(), Summary::default());
        inputs.read(WthorGames::open, &Place::default(), progress, |game: Option<Game>, _| {
            match game {
                Some(game) => {
                    game.count(&mut summary);
                    positions.add(&game);
                }
                None => summary.rejected += 1,
            }
            Ok(())
        })?;
        let mut checksums = vec![];
        for path in except {
            checksums.push(positions.remove_those_of(path, progress)?);
        }
        let provenance = provenance.with("solved_only", true).with("except", checksums);
        let rows = positions.into_rows();
        if rows.is_empty() {
            return Err(SourceError::nothing(ScoredPosition::NAME, &self.sources()));
        }
        summary.positions = rows.len() as u64;
        summary.sha256 = self.write(&rows, &provenance, progress)?;
        Ok(summary)
    }

    /// Writes positions that are few enough to fit in memory; returns the checksum of the content.
    fn write(
        &self,
        positions: &[ScoredPosition],
        provenance: &Provenance,
        progress: &dyn Progress,
    ) -> Result<String, RecordError> {
        let mut writer = match PositionWriter::begin(self.out, provenance, self.existing)? {
            Begin::Done(done) => {
                let count = positions.len() as u64;
                progress.begin("import (positions)", count, count);
                return Ok(done.sha256);
            }
            Begin::Writer(writer) => writer,
        };
        progress.warn(writer.warning());
        writer.compare_from_start();
        positions.iter().try_for_each(|&position| writer.push(position))?;
        progress.warn(writer.end_comparison()?);
        Ok(writer.finish()?.sha256)
    }

    /// Names the inputs for a message: the first three, and the number of the others.
    fn sources(&self) -> String {
        let named = self.paths.iter().take(3).map(|path| path.display().to_string());
        let named = named.collect::<Vec<_>>().join(", ");
        match self.paths.len() {
            0..=3 => named,
            all => format!("{named} and {} more", all - 3),
        }
    }

    fn inputs(&self, progress: &dyn Progress) -> Result<(Inputs, Provenance), SourceError> {
        let extension = (self.format == "wthor").then_some("wtb");
        let inputs = Inputs::find(self.paths, extension)?;
        check_output(self.out, inputs.files())?;
        let provenance = Provenance::new("import")
            .with("format", self.format)
            .with("inputs", inputs.checksums(progress)?);
        Ok((inputs, provenance))
    }
}
