//! Files of games, written and read one after the other.

use std::path::Path;
use std::vec;

use super::frame::{self, FrameError};
use super::{Game, Outline, RecordError};
use crate::file::{Begin, Existing, FileError, Kind, Provenance, Reader, Section, Summary, Writer};

/// How many games [`GameWriter::push`] puts in a frame.
pub const GAMES_PER_FRAME: usize = 256;

const SECTION: &str = "games";

/// Writes games in their order, a frame at a time.
pub struct GameWriter {
    writer: Writer,
    pending: Vec<Game>,
    resumed_games: u64,
}

impl GameWriter {
    /// Begins a file of games, or goes on with it after its last whole frame.
    pub fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self>, RecordError> {
        let writer = match Writer::begin(path, Kind::Games, provenance, existing)? {
            Begin::Done(summary) => return Ok(Begin::Done(summary)),
            Begin::Writer(writer) => writer,
        };
        let mut resumed_games = 0;
        for section in writer.reread()?.take(writer.resumed().len()) {
            let section = section?;
            if section.name == SECTION {
                resumed_games += frame::games_in(&section.content);
            }
        }
        Ok(Begin::Writer(Self { writer, pending: vec![], resumed_games }))
    }

    /// How many games the file already held.
    pub fn resumed_games(&self) -> u64 {
        self.resumed_games
    }

    /// How many frames the file already held.
    pub fn resumed_frames(&self) -> usize {
        self.writer.resumed().len()
    }

    /// The games that the file already held, read again.
    pub fn reread(&self) -> Result<GameReader, RecordError> {
        Ok(GameReader::new(self.writer.reread()?, self.writer.resumed().len()))
    }

    /// What resuming dropped, for the user to know.
    pub fn warning(&self) -> Option<String> {
        self.writer.warning()
    }

    /// Adds a game; every [`GAMES_PER_FRAME`] of them are written.
    pub fn push(&mut self, game: Game) -> Result<(), RecordError> {
        self.pending.push(game);
        if self.pending.len() == GAMES_PER_FRAME { self.write_pending() } else { Ok(()) }
    }

    /// Writes games as a frame of their own, after those that were pushed. For a writer whose
    /// frames stand for something, such as a range of seeds: the frame may be empty, and has 65,536
    /// games at most.
    pub fn write_frame(&mut self, games: &[Game]) -> Result<(), RecordError> {
        if !self.pending.is_empty() {
            self.write_pending()?;
        }
        Ok(self.writer.section(SECTION, &frame::encode(games))?)
    }

    /// Writes what is left and completes the file.
    pub fn finish(mut self) -> Result<Summary, RecordError> {
        if !self.pending.is_empty() {
            self.write_pending()?;
        }
        Ok(self.writer.finish()?)
    }

    fn write_pending(&mut self) -> Result<(), RecordError> {
        self.writer.section(SECTION, &frame::encode(&self.pending))?;
        self.pending.clear();
        Ok(())
    }
}

impl AsRef<Writer> for GameWriter {
    fn as_ref(&self) -> &Writer {
        &self.writer
    }
}

/// Reads the games of a file, each checked against the rules.
pub struct GameReader {
    reader: Reader,
    frames_left: usize,
    frame: vec::IntoIter<Game>,
    number: u64,
    failed: bool,
}

impl GameReader {
    /// Opens a file of games.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        Ok(Self::new(Reader::open(path, Kind::Games)?, usize::MAX))
    }

    fn new(reader: Reader, frames_left: usize) -> Self {
        Self { reader, frames_left, frame: vec![].into_iter(), number: 0, failed: false }
    }

    /// What the games were made from.
    pub fn provenance(&self) -> &Provenance {
        self.reader.provenance()
    }

    /// The size of the file, to tell how far reading it is.
    pub fn bytes(&self) -> u64 {
        self.reader.bytes()
    }

    /// How much of it has been read.
    pub fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }

    /// The checksum of the content, once the iterator has come to its end without an error.
    pub fn sha256(&self) -> Option<&str> {
        self.reader.sha256()
    }

    /// After an error: goes on with the next whole frame behind what is damaged; false where there
    /// is none. There is no checksum of the whole then.
    pub fn resynchronize(&mut self) -> Result<bool, RecordError> {
        Ok(self.reader.resynchronize()?)
    }

    /// The games of the next frame; `None` at the end of the file. An alternative to reading
    /// them one by one, not to be mixed with it.
    pub fn next_frame(&mut self) -> Result<Option<Vec<Game>>, RecordError> {
        let section = self.next_games()?;
        section.map(|section| self.decode(&section.content)).transpose()
    }

    /// The outlines of the next frame's games; `None` at the end of the file.
    pub fn next_outlines(&mut self) -> Result<Option<Vec<Outline>>, RecordError> {
        let Some(section) = self.next_games()? else { return Ok(None) };
        let outlines = self.outlines(&section.content)?;
        self.number += outlines.len() as u64;
        Ok(Some(outlines))
    }

    /// The games of the next frame with their outlines; `None` at the end of the file.
    pub fn next_outlined_frame(&mut self) -> Result<Option<Vec<(Outline, Game)>>, RecordError> {
        let Some(section) = self.next_games()? else { return Ok(None) };
        let games = self.decode(&section.content)?;
        Ok(Some(self.outlines(&section.content)?.into_iter().zip(games).collect()))
    }

    fn outlines(&self, content: &[u8]) -> Result<Vec<Outline>, RecordError> {
        frame::outlines(content).map_err(|error| self.wrong(error))
    }

    fn next_games(&mut self) -> Result<Option<Section>, FileError> {
        while let Some(section) = self.next_section()? {
            if section.name == SECTION {
                return Ok(Some(section));
            }
        }
        Ok(None)
    }

    /// Passes by this many games, or those that are left where there are fewer; returns how many.
    /// Whole frames are not looked into. Not to be mixed with [`Self::next_frame`].
    pub fn pass_by(&mut self, games: u64) -> Result<u64, RecordError> {
        let mut passed = 0;
        while passed < games {
            if self.frame.next().is_some() {
                passed += 1;
                continue;
            }
            let Some(section) = self.next_section()? else { break };
            let count = frame::games_in(&section.content);
            if section.name != SECTION {
                continue;
            }
            if count <= games - passed {
                self.number += count;
                passed += count;
            } else {
                self.frame = self.decode(&section.content)?.into_iter();
            }
        }
        Ok(passed)
    }

    /// Passes by the next frame; how many games it says it has, and `None` at the end of the file.
    /// Not to be mixed with reading games one by one.
    pub fn pass_by_frame(&mut self) -> Result<Option<u64>, RecordError> {
        let games = self.next_games()?.map(|section| frame::games_in(&section.content));
        self.number += games.unwrap_or(0);
        Ok(games)
    }

    fn next_section(&mut self) -> Result<Option<Section>, FileError> {
        if self.frames_left == 0 {
            return Ok(None);
        }
        self.frames_left -= 1;
        self.reader.next().transpose()
    }

    fn decode(&mut self, content: &[u8]) -> Result<Vec<Game>, RecordError> {
        let games = frame::decode(content).map_err(|error| self.wrong(error))?;
        self.number += games.len() as u64;
        Ok(games)
    }

    /// The error for the frame read last.
    fn wrong(&self, error: FrameError) -> RecordError {
        match error {
            FrameError::Columns(reason) => self.reader.meaningless(reason.to_owned()).into(),
            FrameError::Game(index, source) => {
                let (path, number) =
                    (self.reader.path().to_owned(), self.number + index as u64 + 1);
                RecordError::Game { path, number, source }
            }
        }
    }
}

impl Iterator for GameReader {
    type Item = Result<Game, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            if let Some(game) = self.frame.next() {
                return Some(Ok(game));
            }
            match self.next_frame() {
                Ok(Some(games)) => self.frame = games.into_iter(),
                Ok(None) => return None,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::board::transcript::Replay;
    use crate::board::{Position, Square};
    use crate::random::Generator;
    use crate::record::Solved;

    /// A game of random moves, broken off after `moves`.
    fn random_game(seed: u64, moves: usize) -> Game {
        let mut random = Generator::new(seed);
        let mut replay = Replay::from_start(&[]).unwrap();
        while replay.steps.len() < moves && replay.end.moves() != 0 {
            let legal = replay.end.moves();
            let choice = random.below(legal.count_ones()) as usize;
            replay.push(Square::nth(legal, choice).unwrap()).unwrap();
        }
        let squares: Vec<Square> = replay.steps.iter().map(|step| step.square).collect();
        Game::new(random.below(squares.len() as u32 + 1) as u8, &squares).unwrap()
    }

    fn any_game() -> impl Strategy<Value = Game> {
        let score = any::<Option<(u8, i8)>>();
        (any::<u64>(), 0..61usize, score, any::<bool>(), any::<u64>()).prop_map(
            |(seed, moves, solved, values, deviations)| {
                let mut game = random_game(seed, moves);
                let count = game.squares().len();
                if let Some((ply, score)) = solved {
                    let ply = ply % (count as u8 + 1);
                    let black_score = i32::from(score) / 4 * 2;
                    game = game.with_solved(Solved { ply, black_score }).unwrap();
                }
                if values {
                    let value = |n: usize| (!n.is_multiple_of(3)).then_some((n * 2) as i8 - 64);
                    game = game.with_values((0..count).map(value).collect()).unwrap();
                }
                if deviations & 3 != 0 {
                    let played = (1 << count) - 1;
                    game = game.with_deviations(deviations & played).unwrap();
                }
                game
            },
        )
    }

    fn begin(path: &Path) -> GameWriter {
        match GameWriter::begin(path, &Provenance::new("test"), Existing::Keep).unwrap() {
            Begin::Writer(writer) => writer,
            Begin::Done(_) => panic!("complete"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn games_are_read_as_they_were_written(games in vec(any_game(), 0..20)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("random.games");
            let mut writer = begin(&path);
            games.iter().for_each(|game| writer.push(game.clone()).unwrap());
            let sha256 = writer.finish().unwrap().sha256;
            let mut reader = GameReader::open(&path).unwrap();
            let there: Vec<Game> = reader.by_ref().map(|game| game.unwrap()).collect();
            prop_assert_eq!(&there, &games);
            let (mut outlined, mut plain) = (vec![], vec![]);
            let mut again = GameReader::open(&path).unwrap();
            while let Some(frame) = again.next_outlined_frame().unwrap() {
                outlined.extend(frame);
            }
            let mut again = GameReader::open(&path).unwrap();
            while let Some(frame) = again.next_outlines().unwrap() {
                plain.extend(frame);
            }
            prop_assert!(outlined.iter().map(|(_, game)| game).eq(&games));
            prop_assert!(outlined.iter().map(|(outline, _)| outline).eq(&plain));
            for (one, outline) in games.iter().zip(&plain) {
                prop_assert_eq!(outline.random_plies, one.random_plies());
                for (other, of_other) in games.iter().zip(&plain) {
                    let same = one.squares() == other.squares();
                    prop_assert_eq!(same, outline.ordinals == of_other.ordinals);
                }
            }
            prop_assert_eq!(reader.sha256(), Some(sha256.as_str()));
        }

        #[test]
        fn any_frame_is_read_or_refused(bytes in vec(any::<u8>(), 0..300), count in 0..5u8) {
            let bytes = [&[count, 0, 0, 0], &bytes[..]].concat();
            if let Ok(games) = frame::decode(&bytes) {
                prop_assert_eq!(games.len(), usize::from(count));
            }
        }
    }

    #[test]
    fn a_frame_read_is_a_frame_written() {
        let games: Vec<Game> = (0..30).map(|seed| random_game(seed, 60)).collect();
        let bytes = frame::encode(&games);
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            if let Ok(read) = frame::decode(&other) {
                assert!(read != games, "byte {at} says nothing");
            }
        }
        for length in 0..bytes.len() {
            assert!(frame::decode(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn an_impossible_move_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.games");
        let mut bytes = frame::encode(&[random_game(1, 60), random_game(2, 10)]);
        let last = bytes.len() - 1;
        bytes[last] = 99;
        let begun = Writer::begin(&path, Kind::Games, &Provenance::new("test"), Existing::Keep);
        let Begin::Writer(mut writer) = begun.unwrap() else { panic!("complete") };
        writer.section("something newer", b"ignored").unwrap();
        writer.section(SECTION, &bytes).unwrap();
        writer.finish().unwrap();
        let error = GameReader::open(&path).unwrap().last().unwrap().unwrap_err().to_string();
        assert!(error.contains("bad.games: game 2: move 10 is said to be number 99"), "{error}");
    }

    #[test]
    fn a_killed_writer_goes_on_at_a_frame() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, path) = (folder.path().join("whole.games"), folder.path().join("some.games"));
        let games: Vec<Game> = (0..600).map(|seed| random_game(seed, 20)).collect();
        let mut writer = begin(&whole);
        games.iter().for_each(|game| writer.push(game.clone()).unwrap());
        writer.finish().unwrap();

        let mut writer = begin(&path);
        games[..300].iter().for_each(|game| writer.push(game.clone()).unwrap());
        drop(writer);
        let mut writer = begin(&path);
        assert_eq!((writer.resumed_games(), writer.resumed_frames()), (256, 1));
        assert!(writer.reread().unwrap().map(|game| game.unwrap()).eq(games[..256].to_vec()));
        games[256..].iter().for_each(|game| writer.push(game.clone()).unwrap());
        writer.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&whole).unwrap());
    }

    #[test]
    fn frames_may_be_the_callers_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.games");
        let mut writer = begin(&path);
        writer.write_frame(&[]).unwrap();
        writer.write_frame(&[random_game(1, 60)]).unwrap();
        drop(writer);
        let writer = begin(&path);
        assert_eq!((writer.resumed_games(), writer.resumed_frames()), (1, 2));
        writer.finish().unwrap();
        assert_eq!(GameReader::open(&path).unwrap().count(), 1);
    }

    /// The worst case: nothing repeats in random games.
    #[test]
    fn a_game_takes_at_most_50_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("random.games");
        let mut writer = begin(&path);
        let games = 2_000;
        for seed in 0..games {
            let game = random_game(seed, 60);
            let black_score = game.black_score().unwrap();
            writer.push(game.with_solved(Solved { ply: 48, black_score }).unwrap()).unwrap();
        }
        let bytes = writer.finish().unwrap().bytes;
        println!("{:.2} bytes a game", bytes as f64 / games as f64);
        assert!(bytes <= 50 * games);
    }

    #[test]
    fn positions_follow_from_the_moves() {
        let game = random_game(5, 60);
        let replay = game.replay();
        assert_eq!(replay.steps[0].position, Position::START);
        assert!(replay.steps.iter().enumerate().all(|(i, s)| s.position.ply() as usize == i));
    }
}
