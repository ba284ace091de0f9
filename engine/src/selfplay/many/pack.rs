use std::collections::{BTreeMap, HashSet};

use rayon::prelude::*;

use super::{GAMES_PER_FRAME, Played};
use crate::file::Summary;
use crate::progress::Progress;
use crate::record::{Game, GameReader, GameWriter, RecordError, key_of_moves};
use crate::run;

const FRAMES_AT_ONCE: usize = 256;

/// Writes the games of all parts to the output file of the run, without repeated games.
pub fn pack(parts: &run::Run, progress: &dyn Progress) -> Result<Played, RecordError> {
    let stage = &parts.plan.stages[0];
    let mut packing = Packing {
        writer: GameWriter::over(parts.writer()?),
        tally: Tally::default(),
        frames: BTreeMap::new(),
    };
    progress.begin_stoppable("pack (parts)", 0, stage.parts());
    let frame_of = |number: u64| number / GAMES_PER_FRAME as u64;
    let standing = parts.standing / stage.per_part;
    if standing > 0 {
        // The last frame may have games of the next part: read again there, they are dropped.
        let end = (standing * stage.per_part).div_ceil(GAMES_PER_FRAME as u64);
        let mut there = GameReader::open(&parts.output)?;
        for frame in 0..end {
            packing.add(frame, there.next_frame()?.unwrap_or_default())?;
        }
        progress.advance(standing);
    }
    let at_once = rayon::current_num_threads() as u64;
    let mut next = standing;
    while next < stage.parts() {
        progress.check()?;
        let batch = next..(next + at_once).min(stage.parts());
        next = batch.end;
        let read = batch.into_par_iter().map(|index| {
            let frames = frames_of(parts, index)?;
            Ok((frame_of(stage.units_of(index).start), frames))
        });
        for (first, frames) in read.collect::<Result<Vec<_>, RecordError>>()? {
            for (frame, games) in (first..).zip(frames) {
                packing.add(frame, games)?;
            }
            progress.advance(1);
        }
    }
    packing.write()?;
    Ok(packing.tally.played(stage.units, Some(packing.writer.finish()?)))
}

pub(super) fn count(parts: &run::Run, progress: &dyn Progress) -> Result<Played, RecordError> {
    let (mut tally, mut games) = (Tally::default(), 0);
    for index in parts.own(0) {
        progress.check()?;
        for game in frames_of(parts, index)?.iter().flatten() {
            games += 1;
            tally.is_new(game);
        }
    }
    Ok(tally.played(games, None))
}

fn frames_of(parts: &run::Run, index: u64) -> Result<Vec<Vec<Game>>, RecordError> {
    let mut reader = GameReader::over(parts.part(0, index)?);
    std::iter::from_fn(|| reader.next_frame().transpose()).collect()
}

struct Packing {
    writer: GameWriter,
    tally: Tally,
    /// The games not yet written, by the index of their frame (compressed block) in the output. The
    /// last frame may be incomplete: a part of the run can begin in the middle of a frame.
    frames: BTreeMap<u64, Vec<Game>>,
}

impl Packing {
    fn add(&mut self, number: u64, games: Vec<Game>) -> Result<(), RecordError> {
        if self.frames.len() >= FRAMES_AT_ONCE && !self.frames.contains_key(&number) {
            self.write()?;
        }
        let Self { tally, frames, .. } = self;
        let new = games.into_iter().filter(|game| tally.is_new(game));
        frames.entry(number).or_default().extend(new);
        Ok(())
    }

    fn write(&mut self) -> Result<(), RecordError> {
        let frames = std::mem::take(&mut self.frames).into_values();
        self.writer.write_frames(&frames.collect::<Vec<_>>())
    }
}

#[derive(Default)]
pub(super) struct Tally {
    seen: HashSet<[u8; 16]>,
    games: u64,
    positions: u64,
}

impl Tally {
    pub(super) fn is_new(&mut self, game: &Game) -> bool {
        let new = self.seen.insert(key_of_moves(game.squares()));
        if new {
            self.count(game);
        }
        new
    }

    pub(super) fn count(&mut self, game: &Game) {
        self.games += 1;
        self.positions += game.positions() as u64;
    }

    pub(super) fn played(self, games: u64, summary: Option<Summary>) -> Played {
        let duplicates = games - self.games;
        Played { games: self.games, duplicates, positions: self.positions, summary }
    }
}
