//! Checks every frame (block of records) of a file, and replays its games to find illegal moves;
//! repairs a damaged file by copying its undamaged frames to a new file.

use std::path::Path;

use othello_engine::eval::Weights;
use othello_engine::file::{
    self, Begin, Existing, FileError, Kind, Provenance, Reader, Section, Summary, Writer,
    check_output, sha256_of_file,
};
use othello_engine::progress::Progress;
use othello_engine::record::{
    Game, PlacedPosition, Record, RecordError, RecordReader, RecordWriter, ScoredPosition,
};
use serde::Serialize;

use crate::source::Result;
use crate::source::records::{Frame, Records};

/// The result of validating a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Validation {
    /// The path of the file, as given.
    pub path: String,
    /// The number of undamaged frames (blocks with a checksum) in the file.
    pub frames: u64,
    /// The number of games in the undamaged frames (blocks of records).
    pub games: u64,
    /// The number of positions in the undamaged frames (blocks of records). In a game, positions
    /// before the end of its random moves do not count.
    pub positions: u64,
    /// One message for each damage found, with its place in the file; empty for an undamaged file.
    pub damage: Vec<String>,
}

/// Checks a file and returns its damage; an error if it is unreadable or of an unknown format.
pub fn validate(path: &Path, progress: &dyn Progress) -> Result<Validation, RecordError> {
    let mut found = read(path, progress, |_| Ok(()))?;
    // A weights file without damaged sections may still be invalid.
    if found.damage.is_empty()
        && file::kind_of(path)? == Kind::Weights
        && let Err(error) = Weights::read(path)
    {
        found.damage.push(error.to_string());
    }
    Ok(found)
}

/// Copies the undamaged frames of a damaged file to `out`; returns `None` for an undamaged file.
pub fn repair(
    path: &Path,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Option<(Validation, Summary)>> {
    check_output(out, [path])?;
    let found = validate(path, progress)?;
    if found.damage.is_empty() {
        return Ok(None);
    }
    let kind = file::kind_of(path)?;
    let files = (path, out, kind, existing);
    let summary = match kind {
        Kind::Games => copy::<Game>(files, progress),
        Kind::Placed => copy::<PlacedPosition>(files, progress),
        // The reader of positions refuses files that are not of records.
        _ => copy::<ScoredPosition>(files, progress),
    };
    Ok(Some((found, summary?)))
}

fn copy<R: Record>(
    (path, out, kind, existing): (&Path, &Path, Kind, Existing),
    progress: &dyn Progress,
) -> Result<Summary>
where
    Vec<R>: TryFrom<Frame>,
{
    let of = RecordReader::<R>::open(path)?.provenance().as_map().clone();
    let provenance = Provenance::new("repair").with("input", sha256_of_file(path, progress)?);
    let mut writer = match Writer::begin(out, kind, &provenance.with("of", of), existing)? {
        Begin::Done(summary) => return Ok(summary),
        Begin::Writer(writer) => RecordWriter::over(writer),
    };
    read(path, progress, |frame| {
        let records: Vec<R> = frame.try_into().unwrap_or_default();
        records.into_iter().try_for_each(|record| writer.push(record))
    })?;
    Ok(writer.finish()?)
}

enum Input {
    Records(Records),
    /// A file of a kind other than records. Only its sections are checked.
    Other(Reader),
}

macro_rules! either {
    ($input:expr, $it:ident => $call:expr) => {
        match $input {
            Input::Records($it) => $call,
            Input::Other($it) => $call,
        }
    };
}

impl Input {
    fn open(path: &Path) -> Result<Self, RecordError> {
        Ok(match file::kind_of(path)? {
            kind if kind.is_of_records() => Self::Records(Records::open(path)?),
            kind => Self::Other(Reader::open(path, kind)?),
        })
    }

    /// Returns the next frame: `Some(None)` in a file that does not contain records, `None` at the
    /// file's end.
    fn next_frame(&mut self) -> Result<Option<Option<Frame>>, RecordError> {
        Ok(match self {
            Self::Records(records) => records.next_frame()?.map(Some),
            Self::Other(reader) => reader.next().transpose()?.map(|_: Section| None),
        })
    }
}

fn read(
    path: &Path,
    progress: &dyn Progress,
    mut take: impl FnMut(Frame) -> Result<(), RecordError>,
) -> Result<Validation, RecordError> {
    let mut found = Validation { path: path.display().to_string(), ..Validation::default() };
    let mut input = match Input::open(path) {
        Err(error) => {
            found.damage.push(damage(error)?);
            return Ok(found);
        }
        Ok(input) => input,
    };
    let bytes = either!(&input, it => it.bytes());
    progress.begin_stoppable(&format!("{} (bytes)", found.path), 0, bytes);
    let mut read = 0;
    loop {
        progress.check()?;
        match input.next_frame() {
            Ok(None) => return Ok(found),
            Ok(Some(frame)) => {
                found.frames += 1;
                match &frame {
                    Some(Frame::Games(games)) => {
                        found.games += games.len() as u64;
                        found.positions += games.iter().map(Game::positions).sum::<usize>() as u64;
                    }
                    Some(frame) => found.positions += frame.len() as u64,
                    None => {}
                }
                frame.map_or(Ok(()), &mut take)?;
            }
            Err(error) => {
                found.damage.push(damage(error)?);
                if !either!(&mut input, it => it.resynchronize()?) {
                    return Ok(found);
                }
            }
        }
        let now = either!(&input, it => it.bytes_read());
        progress.advance(now.saturating_sub(read));
        read = now.max(read);
    }
}

fn damage(error: RecordError) -> Result<String, RecordError> {
    match &error {
        RecordError::File(FileError::Truncated { .. } | FileError::Damaged { .. })
        | RecordError::Record { .. } => Ok(error.to_string()),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use othello_engine::board::transcript;
    use othello_engine::file::Section;
    use othello_engine::progress::Silent;
    use othello_testing::records;

    use super::*;

    fn write(path: &Path) -> Vec<Vec<Game>> {
        let squares = transcript::parse("f5d6c5f4e7f6g5e6e3").unwrap();
        let frame = |moves: usize| vec![Game::new(0, &squares[..moves]).unwrap(); 20];
        let frames: Vec<Vec<Game>> = (5..10).map(frame).collect();
        let mut writer = records::begin(path, &Provenance::new("test"));
        writer.write_frames(&frames).unwrap();
        writer.finish().unwrap();
        frames
    }

    #[test]
    fn a_sound_file_is_said_to_be_one() {
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("sound.games"), folder.path().join("out.games"));
        write(&path);
        let found = validate(&path, &Silent).unwrap();
        assert_eq!(
            (found.frames, found.games, found.positions),
            (5, 100, 20 * (5 + 6 + 7 + 8 + 9))
        );
        assert!(found.damage.is_empty());
        assert!(repair(&path, &out, Existing::Keep, &Silent).unwrap().is_none());
        assert!(!out.exists());
    }

    /// `validate` must report a weights file that every other command refuses.
    #[test]
    fn weights_that_no_command_takes_are_not_sound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("forged.weights");
        let set = Section { name: "pattern_set".into(), content: b"name = \"none\"".to_vec() };
        records::write_sections(&path, Kind::Weights, &Provenance::new("test"), [set]);
        let refused = Weights::read(&path).unwrap_err().to_string();
        assert_eq!(validate(&path, &Silent).unwrap().damage, [refused]);
    }

    #[test]
    fn damage_is_named_and_what_is_good_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.games");
        let frames = write(&path);
        let sound = fs::read(&path).unwrap();
        let starts: Vec<usize> =
            (0..sound.len() - 4).filter(|&at| sound[at..].starts_with(b"SECT")).collect();
        for damaged in 0..5 {
            let mut bytes = sound.clone();
            bytes[starts[damaged] + 40] ^= 1;
            fs::write(&path, &bytes).unwrap();
            let out = folder.path().join(format!("{damaged}.games"));
            let (found, summary) =
                repair(&path, &out, Existing::Keep, &Silent).unwrap().expect("damage");
            assert_eq!((found.frames, found.games, found.damage.len()), (4, 80, 1));
            let place = format!("damaged.games: damaged: section {}", damaged + 1);
            assert!(found.damage[0].contains(&place), "{:?}", found.damage);
            let mut left = frames.clone();
            left.remove(damaged);
            let there = RecordReader::<Game>::open(&out).unwrap().map(|game| game.unwrap());
            assert!(there.eq(left.concat()), "frame {damaged}");
            let again = repair(&path, &out, Existing::Keep, &Silent).unwrap();
            assert_eq!(again, Some((found, summary)));
        }
    }

    #[test]
    fn a_file_that_is_cut_off_keeps_its_whole_frames() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("short.games");
        write(&path);
        let sound = fs::read(&path).unwrap();
        fs::write(&path, &sound[..sound.len() - 60]).unwrap();
        let found = validate(&path, &Silent).unwrap();
        assert_eq!((found.frames, found.damage.len()), (4, 1));
        assert!(found.damage[0].contains("short.games: cut short"), "{:?}", found.damage);
        fs::write(&path, &sound[..20]).unwrap();
        assert!(validate(&path, &Silent).unwrap().damage[0].contains("the header"));
        fs::write(&path, "somebody's notes").unwrap();
        assert!(
            validate(&path, &Silent)
                .unwrap_err()
                .to_string()
                .contains("not a file of this program")
        );
        assert!(validate(&folder.path().join("none"), &Silent).is_err());
    }
}
