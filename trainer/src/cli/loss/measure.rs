//! Values all positions of the data, or of a part of it, and keeps what is to be told.

use std::cmp::Reverse;

use othello_engine::board::Phase;
use othello_engine::cli::Session;
use othello_engine::eval::{Evaluate, Evaluator, STEPS_PER_DISC};
use othello_engine::progress::Progress as _;
use othello_engine::record::ScoredPosition;
use rayon::prelude::*;

use super::Arguments;
use super::groups::{ByValue, Sums};
use super::held_out::{Trained, trained};
use crate::backend::RESIDUALS_PER_DISC;
use crate::source::records::read_games;

/// A position, how far the value is off, and where the position is from.
#[derive(Clone, Copy)]
pub(super) struct Valued {
    pub(super) phase: Phase,
    pub(super) row: ScoredPosition,
    /// The label less the value, in 1/1024 disc.
    pub(super) error: i32,
    pub(super) place: Option<Place>,
}

/// The origin of a position.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The number of the file in the order given, counted from 0.
    pub(super) file: usize,
    /// The number of the game in it, or of the position in a file of positions, counted from 1.
    pub(super) game: u64,
    /// The rule that gave the label.
    pub(super) rule: Option<u8>,
}

/// The errors of all positions.
pub(super) struct Measured {
    /// The sums, one for each phase.
    pub(super) phases: Vec<Sums>,
    pub(super) by_value: ByValue,
    /// The positions with the largest errors, the largest first.
    pub(super) worst: Vec<Valued>,
}

/// Values all positions of the data, or of a part of it.
pub(super) fn measure(arguments: &Arguments, session: &Session) -> anyhow::Result<Measured> {
    let measuring = Measuring { arguments, evaluator: Evaluator::load(&arguments.weights)? };
    let mut found = Measured {
        phases: vec![Sums::default(); Phase::all().len()],
        by_value: ByValue::default(),
        worst: vec![],
    };
    if let Some(part) = arguments.part {
        let (labels, progress) = (arguments.labels.as_ref(), session.progress());
        let rows = trained(&arguments.weights)?.part(part, &arguments.data, labels, progress)?;
        measuring.add(&mut found, rows.into_par_iter().map(|row| (row, None)));
        return Ok(found);
    }
    let trained = Trained::of(&arguments.weights)?;
    let rules = arguments.rules();
    for (file, path) in arguments.data.iter().enumerate() {
        let mut games_before = 0;
        let sha256 = read_games(path, &rules, session.progress(), |games| {
            let numbered = games.par_iter().enumerate().flat_map_iter(|(number, game)| {
                let game_number = games_before + number as u64 + 1;
                game.iter().map(move |found| {
                    let place = Place { file, game: game_number, rule: found.rule };
                    (found.row, Some(place))
                })
            });
            measuring.add(&mut found, numbered);
            games_before += games.len() as u64;
        })?;
        if trained.as_ref().is_some_and(|trained| trained.knows(&sha256)) {
            session.progress().message(&format!(
                "{}: the weights were fitted to this file, so that the error is no test of them; --part \
                 test measures what was held out",
                path.display()
            ));
        }
    }
    Ok(found)
}

struct Measuring<'a> {
    arguments: &'a Arguments,
    evaluator: Evaluator,
}

impl Measuring<'_> {
    /// Values positions, adds their errors, and keeps the worst.
    fn add(
        &self,
        found: &mut Measured,
        rows: impl ParallelIterator<Item = (ScoredPosition, Option<Place>)>,
    ) {
        let valued: Vec<Valued> = rows
            .filter_map(|(row, place)| {
                let (phase, error) = self.error(&row)?;
                Some(Valued { phase, row, error, place })
            })
            .collect();
        for &Valued { phase, row, error, .. } in &valued {
            let (weight, label) = (row.weight().steps(), i32::from(row.label().steps()));
            found.phases[phase.index()].add(weight, error);
            found.by_value.add(label * (RESIDUALS_PER_DISC / 256) - error, weight, error);
        }
        if self.arguments.worst > 0 {
            found.worst.extend(valued);
        }
        let key = |valued: &Valued| (Reverse(valued.error.unsigned_abs()), valued.row);
        found.worst.sort_by_key(key);
        found.worst.truncate(self.arguments.worst);
    }

    /// The phase of a position and the label less the value; `None` for a full board, which has no phase,
    /// and for phases that are not asked for.
    fn error(&self, row: &ScoredPosition) -> Option<(Phase, i32)> {
        let position = row.position();
        let phase = Phase::of(&position)?;
        if !self.arguments.phases.0.contains(&phase) {
            return None;
        }
        let value = self.evaluator.value(&self.evaluator.state(&position), &position);
        let unit = RESIDUALS_PER_DISC / STEPS_PER_DISC;
        let label = i32::from(row.label().steps()) * (RESIDUALS_PER_DISC / 256);
        Some((phase, label - value.steps() * unit))
    }
}
