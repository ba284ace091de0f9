//! Some games of files, or all of them in another order. What is chosen depends on a seed and on
//! what the files hold, and on nothing else; the games go through frame by frame, and a run that
//! was killed goes on after the frames that are written.

use std::path::{Path, PathBuf};

use othello_engine::file::{Begin, Existing, Provenance, Summary};
use othello_engine::progress::Progress;
use othello_engine::random::Generator;
use othello_engine::record::{Game, GameWriter, RecordError};

use super::sequence::Inputs;
use crate::dataset::{Part, Split};

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selected {
    /// Games in the file.
    pub games: u64,
    /// The file.
    pub summary: Summary,
}

/// A file that gets some of the games.
struct Output {
    /// `None` where the file is complete.
    writer: Option<GameWriter>,
    summary: Option<Summary>,
    already: u64,
    games: u64,
}

impl Output {
    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<Self, RecordError> {
        Ok(match GameWriter::begin(path, provenance, existing)? {
            Begin::Done(summary) => {
                Self { writer: None, summary: Some(summary), already: 0, games: 0 }
            }
            Begin::Writer(writer) => {
                progress.warn(writer.warning());
                let already = writer.resumed_games();
                Self { writer: Some(writer), summary: None, already, games: 0 }
            }
        })
    }

    /// Takes the next game, which may be in the file already.
    fn push(&mut self, game: Game) -> Result<(), RecordError> {
        self.games += 1;
        match &mut self.writer {
            Some(writer) if self.games > self.already => writer.push(game),
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<Selected, RecordError> {
        let written = self.writer.map(GameWriter::finish).transpose()?;
        let summary = written.or(self.summary).unwrap_or_else(|| Summary {
            sha256: String::new(),
            bytes: 0,
            sections: 0,
        });
        Ok(Selected { games: self.games, summary })
    }
}

/// Writes the games of each part of a split to a file of its own, in their order: the parts that
/// a fit with this split holds out, so that they can be measured elsewhere.
pub fn split(
    inputs: &Inputs,
    split: Split,
    outs: &[(Part, PathBuf); 3],
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Vec<Selected>, RecordError> {
    let provenance = inputs
        .provenance("split")
        .with("seed", split.seed)
        .with("validation_percent", split.validation_percent)
        .with("test_percent", split.test_percent);
    let mut outputs = vec![];
    for (part, path) in outs {
        let provenance = provenance.clone().with("part", format!("{part:?}").to_lowercase());
        outputs.push((*part, Output::begin(path, &provenance, existing, progress)?));
    }
    progress.begin("split (games)", 0, inputs.games());
    for game in inputs.from(0)? {
        let game = game?;
        progress.check()?;
        let of_game = split.of_game(&game);
        if let Some((_, output)) = outputs.iter_mut().find(|(part, _)| *part == of_game) {
            output.push(game)?;
        }
        progress.advance(1);
    }
    outputs.into_iter().map(|(_, output)| output.finish()).collect()
}

/// Writes this many of the games, or all where there are fewer, in their order; each set of so
/// many games is equally likely (selection sampling: Knuth, The Art of Computer Programming,
/// volume 2, algorithm 3.4.2 S).
pub fn sample(
    inputs: &Inputs,
    games: u64,
    seed: u64,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Selected, RecordError> {
    let provenance = inputs.provenance("sample").with("seed", seed).with("games", games);
    let mut output = Output::begin(out, &provenance, existing, progress)?;
    let mut random = Generator::new(seed);
    let (mut wanted, mut left) = (games.min(inputs.games()), inputs.games());
    progress.begin("sample (games)", 0, left);
    for game in inputs.from(0)? {
        let game = game?;
        progress.check()?;
        if below(&mut random, left) < wanted {
            wanted -= 1;
            output.push(game)?;
        }
        left = left.saturating_sub(1);
        progress.advance(1);
    }
    output.finish()
}

/// How many games are put in order at once: some hundred megabytes of them.
const GAMES_AT_ONCE: u64 = 1 << 20;

/// Writes all games in an order that the seed gives: that of a random number for each.
///
/// Where they are too many to be held, the files are read several times, each time for the games
/// whose numbers come next.
pub fn shuffle(
    inputs: &Inputs,
    seed: u64,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Selected, RecordError> {
    shuffle_within(GAMES_AT_ONCE, inputs, seed, out, existing, progress)
}

fn shuffle_within(
    at_once: u64,
    inputs: &Inputs,
    seed: u64,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Selected, RecordError> {
    let provenance = inputs.provenance("shuffle").with("seed", seed);
    let mut output = Output::begin(out, &provenance, existing, progress)?;
    let key = |number| Generator::split(seed, number).next_u64();
    let parts = inputs.games().div_ceil(at_once).max(1);
    progress.begin("shuffle (games read)", 0, inputs.games() * parts);
    for part in 0..parts {
        let is_here = |key: u64| (u128::from(key) * u128::from(parts)) >> 64 == u128::from(part);
        let keys: Vec<u64> = (0..inputs.games()).map(key).filter(|&key| is_here(key)).collect();
        if output.games + keys.len() as u64 <= output.already || output.writer.is_none() {
            // All of them are in the file.
            output.games += keys.len() as u64;
            progress.advance(inputs.games());
            continue;
        }
        let mut here = Vec::with_capacity(keys.len());
        for (number, game) in (0..).zip(inputs.from(0)?) {
            let game = game?;
            progress.check()?;
            if is_here(key(number)) {
                here.push((key(number), number, game));
            }
            progress.advance(1);
        }
        here.sort_unstable_by_key(|&(key, number, _)| (key, number));
        here.into_iter().try_for_each(|(_, _, game)| output.push(game))?;
    }
    output.finish()
}

/// A number below `bound`, all equally likely to within 2⁻³² of any that a file has games for.
fn below(random: &mut Generator, bound: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use othello_engine::board::{Square, Squares, transcript::Replay};
    use othello_engine::progress::Silent;
    use othello_engine::record::GameReader;

    use super::*;

    fn games(count: u64) -> Vec<Game> {
        let game = |number| {
            let mut random = Generator::split(7, number);
            let mut replay = Replay::from_start(&[]).unwrap();
            while replay.steps.len() < 12 && replay.end.moves() != 0 {
                let moves = replay.end.moves();
                let choice = random.below(moves.count_ones()) as usize;
                replay.push(Squares(moves).nth(choice).unwrap()).unwrap();
            }
            let squares: Vec<Square> = replay.steps.iter().map(|step| step.square).collect();
            Game::new(0, &squares).unwrap()
        };
        (0..count).map(game).collect()
    }

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn inputs(&self, games: &[Game]) -> Inputs {
            let path = self.path("all.games");
            let begun = GameWriter::begin(&path, &Provenance::new("test"), Existing::Keep).unwrap();
            if let Begin::Writer(mut writer) = begun {
                games.iter().for_each(|game| writer.push(game.clone()).unwrap());
                writer.finish().unwrap();
            }
            Inputs::count(&[path], &Silent).unwrap()
        }

        fn read(&self, name: &str) -> Vec<Game> {
            GameReader::open(&self.path(name)).unwrap().map(|game| game.unwrap()).collect()
        }
    }

    #[test]
    fn a_split_is_that_of_a_fit() {
        let folder = Folder::new();
        let games = games(1000);
        let by = Split { seed: 3, validation_percent: 20, test_percent: 10 };
        let outs = Part::ALL.map(|part| (part, folder.path(&format!("{part:?}.games"))));
        let inputs = folder.inputs(&games);
        let written = split(&inputs, by, &outs, Existing::Keep, &Silent).unwrap();
        for (part, written) in Part::ALL.into_iter().zip(&written) {
            let expected: Vec<&Game> =
                games.iter().filter(|game| by.of_game(game) == part).collect();
            assert!(folder.read(&format!("{part:?}.games")).iter().eq(expected));
            assert!(written.games > 50);
        }
        assert_eq!(written.iter().map(|part| part.games).sum::<u64>(), 1000);
        assert_eq!(split(&inputs, by, &outs, Existing::Keep, &Silent).unwrap(), written);
    }

    #[test]
    fn a_sample_has_as_many_games_as_wanted_from_everywhere() {
        let folder = Folder::new();
        let games = games(1000);
        let inputs = folder.inputs(&games);
        let take = |count, seed, name: &str| {
            let path = folder.path(name);
            sample(&inputs, count, seed, &path, Existing::Keep, &Silent).unwrap().games
        };
        assert_eq!(take(300, 1, "a"), 300);
        let chosen = folder.read("a");
        let mut all = games.iter();
        assert!(chosen.iter().all(|game| all.any(|other| other == game)), "not in their order");
        let late = chosen.iter().filter(|game| games[500..].contains(game)).count();
        assert!((110..190).contains(&late), "{late} of 300 from the second half");
        assert_eq!((take(300, 2, "b"), take(5000, 1, "c"), take(0, 1, "d")), (300, 1000, 0));
        assert_ne!(folder.read("b"), chosen);
        assert_eq!(folder.read("c"), games);
    }

    #[test]
    fn a_shuffle_keeps_all_games_whatever_is_held_at_once() {
        let folder = Folder::new();
        let games = games(1000);
        let inputs = folder.inputs(&games);
        let shuffled = |at_once, seed, name: &str| {
            let path = folder.path(name);
            shuffle_within(at_once, &inputs, seed, &path, Existing::Keep, &Silent).unwrap()
        };
        let whole = shuffled(u64::MAX, 1, "whole");
        assert_eq!(shuffled(150, 1, "parts"), whole);
        assert_eq!(shuffled(150, 1, "parts"), whole);
        let order = folder.read("whole");
        assert_ne!(order, games);
        let set =
            |games: &[Game]| games.iter().map(|g| g.squares().to_vec()).collect::<HashSet<_>>();
        assert_eq!((order.len(), set(&order)), (1000, set(&games)));
        let moved = order.iter().zip(&games).filter(|(one, other)| one != other).count();
        assert!(moved > 980);
        assert_ne!(shuffled(u64::MAX, 2, "other").summary.sha256, whole.summary.sha256);
        // A run that was killed after two frames.
        let bytes = std::fs::read(folder.path("whole")).unwrap();
        std::fs::write(folder.path("killed.partial"), &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(shuffled(150, 1, "killed"), whole);
        assert_eq!(std::fs::read(folder.path("killed")).unwrap(), bytes);
    }
}
