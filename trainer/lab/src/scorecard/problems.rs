//! Positions with the exact scores of their moves, and the games that lead to them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use othello_engine::board::{Position, StatedPosition};
use othello_engine::file::{Kind, kind_of, sha256_of_file};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::GameReader;
use othello_engine::text::Lines;

use crate::arena::Opening;
use crate::{LabError, Result};

/// The positions of OBF files, with the scores and moves in the files, and games to the positions.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    /// The files, with their checksums.
    pub files: Vec<(PathBuf, String)>,
    pub(super) lines: Vec<StatedPosition>,
    reached: HashMap<Position, Opening>,
}

impl Problems {
    /// Reads problems from OBF files. A file without positions is an error.
    pub fn read(paths: &[PathBuf]) -> Result<Self> {
        let mut problems = Self::default();
        for path in paths {
            let lines: Vec<StatedPosition> = Lines::open(path)?.next_lines(usize::MAX)?;
            if lines.is_empty() {
                return Err(LabError::NoScores { path: path.clone() });
            }
            problems.lines.extend(lines);
            problems.files.push((path.clone(), sha256_of_file(path, &Silent)?));
        }
        Ok(problems)
    }

    /// Searches `files` for games that lead to the positions, and stores the games.
    pub fn find_games(&mut self, files: &[PathBuf], progress: &dyn Progress) -> Result<()> {
        let wanted: HashSet<Position> = self.lines.iter().map(|line| line.position).collect();
        for path in files {
            if !matches!(kind_of(path), Ok(Kind::Games)) {
                continue;
            }
            let mut games = GameReader::open(path)?;
            progress.begin_file(path, games.bytes());
            games.each_frame(progress, |games| {
                let openings = games.iter().flat_map(Opening::along);
                let openings = openings.filter(|opening| wanted.contains(&opening.position));
                self.reached.extend(openings.map(|opening| (opening.position, opening)));
                Ok::<_, LabError>(())
            })?;
        }
        Ok(())
    }

    /// Returns the positions with scores of moves, each as the opening to give to a program. If
    /// `needs_games`, omits positions to which no known game leads.
    pub(super) fn for_program(&self, needs_games: bool) -> Vec<(&StatedPosition, Opening)> {
        let stated = self.lines.iter().filter(|line| !line.moves.is_empty());
        let opening = |line: &StatedPosition| match self.reached.get(&line.position) {
            Some(opening) => Some(opening.clone()),
            None if needs_games => None,
            None => Some(Opening::without_path(line.position)),
        };
        stated.filter_map(|line| Some((line, opening(line)?))).collect()
    }
}
