//! Imports files of other programs into one record file.

mod inputs;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use othello_engine::board::{Position, Side};
use othello_engine::file::{Begin, Existing, Provenance, check_output};
use othello_engine::progress::Progress;
use othello_engine::record::{
    Game, GameReader, Label, PlacedPosition, Record, RecordError, RecordWriter, ScoredPosition,
    Weight,
};
use othello_engine::text::Invalid;
use serde::Serialize;

use super::{Entries, Result, wthor};
use inputs::Inputs;

/// The result of an import.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, schemars::JsonSchema)]
pub struct Summary {
    /// The number of games read; 0 for boards.
    pub games: u64,
    /// The number of imported positions. A game has one for each move after its random moves: the
    /// position before this move.
    pub positions: u64,
    /// The number of refused records.
    pub rejected: u64,
    /// The number of games that stop before their end.
    pub incomplete: u64,
    /// The number of finished games whose stated result is not that of their moves.
    pub differing: u64,
    /// The number of games that were broken off and have a stated result.
    pub stated: u64,
    /// The SHA-256 of the output, as `sha256sum` prints it.
    pub sha256: String,
}

impl Summary {
    /// Counts a game. Returns a message if its moves give another result than the stated one.
    fn count(&mut self, game: &Game) -> Option<String> {
        self.games += 1;
        self.positions += game.positions() as u64;
        self.incomplete += u64::from(game.black_score().is_none());
        self.stated += u64::from(game.black_score().is_none() && game.stated().is_some());
        let (result, stated) = game.black_score().zip(game.stated())?;
        self.differing += 1;
        Some(format!("the moves give {result:+} for black, the stated result is {stated:+}"))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, positions, rejected, incomplete, differing, stated, sha256 } = self;
        write!(f, "{games} games ({incomplete} incomplete), {positions} positions, ")?;
        write!(f, "{rejected} records rejected")?;
        if differing + stated > 0 {
            write!(
                f,
                "\n{differing} finished games state another result than that of their moves; "
            )?;
            write!(f, "{stated} incomplete games state one")?;
        }
        write!(f, "\nsha256 {sha256}")
    }
}

/// A record (game or position) that can be imported from files of other programs.
pub trait Imported: Record {
    /// Marks the first `plies` moves of a game as random; other records stay unchanged.
    #[must_use]
    fn with_random_plies(self, _plies: u8) -> Self {
        self
    }

    /// Returns the record if it is a game.
    fn game(&self) -> Option<&Game> {
        None
    }
}

/// The number of random moves that begin a game: `N` in all files, `PATH=N` in a file or folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RandomPlies {
    /// The file or folder whose games begin with `plies` random moves; `None` for all files.
    pub path: Option<PathBuf>,
    /// The number of random moves at the beginning of each game, 0 to 60.
    pub plies: u8,
}

impl FromStr for RandomPlies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, plies) = text.rsplit_once('=').map_or((None, text), |(p, n)| (Some(p), n));
        let number = plies.parse().ok().filter(|plies| *plies <= 60);
        let plies = number
            .ok_or_else(|| format!("`{plies}` is not a number of moves; expected 0 to 60"))?;
        Ok(Self { path: path.map(PathBuf::from), plies })
    }
}

impl Imported for Game {
    fn with_random_plies(self, plies: u8) -> Self {
        Self::with_random_plies(self, plies)
    }

    fn game(&self) -> Option<&Game> {
        Some(self)
    }
}

impl Imported for PlacedPosition {}

impl Imported for ScoredPosition {}

/// The input files, the output file and the settings of an import.
#[derive(Clone, Debug)]
pub struct Import<'a> {
    /// The name of the input format in the output's provenance.
    pub format: &'a str,
    /// The files and folders to read. From a folder, the import of WTHOR reads only `.wtb` files.
    pub paths: &'a [PathBuf],
    /// The random moves at the start of games; the last entry that covers a file applies, else 0.
    pub random_plies: &'a [RandomPlies],
    /// The record file to write.
    pub out: &'a Path,
    /// The treatment of a file that already exists at `out`.
    pub existing: Existing,
}

impl Import<'_> {
    /// Imports the records that `open` reads. If the output is already complete, it is not written
    /// again, and the inputs are read only for the summary.
    pub fn run<T: Imported, E: Entries<T>>(
        &self,
        open: fn(&Path) -> Result<E>,
        progress: &dyn Progress,
    ) -> Result<Summary> {
        let (inputs, provenance) = self.inputs(progress)?;
        let mut output = RecordWriter::begin(self.out, &provenance, self.existing)?;
        let is_done = output.is_done();
        let push = |record: T| Ok(output.push(record)?);
        let mut summary = inputs.read(open, is_done, progress, push)?;
        summary.sha256 = self.finish(output, summary.games + summary.positions)?;
        Ok(summary)
    }

    /// Imports the exactly scored positions of WTHOR games, except those that occur, up to
    /// symmetry, in a game of the files `except`.
    pub fn run_solved(&self, except: &[PathBuf], progress: &dyn Progress) -> Result<Summary> {
        check_output(self.out, except)?;
        let (inputs, provenance) = self.inputs(progress)?;
        let mut positions = SolvedPositions::default();
        let mut summary = inputs.read(wthor::read, false, progress, |game: Game| {
            positions.add(&game);
            Ok(())
        })?;
        let mut checksums = vec![];
        for path in except {
            checksums.push(positions.remove_those_of(path, progress)?);
        }
        let provenance = provenance.with("solved_only", true).with("except", checksums);
        let mut output = RecordWriter::begin(self.out, &provenance, self.existing)?;
        let rows = positions.rows;
        summary.positions = rows.len() as u64;
        rows.into_iter().try_for_each(|row| output.push(row))?;
        summary.sha256 = self.finish(output, summary.positions)?;
        Ok(summary)
    }

    fn finish<T: Record>(&self, output: Begin<RecordWriter<T>>, records: u64) -> Result<String> {
        if records > 0 {
            return Ok(output.finish()?.sha256);
        }
        let named = self.paths.iter().take(3).map(|path| path.display().to_string());
        let named = named.collect::<Vec<_>>().join(", ");
        let files = match self.paths.len() {
            0..=3 => named,
            all => format!("{named} and {} more", all - 3),
        };
        let reason = "expected at least one: check the format and the files";
        Err(Invalid(format!("no {} in {files}; {reason}", T::NAME)).into())
    }

    fn inputs(&self, progress: &dyn Progress) -> Result<(Inputs, Provenance)> {
        let extension = (self.format == "wthor").then_some("wtb");
        let inputs = Inputs::find(self.paths, extension, self.random_plies)?;
        check_output(self.out, &inputs.files)?;
        let random_plies = &inputs.random_plies;
        let provenance = Provenance::new("import")
            .with("format", self.format)
            .with("inputs", inputs.checksums(progress)?)
            .with_unusual(
                random_plies.iter().any(|&plies| plies > 0),
                "random_plies",
                &random_plies[..],
            );
        Ok((inputs, provenance))
    }
}

/// Positions with exact scores, in the order in which they were added, each once up to symmetry.
#[derive(Default)]
struct SolvedPositions {
    rows: Vec<ScoredPosition>,
    seen: HashSet<Position>,
}

impl SolvedPositions {
    /// Adds the exactly scored position of `game`, if there is one; if its player must pass, the
    /// position after the pass. Adds nothing if the game is over there.
    fn add(&mut self, game: &Game) {
        let Some(solved) = game.solved() else { return };
        let replay = game.replay();
        let step = replay.steps.get(usize::from(solved.ply));
        let (position, side): (Position, Side) =
            step.map_or((replay.end, replay.side), |step| (step.position, step.side));
        let Some(label) = Label::of_score(solved.black_score * side.sign()) else { return };
        if position.moves() != 0 && self.seen.insert(position.canonical()) {
            self.rows.push(ScoredPosition::new(position, label, Weight::ONE));
        }
    }

    fn remove_those_of(
        &mut self,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<String, RecordError> {
        let mut reader = GameReader::open(path)?;
        progress.begin("excluded positions (bytes)", 0, reader.bytes());
        let sha256 = reader.each_frame(progress, |games| {
            for replay in games.iter().map(Game::replay) {
                let steps = replay.steps.iter().map(|step| step.position);
                for position in steps.chain([replay.end]) {
                    self.seen.remove(&position.canonical());
                }
            }
            Ok::<(), RecordError>(())
        })?;
        self.rows.retain(|row| self.seen.contains(&row.position().canonical()));
        Ok(sha256)
    }
}
