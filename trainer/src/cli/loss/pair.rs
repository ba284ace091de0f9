//! The difference of the errors of two evaluations on the same games.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::file::{Kind, kind_of};
use othello_engine::progress::Progress;
use serde::Serialize;

use super::Arguments;
use crate::experiments::ComparedErrors;
use crate::metrics::{ErrorsByGame, TestGames};

/// The mean absolute errors of two evaluations by phase; intervals come from resampled games.
#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct Paired {
    /// The first evaluation.
    first: String,
    /// The second evaluation.
    second: String,
    /// The number of games; a position outside games counts as one.
    games: usize,
    #[serde(flatten)]
    errors: ComparedErrors,
}

/// Returns the second evaluation, if the first path in `data` names one, and the other paths. A
/// word such as `none` is an evaluation only if paths follow it and no file has this name.
pub(super) fn second(data: &[PathBuf]) -> (Option<WeightsChoice>, &[PathBuf]) {
    let may_be_word = |path: &Path| data.len() > 1 && !path.exists();
    let named = |path: &Path| match path.to_str()?.parse().ok()? {
        WeightsChoice::File(path) if !matches!(kind_of(&path), Ok(Kind::Weights)) => None,
        choice => Some(choice).filter(|choice| choice.path().is_some() || may_be_word(path)),
    };
    match data.split_first().and_then(|(first, rest)| Some((named(first)?, rest))) {
        Some((choice, rest)) => (Some(choice), rest),
        None => (None, data),
    }
}

impl Paired {
    pub(super) fn measure(
        arguments: &Arguments,
        second: &WeightsChoice,
        progress: &dyn Progress,
    ) -> anyhow::Result<Self> {
        ensure!(
            arguments.subset.is_none() && arguments.depth == 0,
            "--subset and --depth measure one evaluation: name one weights file"
        );
        let games = TestGames::read(usize::MAX, &arguments.data, &arguments.rules(), progress)?;
        ensure!(games.len() > 1, "{} games with labels; a difference needs two", games.len());
        let errors = |choice| anyhow::Ok(ErrorsByGame::of(&Evaluator::load(choice)?, &games));
        let pairs = [[errors(&arguments.weights)?, errors(second)?]];
        let phases: Vec<_> = arguments.phases.iter().collect();
        let errors = ComparedErrors::of(&pairs, &phases, ComparedErrors::SMALLEST);
        let (errors, _) = errors.context("no position is in --phases")?;
        let (first, second) = (arguments.weights.to_string(), second.to_string());
        Ok(Self { first, second, games: games.len(), errors })
    }
}

impl fmt::Display for Paired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, games, errors } = self;
        let of = format!("{games} games");
        errors.print(f, [first, second], &of)
    }
}
