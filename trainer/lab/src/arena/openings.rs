//! Chooses the positions from which matches start.

use std::collections::HashSet;
use std::path::Path;

use othello_engine::board::transcript::Form;
use othello_engine::board::{Discs, Position, StatedPosition};
use othello_engine::file::{self, FileError};
use othello_engine::progress::Progress;
use othello_engine::random::Generator;
use othello_engine::record::PositionReader;
use othello_engine::text::Lines;
use othello_fit::source::DataError;

/// The settings for drawing openings from a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The number of openings.
    pub count: usize,
    /// The seed of the random draw.
    pub seed: u64,
    /// The largest absolute label, in discs, of a position that can be drawn. Positions of text
    /// files have no labels, and all of them can be drawn.
    pub within: Discs,
}

impl Choice {
    /// Returns random openings, no two equal up to symmetry. The file contains enumerated openings
    /// (only those with the most plies are used), positions, or text with a board or a transcript
    /// on each line. Too few openings are an error.
    pub fn draw(&self, path: &Path, progress: &dyn Progress) -> Result<Vec<Position>, DataError> {
        let mut openings = match file::kind_of(path) {
            // The reader refuses files of other kinds.
            Ok(_) => self.labelled(path)?,
            Err(FileError::Foreign { .. }) => text(path, progress)?,
            Err(error) => return Err(error.into()),
        };
        let listed = openings.len();
        openings.sort_unstable();
        // Symmetric images of an opening lead to the same games up to symmetry.
        let mut seen = HashSet::new();
        openings.retain(|position| seen.insert(position.canonical()));
        Generator::new(self.seed).shuffle(&mut openings);
        if openings.len() < self.count {
            let &Self { within, count: wanted, .. } = self;
            let found = openings.len();
            let reason = format!(
                "{found} openings up to symmetry, of {listed} to start from (labelled ones within \
                 {within} discs of even); expected {wanted}: name a longer list, or ask for fewer \
                 pairs"
            );
            return Err(FileError::refused(path, reason).into());
        }
        openings.truncate(self.count);
        Ok(openings)
    }

    fn labelled(&self, path: &Path) -> Result<Vec<Position>, DataError> {
        let mut reader = PositionReader::open(path)?;
        let mut rows = vec![];
        while let Some(frame) = reader.next_frame()? {
            rows.extend(frame);
        }
        let last_ply = rows.iter().map(|row| row.position().ply()).max();
        let enumerated = reader.is_enumerated();
        let wanted = rows.iter().filter(|row| {
            row.position().moves() != 0
                && row.label().discs().abs() <= f64::from(self.within)
                && (!enumerated || Some(row.position().ply()) == last_ply)
        });
        Ok(wanted.map(|row| row.position()).collect())
    }
}

fn text(path: &Path, progress: &dyn Progress) -> Result<Vec<Position>, DataError> {
    let mut lines = Lines::open(path)?;
    let mut openings: Vec<StatedPosition> = lines.next_lines(usize::MAX)?;
    Form::report(openings.iter().map(|opening| opening.form), progress);
    openings.retain(|opening| opening.position.moves() != 0);
    if openings.is_empty() {
        return Err(lines.ended_without("an unfinished game to play on").into());
    }
    Ok(openings.iter().map(|opening| opening.position).collect())
}

#[cfg(test)]
mod tests {
    use othello_engine::progress::Silent;
    use othello_testing::scratch;

    use super::*;

    #[test]
    fn the_seed_decides() {
        let text = "f5d6\nf5f4\nf5f6\nf5d6c3\nf5d6c4\nf5d6c5\nf5d6c6\nf5d6c7\n";
        let draw = |seed| {
            let choice = Choice { count: 4, seed, within: 64 };
            let drawn = |path: &Path| choice.draw(path, &Silent);
            scratch::with_file("openings.txt", text.as_bytes(), drawn).unwrap()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
