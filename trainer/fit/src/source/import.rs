//! Imports files of other programs into one record file.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, fs};

use othello_engine::board::Position;
use othello_engine::board::transcript::Form;
use othello_engine::file::{Begin, Existing, FileError, Provenance, check_output, sha256_of_file};
use othello_engine::progress::Progress;
use othello_engine::record::{
    Game, GameReader, Label, PlacedPosition, Record, RecordError, RecordWriter, ScoredPosition,
    Weight,
};
use othello_engine::text::Invalid;
use serde::Serialize;

use super::{Entries, Result, wthor};

/// The result of an import.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, schemars::JsonSchema)]
pub struct Summary {
    /// The number of games read; 0 for boards.
    pub games: u64,
    /// The number of imported positions; in games, one before each move that is not random.
    pub positions: u64,
    /// The number of refused records.
    pub rejected: u64,
    /// The number of games that end although a side could move.
    pub incomplete: u64,
    /// The number of finished games whose stated result differs from the result of their moves.
    pub differing: u64,
    /// The number of unfinished games whose result is stated.
    pub stated: u64,
    /// The SHA-256 of the output, as `sha256sum` prints it.
    pub sha256: String,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, positions, rejected, incomplete, differing, stated, sha256 } = self;
        write!(f, "{games} games ({incomplete} incomplete), {positions} positions, ")?;
        write!(f, "{rejected} records rejected")?;
        if differing + stated > 0 {
            write!(
                f,
                "\n{differing} finished games state another result than that of their moves"
            )?;
            write!(f, "; {stated} incomplete games state one")?;
        }
        write!(f, "\nsha256 {sha256}")
    }
}

/// A record (game or position) that can be imported from files of other programs.
pub trait Imported: Record + 'static {
    /// Returns a game with its first `plies` moves marked as random, or a position unchanged.
    #[must_use]
    fn with_random_plies(self, _plies: u8) -> Self {
        self
    }

    /// Counts the record in `summary`. Returns a message if a stated result contradicts the moves.
    fn count(&self, summary: &mut Summary) -> Option<String> {
        summary.positions += 1;
        None
    }
}

impl Imported for PlacedPosition {}

impl Imported for ScoredPosition {}

impl Imported for Game {
    fn with_random_plies(self, plies: u8) -> Self {
        Self::with_random_plies(self, plies)
    }

    fn count(&self, summary: &mut Summary) -> Option<String> {
        summary.games += 1;
        summary.positions += self.positions() as u64;
        summary.incomplete += u64::from(self.black_score().is_none());
        summary.stated += u64::from(self.black_score().is_none() && self.stated().is_some());
        let (result, stated) = self.black_score().zip(self.stated())?;
        summary.differing += 1;
        Some(format!("the moves give {result:+} for black, the stated result is {stated:+}"))
    }
}

/// The number of random moves at the start of games. Text: `N` for all files, `PATH=N` for a file
/// or the files of a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RandomPlies {
    /// The file or folder whose games begin with `plies` random moves; `None` for all files.
    pub path: Option<PathBuf>,
    /// The number of random moves at the beginning of each game, 0 to 60.
    pub plies: u8,
}

impl RandomPlies {
    fn applies(&self, file: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_in = |path: &PathBuf| file.starts_with(path) || real(file).starts_with(real(path));
        self.path.as_ref().is_none_or(is_in)
    }
}

impl FromStr for RandomPlies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, plies) = text.rsplit_once('=').map_or((None, text), |(p, n)| (Some(p), n));
        let wrong = || format!("`{plies}` is not a number of moves; expected 0 to 60");
        let plies = plies.parse().ok().filter(|plies| *plies <= 60).ok_or_else(wrong)?;
        Ok(Self { path: path.map(PathBuf::from), plies })
    }
}

/// The input files, the output file and the settings of an import.
#[derive(Clone, Debug)]
pub struct Import<'a> {
    /// The name of the input format in the output's provenance.
    pub format: &'a str,
    /// The files and folders to read. From a folder, the import of WTHOR reads only `.wtb` files.
    pub paths: &'a [PathBuf],
    /// The numbers of random moves at the start of games. For each file, the last entry that
    /// applies to it counts; without one, its games have none.
    pub random_plies: &'a [RandomPlies],
    /// The record file to write.
    pub out: &'a Path,
    /// The treatment of a file that already exists at `out`.
    pub existing: Existing,
}

impl Import<'_> {
    /// Imports the records that `open` reads. If the output is already complete, it is not written
    /// again, and the inputs are read only for the summary.
    pub fn run<T: Imported>(
        &self,
        open: fn(&Path) -> Result<Entries<T>>,
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
        let checksums = except.iter().map(|path| positions.remove_those_of(path, progress));
        let checksums = checksums.collect::<Result<Vec<_>>>()?;
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
        let inputs = Inputs::find(self)?;
        check_output(self.out, &inputs.files)?;
        progress.begin("checksums (bytes)", 0, inputs.bytes);
        let checksums = inputs.files.iter().map(|file| sha256_of_file(file, progress));
        let checksums = checksums.collect::<Result<Vec<_>, _>>()?;
        let random_plies = &inputs.random_plies[..];
        let has_random = random_plies.iter().any(|&plies| plies > 0);
        let provenance = Provenance::new("import")
            .with("format", self.format)
            .with("inputs", checksums)
            .with_unusual(has_random, "random_plies", random_plies);
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
    /// Adds the exactly scored position of `game`, if any. A position with a forced pass is
    /// replaced by the position after the pass.
    fn add(&mut self, game: &Game) {
        let Some(solved) = game.solved() else { return };
        let replay = game.replay();
        let step = replay.steps.get(usize::from(solved.ply));
        let (position, side) =
            step.map_or((replay.end, replay.side), |step| (step.position, step.side));
        let Some(label) = Label::of_score(solved.black_score * side.sign()) else { return };
        if position.moves() != 0 && self.seen.insert(position.canonical()) {
            self.rows.push(ScoredPosition::new(position, label, Weight::ONE));
        }
    }

    fn remove_those_of(&mut self, path: &Path, progress: &dyn Progress) -> Result<String> {
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

struct Inputs {
    files: Vec<PathBuf>,
    random_plies: Vec<u8>,
    bytes: u64,
}

impl Inputs {
    fn find(import: &Import<'_>) -> Result<Self> {
        let extension = (import.format == "wthor").then_some("wtb");
        let mut files = vec![];
        for path in import.paths {
            match path.is_dir() {
                true => files.extend(in_folder(path, extension)?),
                false => files.push(path.clone()),
            }
        }
        let bytes_of =
            |file: &PathBuf| Ok(fs::metadata(file).map_err(FileError::io(file, "read it"))?.len());
        let bytes = files.iter().map(bytes_of).sum::<Result<u64>>()?;
        let rules = import.random_plies;
        let is_idle = |rule: &&RandomPlies| !files.iter().any(|file| rule.applies(file));
        if let Some(RandomPlies { path: Some(path), plies }) = rules.iter().find(is_idle) {
            let reason = format!(
                "random moves `{}={plies}`: none of the inputs is this file or in this folder; \
                 name an input or its folder",
                path.display()
            );
            return Err(Invalid(reason).into());
        }
        let rule = |file: &PathBuf| rules.iter().rfind(|rule| rule.applies(file));
        let random_plies = files.iter().map(|file| rule(file).map_or(0, |rule| rule.plies));
        let random_plies = random_plies.collect();
        Ok(Self { files, random_plies, bytes })
    }

    /// Passes each accepted record to `take`. Reports refused records, and games whose stated
    /// result differs from the result of their moves.
    fn read<T: Imported>(
        &self,
        open: fn(&Path) -> Result<Entries<T>>,
        is_done: bool,
        progress: &dyn Progress,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<Summary> {
        let done = if is_done { self.bytes } else { 0 };
        progress.begin_stoppable("import (bytes)", done, self.bytes);
        let (mut summary, mut forms) = (Summary::default(), vec![]);
        for (file, &random_plies) in self.files.iter().zip(&self.random_plies) {
            let (mut entries, mut shown) = (open(file)?, 0);
            while let Some(entry) = entries.next_entry()? {
                progress.check()?;
                let tell = |kind, number, text| {
                    if number <= MOST_SHOWN {
                        let (file, place) = (file.display(), &entries.at);
                        progress.message(&format!("{kind}: {file}: {place}: {text}"));
                    }
                };
                match entry {
                    Ok(record) => {
                        let record = record.with_random_plies(random_plies);
                        forms.extend(entries.at.form);
                        if let Some(doubt) = record.count(&mut summary) {
                            tell(DIFFERING, summary.differing, doubt);
                        }
                        take(record)?;
                    }
                    Err(reason) => {
                        summary.rejected += 1;
                        tell(REJECTED, summary.rejected, reason);
                    }
                }
                if !is_done {
                    progress.advance(entries.at.bytes_read.saturating_sub(shown));
                }
                shown = entries.at.bytes_read;
            }
        }
        for (kind, number) in [(REJECTED, summary.rejected), (DIFFERING, summary.differing)] {
            if number > MOST_SHOWN {
                progress.message(&format!("{kind}: {} more", number - MOST_SHOWN));
            }
        }
        Form::report(forms, progress);
        Ok(summary)
    }
}

const REJECTED: &str = "rejected";
const DIFFERING: &str = "another result";
const MOST_SHOWN: u64 = 100;

fn in_folder(folder: &Path, extension: Option<&str>) -> Result<Vec<PathBuf>> {
    let unreadable = FileError::io(folder, "read it");
    let mut files = vec![];
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let fits =
            |wanted| path.extension().is_some_and(|own: &OsStr| own.eq_ignore_ascii_case(wanted));
        if path.is_file() && !hidden && extension.is_none_or(fits) {
            files.push(path);
        }
    }
    if files.is_empty() {
        let (kind, folder) = (extension.unwrap_or("ordinary"), folder.display());
        return Err(Invalid(format!("no {kind} file in the folder {folder}")).into());
    }
    files.sort_unstable();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use othello_engine::progress::Silent;

    use super::*;
    use crate::source::transcripts;

    #[test]
    fn an_unfinished_import_is_made_again_whatever_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let moves = |number: usize| &"f5d6c5f4e7f6g5e6e3"[..2 * (1 + number * number / 7 % 9)];
        let text: String = (0..900).map(|number| format!("{}\n", moves(number))).collect();
        let paths = [folder.path().join("a.txt")];
        fs::write(&paths[0], &text).unwrap();
        let imported = |out: &Path| {
            let format = "transcripts";
            let import =
                Import { format, paths: &paths, random_plies: &[], out, existing: Existing::Keep };
            import.run(transcripts::read, &Silent).unwrap()
        };
        let whole = folder.path().join("whole.games");
        let summary = imported(&whole);
        let bytes = fs::read(&whole).unwrap();
        for left in [0, 5, bytes.len() - 5, bytes.len()] {
            let out = folder.path().join(format!("{left}.games"));
            fs::write(out.with_added_extension("partial"), &bytes[..left]).unwrap();
            assert_eq!(imported(&out), summary, "{left}");
            assert_eq!(fs::read(&out).unwrap(), bytes, "{left}");
        }
    }
}
