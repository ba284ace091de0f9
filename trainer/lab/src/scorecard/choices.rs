//! Compares the moves and values of players, and the scores of the solver, with known exact scores.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Instant;

use othello_engine::board::{Phase, Position, StatedPosition};
use othello_engine::eval::Evaluator;
use othello_engine::file::{Kind, kind_of, sha256_of_file};
use othello_engine::player::{ExternalEngine, Protocol};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::GameReader;
use othello_engine::search::{Limits, Pruning, Search, Searcher, Strength, TableError};
use othello_engine::test_suite::{Agreement, AgreementReport};
use othello_engine::text::Lines;
use othello_fit::metrics::{Group, GroupErrors, Measured, Measuring, PhaseErrors};
use othello_fit::source::LabelRules;
use serde::{Deserialize, Serialize};

use crate::arena::{Opening, Terms};
use crate::{LabError, Result};

/// Positions from OBF files with known scores and moves, and games that lead to them.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    /// The paths of the OBF files, each with the SHA-256 of the file.
    pub files: Vec<(PathBuf, String)>,
    lines: Vec<StatedPosition>,
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

    /// Finds games in `files` that reach the problems, because GTP programs need all earlier moves.
    pub fn find_games(&mut self, files: &[PathBuf], progress: &dyn Progress) -> Result<()> {
        let wanted: HashSet<Position> = self.lines.iter().map(|line| line.position).collect();
        for path in files.iter().filter(|path| matches!(kind_of(path), Ok(Kind::Games))) {
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
}

/// The moves that a player chose, compared with the best ones.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BestMoves {
    /// The depth of the search in plies; `None` for a GTP program, whose command line sets it.
    pub depth: Option<u32>,
    /// The ProbCut confidence (selectivity) of the search in percent; `None` for external programs.
    pub selectivity: Option<u32>,
    /// The number of positions in which the player was asked for a move.
    pub positions: usize,
    /// The agreement of the player's moves with the scores in the problem files.
    #[serde(flatten)]
    pub agreement: AgreementReport,
    /// For each position in which a program gave no legal move, the reason.
    pub failures: Vec<String>,
    /// The wall time in which the moves in all positions were chosen, in seconds.
    pub seconds: f64,
}

impl BestMoves {
    pub(super) fn by_search(
        evaluator: &Evaluator,
        (strength, pruning, nodes): (Strength, Pruning, Option<u64>),
        problems: &Problems,
        progress: &dyn Progress,
    ) -> Result<Self, TableError> {
        let begun = Instant::now();
        let selectivity = Some(pruning.selectivity().percent());
        let positions: Vec<Position> = problems.lines.iter().map(|line| line.position).collect();
        let depth = strength.depth;
        progress.begin(&format!("depth {depth} (positions)"), 0, positions.len() as u64);
        let limits = Limits { nodes, ..Limits::default() };
        let search = Search::new(evaluator).strength(strength).pruning(pruning).limits(limits);
        let found = search.find_all(&positions, progress)?;
        let mut agreement = Agreement::default();
        for (line, found) in problems.lines.iter().zip(found) {
            agreement.add(line, found.value, found.best);
        }
        let (depth, positions, failures) = (Some(depth), positions.len(), vec![]);
        let (agreement, seconds) = (agreement.report(), begun.elapsed().as_secs_f64());
        Ok(Self { depth, selectivity, positions, agreement, failures, seconds })
    }

    /// Asks a program for a move in each position for which the problem file has scores of moves. A
    /// GTP engine is asked only if a known game reaches the position, and chooses its own depth. An
    /// NBoard engine searches to `terms.depth`. Returns `None` if no position can be asked.
    pub(super) fn by_program(
        engine: &ExternalEngine,
        terms: Terms,
        problems: &Problems,
        progress: &dyn Progress,
    ) -> Option<Self> {
        let begun = Instant::now();
        let needs_games = engine.protocol == Protocol::Gtp;
        let opening = |line: &StatedPosition| match problems.reached.get(&line.position) {
            None if !needs_games => Some(Opening::without_path(line.position)),
            opening => opening.cloned(),
        };
        let stated = problems.lines.iter().filter(|line| !line.moves.is_empty());
        let asked = stated.filter_map(|line| Some((line, opening(line)?)));
        let (lines, openings): (Vec<_>, Vec<_>) = asked.unzip();
        if lines.is_empty() {
            return None;
        }
        progress.begin("moves (positions)", 0, lines.len() as u64);
        let (mut agreement, mut failures) = (Agreement::default(), vec![]);
        let answers = terms.moves(engine, &openings, progress);
        for (line, answer) in lines.iter().zip(answers) {
            match answer {
                Ok(square) => agreement.add_move(line, Some(square)),
                Err(misconduct) => failures.push(format!("it {misconduct}")),
            }
        }
        let (depth, positions) = ((!needs_games).then_some(terms.depth), lines.len());
        let (agreement, seconds) = (agreement.report(), begun.elapsed().as_secs_f64());
        Some(Self { depth, selectivity: None, positions, agreement, failures, seconds })
    }
}

/// The results of solving the endgame problems to the end of the game.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Solved {
    /// The number of endgame problems, each searched to the end of the game.
    pub positions: usize,
    /// The number of positions with a score in the problem files.
    pub stated: usize,
    /// The number of positions whose computed score equals the score in the file.
    pub right: usize,
    /// The number of nodes of the searches of all positions.
    pub nodes: u64,
    /// The wall time in which all positions were solved, in seconds.
    pub seconds: f64,
}

/// The size of each thread's transposition table in MiB, as in the command `solve`.
const HASH_MEGABYTES: usize = 64;

impl Solved {
    pub(super) fn by_search(
        evaluator: &Evaluator,
        problems: &Problems,
        progress: &dyn Progress,
    ) -> Result<Self, TableError> {
        let lines = &problems.lines;
        let search = Search::new(evaluator).hash_mb(HASH_MEGABYTES);
        let mut team = search.threads(rayon::current_num_threads()).team(lines.len())?;
        progress.begin("solve (positions)", 0, lines.len() as u64);
        let begun = Instant::now();
        let solutions = team.work(lines, |searcher: &mut Searcher<'_, Evaluator>, line| {
            let solution = searcher.solve(&line.position);
            progress.advance(1);
            (line.score, f64::from(solution.value.score()), solution.nodes)
        });
        let seconds = begun.elapsed().as_secs_f64();
        let is_right = |&&(stated, found, _): &&(Option<f64>, f64, u64)| stated == Some(found);
        Ok(Self {
            positions: solutions.len(),
            stated: solutions.iter().filter(|(stated, ..)| stated.is_some()).count(),
            right: solutions.iter().filter(is_right).count(),
            nodes: solutions.iter().map(|&(.., nodes)| nodes).sum(),
            seconds,
        })
    }
}

/// The errors of an evaluation on the positions of a file. An error is the difference between the
/// value, static or found by a search, and the score in the file.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ValueErrors {
    /// The path of the file with the positions.
    pub file: String,
    /// The SHA-256 of the file with the positions, as `sha256sum` prints it.
    pub sha256: String,
    /// The depth of the searches in plies; 0 for static values.
    pub depth: u32,
    /// The errors of all positions.
    #[serde(flatten)]
    pub all: GroupErrors,
    /// The errors for each range of the number of empty squares, such as 13 to 18, and the errors
    /// for all even and for all odd numbers. Groups without positions are omitted.
    pub by_group: Vec<Group>,
    /// The errors by number of empty squares, omitting numbers without positions.
    pub by_empties: Vec<PhaseErrors>,
}

impl ValueErrors {
    /// Measures the errors of static values (`depth` 0) or of searches to `depth` on the positions
    /// of a file. In a file of games, only positions with an exact score count.
    pub(super) fn measure(
        evaluator: &Evaluator,
        (path, depth): (&Path, u32),
        phases: RangeInclusive<Phase>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let pruning = Pruning::default();
        let measuring = Measuring { evaluator, depth, pruning, phases, worst: 0 };
        let rules: LabelRules = "all:exact".parse()?;
        let mut measured = measuring.files(&[path.to_owned()], &rules, progress)?;
        let sha256 = measured.sha256.pop().unwrap_or_default();
        let Measured { all, by_group, mut phases, .. } = measured;
        if all.positions == 0 {
            return Err(LabError::NoScores { path: path.to_owned() });
        }
        phases.retain(|row| row.errors.positions > 0);
        let file = path.display().to_string();
        Ok(Self { file, sha256, depth, all, by_group, by_empties: phases })
    }
}
