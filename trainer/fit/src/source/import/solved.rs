//! Collects the exactly scored positions of games.

use std::collections::HashSet;
use std::path::Path;

use othello_engine::board::{Position, Side};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, GameReader, Label, RecordError, ScoredPosition, Weight};

/// Positions with exact scores, in the order in which they were added, each once up to symmetry.
#[derive(Default)]
pub(super) struct Positions {
    pub(super) rows: Vec<ScoredPosition>,
    seen: HashSet<Position>,
}

impl Positions {
    /// Adds a game's solved position (the first with an exact score) or, if the side to move must
    /// pass, the position after the pass. Adds nothing if the game is over in that position.
    pub(super) fn add(&mut self, game: &Game) {
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

    /// Removes all positions of the games in a file. Returns the checksum of the file.
    pub(super) fn remove_those_of(
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
