use std::path::{Path, PathBuf};
use std::{fmt, iter};

use anyhow::{Context as _, Result, ensure};
use othello_cli::arguments::{number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::board::StatedPosition;
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::file::{Existing, Kind, check_output, kind_of, plain};
use othello_engine::progress::Progress;
use othello_engine::record::record_files;
use othello_engine::search::{Pruning, Selectivity};
use othello_engine::text_table::table;
use serde::Serialize;

use super::picture::Picture;
use crate::dataset::Subset;
use crate::experiments::ComparedErrors;
use crate::metrics::{
    ErrorLimits, ErrorsByGame, Explainer, Explanation, Group, GroupErrors, Measured, Measuring,
    Overlap, PhaseErrors, TestGames, Total, Trained, Valued, WorstPosition,
};
use crate::model::Phases;
use crate::source::LabelRules;

/// `--max-bias` is checked only for numbers of empty squares with at least this many positions.
const ENOUGH_FOR_BIAS: u64 = 100;

#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Weights: a file, `none` (all values are 0), `mobility` (moves and corners) or `embedded`
    weights: WeightsChoice,
    /// Records of games or positions. If the first path is a second evaluation, such as a weights
    /// file, the command also prints the difference of the two evaluations' errors in each phase,
    /// with its 99 % confidence interval
    #[arg(required_unless_present = "explain")]
    data: Vec<PathBuf>,
    /// Measure only this subset of the data, split and labelled as for the fit of the weights
    #[arg(long, value_name = "SUBSET", value_enum)]
    subset: Option<Subset>,
    /// Instead of errors, print the contributions to the value of this board: 64 characters for a1
    /// b1 … h8, and the side to move
    #[arg(long, value_name = "BOARD", allow_hyphen_values = true, conflicts_with_all = ["data", "subset", "picture", "max_mae", "max_bias", "depth"])]
    explain: Option<String>,
    #[arg(long, value_name = "D", default_value_t = 0, value_parser = number_in(0..=60_u32))]
    depth: u32,
    #[arg(long, value_name = "PERCENT", default_value_t, requires = "depth")]
    selectivity: Selectivity,
    #[arg(long, value_name = "A..B", default_value = "0..59")]
    phases: Phases,
    #[arg(long, value_name = "RULES")]
    labels: Option<LabelRules>,
    #[arg(long, value_name = "X", value_parser = largest_error)]
    max_mae: Option<f64>,
    /// Exit with status 1 if the absolute bias exceeds this many discs at any number of empty
    /// squares that has at least 100 positions
    #[arg(long, value_name = "X", value_parser = largest_error)]
    max_bias: Option<f64>,
    /// List the N positions with the largest errors, with the game, the kind of the label, the
    /// contribution of each pattern, and board and label as a line for `othello-engine evaluate`
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number_from(0_usize))]
    worst: usize,
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[arg(long)]
    force: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Loss {
    /// The depth of the searches in plies; 0 for static values.
    depth: u32,
    /// The errors by phase.
    phases: Vec<PhaseErrors>,
    /// The errors of all phases together.
    #[serde(flatten)]
    all: GroupErrors,
    /// True if the errors are within `--max-mae` and `--max-bias`; null if neither flag was given.
    passed: Option<bool>,
    /// The errors by range of the computed value (not of the label), the lowest values first.
    by_value: Vec<Group>,
    /// The errors in the opening, the midgame and the endgame.
    by_region: Vec<Group>,
    /// The errors by number of empty squares: by range (13–18, 19–24, 25–30), and by parity.
    by_group: Vec<Group>,
    /// The difference of the errors of two weights files, if two are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Paired>,
    /// The test games that are also in the training data of the weights. Only training files in the
    /// folders of the test files and of the weights are compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    training_has: Vec<Overlap>,
    /// The positions with the largest errors; absent without `--worst`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    worst: Vec<WorstPosition>,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phases = self.phases.iter().filter(|row| row.errors.positions > 0);
        let phases =
            phases.map(|row| (row.phase.to_string(), row.empties.to_string(), &row.errors));
        let rows = phases.chain([("all".to_owned(), String::new(), &self.all)]);
        let rows = rows.map(|(phase, empties, errors)| {
            let [positions, bias, bias_error, mae, mse] = error_cells(errors);
            [phase, empties, positions, bias, bias_error, mae, mse]
        });
        let [positions, bias, error, mae, mse] = COLUMNS;
        let columns = ["phase", "empties", positions, bias, error, mae, mse];
        writeln!(f, "{}", table(columns, rows))?;
        let groups =
            [("empties", &self.by_group), ("value", &self.by_value), ("region", &self.by_region)];
        for (name, groups) in groups {
            let rows = groups.iter().map(|group| {
                let [positions, bias, bias_error, mae, mse] = error_cells(&group.errors);
                [group.name.clone(), positions, bias, bias_error, mae, mse]
            });
            let columns = [name, positions, bias, error, mae, mse];
            writeln!(f, "\n{}", table(columns, rows))?;
        }
        if let Some(Paired { first, second, games, errors }) = &self.difference {
            writeln!(f)?;
            errors.print(f, [first, second], &format!("{games} games"))?;
            writeln!(f)?;
        }
        let mut warnings = self.training_has.iter().filter_map(Overlap::warning);
        warnings.try_for_each(|line| writeln!(f, "\n{line}"))?;
        if self.worst.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nthe largest errors\n{}", worst_table(&self.worst))?;
        writeln!(f, "\nas board lines with their labels, for `othello-engine evaluate`")?;
        self.worst.iter().try_for_each(|worst| writeln!(f, "{}", worst.line))
    }
}

const COLUMNS: [&str; 5] = ["positions", "bias", "std error", "MAE", "MSE"];

fn error_cells(errors: &GroupErrors) -> [String; 5] {
    let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
    let GroupErrors { positions, bias, bias_error, mae, mse } = *errors;
    let bias = bias.map_or("-".into(), |bias| format!("{bias:+.3}"));
    [positions.to_string(), bias, number(bias_error), number(mae), number(mse)]
}

/// The mean absolute errors of two evaluations by phase, and their differences with 99 % confidence
/// intervals, which are estimated by resampling the games.
#[derive(Serialize, schemars::JsonSchema)]
struct Paired {
    /// The first evaluation: the path of its weights file, or a word such as `embedded`.
    first: String,
    /// The second evaluation: the path of its weights file, or a word such as `embedded`.
    second: String,
    /// The number of games. A position that is not part of a game counts as one game.
    games: usize,
    #[serde(flatten)]
    errors: ComparedErrors,
}

/// Splits `data` into the second evaluation, if `data` begins with one, and the paths of records. A
/// word such as `none` names an evaluation only if paths follow it and no file has this name.
fn second(data: &[PathBuf]) -> (Option<WeightsChoice>, &[PathBuf]) {
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

impl Arguments {
    fn rules(&self) -> LabelRules {
        self.labels.clone().unwrap_or_default()
    }

    fn difference(&self, second: &WeightsChoice, progress: &dyn Progress) -> Result<Paired> {
        ensure!(
            self.subset.is_none() && self.depth == 0,
            "--subset and --depth measure one evaluation: name one weights file"
        );
        let test = TestGames::read(usize::MAX, &self.data, &self.rules(), progress)?;
        let games = test.games.len();
        ensure!(games > 1, "{games} games with labels; a difference needs two");
        let errors = |choice| anyhow::Ok(ErrorsByGame::of(&Evaluator::load(choice)?, &test));
        let pairs = [[errors(&self.weights)?, errors(second)?]];
        let phases: Vec<_> = self.phases.iter().collect();
        let errors = ComparedErrors::of(&pairs, &phases, ComparedErrors::SMALLEST);
        let (errors, _) = errors.context("no position is in --phases")?;
        let (first, second) = (self.weights.to_string(), second.to_string());
        Ok(Paired { first, second, games, errors })
    }

    fn measure(&self, session: &Session) -> Result<Measured> {
        let evaluator = Evaluator::load(&self.weights)?;
        let measuring = Measuring {
            evaluator: &evaluator,
            depth: self.depth,
            pruning: Pruning::new(&evaluator, self.selectivity)?,
            phases: self.phases.0.clone(),
            worst: self.worst,
        };
        let progress = session.progress();
        if let Some(subset) = self.subset {
            let unknown = "does not record its training data; only weights of `fit` do";
            let unknown = || format!("--subset: {} {unknown}", self.weights);
            let trained = Trained::of(&self.weights)?.with_context(unknown)?;
            let rows = trained.subset(subset, &self.data, self.labels.as_ref(), progress)?;
            return Ok(measuring.positions(rows, progress)?);
        }
        Ok(measuring.files(&self.data, &self.rules(), progress)?)
    }

    fn training_has(
        &self,
        second: Option<&WeightsChoice>,
        sha256: &[String],
        progress: &dyn Progress,
    ) -> Result<Vec<Overlap>> {
        let mut found = vec![];
        for weights in iter::once(&self.weights).chain(second) {
            let Some(trained) = Trained::of(weights)? else { continue };
            let files = self.data.iter().zip(sha256);
            let (own, others): (Vec<_>, Vec<_>) = files.partition(|it| trained.knows(it.1));
            let others: Vec<PathBuf> = others.into_iter().map(|it| it.0.clone()).collect();
            for (path, _) in own {
                progress.message(&format!(
                    "{}: the weights were fitted to this file, so this is not a test error; \
                     --subset test measures the held-out positions of the training data",
                    path.display()
                ));
            }
            let named = (&*weights.to_string(), weights.path());
            found.extend(trained.overlap(&others, named, &self.rules(), progress)?);
        }
        Ok(found)
    }

    fn verdict(&self, measured: &Measured) -> ErrorLimits {
        let enough = measured.phases.iter().filter(|row| row.errors.positions >= ENOUGH_FOR_BIAS);
        let biases = enough.filter_map(|row| {
            Some((format!("bias with {} empty squares", row.empties), row.errors.bias?))
        });
        let unknown = format!("no number of empty squares has {ENOUGH_FOR_BIAS} positions");
        ErrorLimits::default()
            .with_max_mae(self.max_mae, "mean absolute error", measured.all.mae)
            .with("--max-bias", self.max_bias, biases, &unknown)
    }

    fn draw(&self, measured: &Measured) -> Result<()> {
        let Some(path) = &self.picture else { return Ok(()) };
        let by = if self.depth == 0 { String::new() } else { format!(", {} plies", self.depth) };
        let title = format!("{}{by} on {} positions", self.weights, measured.all.positions);
        let point = |row: &PhaseErrors| Some((row.phase.index() as f64, row.errors.mae?));
        let points = measured.phases.iter().map(point).collect();
        let picture = Picture {
            title: &title,
            x_label: "phase: discs played",
            y_label: "mean absolute error, discs",
            x_max: 59.0,
            lines: vec![(String::new(), points)],
        };
        Ok(plain::write(path, picture.svg()?.as_bytes(), Existing::by_force(self.force))?)
    }

    /// Loads the weights, to print what each contributes to a value. Fails for the evaluations
    /// `none` and `mobility`, which have no weights.
    fn explainer(&self) -> Result<Explainer> {
        let counted = self.weights != WeightsChoice::Embedded;
        Ok(Explainer { weights: self.weights.by_class()?.weights, counted })
    }

    fn describe(&self, worst: &[Valued]) -> Result<Vec<WorstPosition>> {
        let by_hand = matches!(self.weights, WeightsChoice::None | WeightsChoice::Mobility);
        let is_explained = !worst.is_empty() && !by_hand;
        let explainer = is_explained.then(|| self.explainer()).transpose()?;
        let (rules, explainer) = (self.rules(), explainer.as_ref());
        let describe = |it| Ok(WorstPosition::describe(it, &self.data, &rules, explainer)?);
        worst.iter().map(describe).collect()
    }
}

pub fn run(arguments: &Arguments, session: &Session) -> Result<Outcome> {
    if let Some(board) = &arguments.explain {
        let position = board.parse::<StatedPosition>().context("--explain")?.position;
        let explanation = arguments.explainer()?.explain(&position).context("--explain")?;
        return session.print(&Explanation { board: board.clone(), ..explanation });
    }
    let (second, data) = second(&arguments.data);
    ensure!(!data.is_empty(), "no data; name records of games or positions after the weights");
    let arguments = &Arguments { data: record_files(data)?, ..arguments.clone() };
    if let Some(path) = &arguments.picture {
        let data = arguments.data.iter().map(PathBuf::as_path);
        check_output(path, data.chain(arguments.weights.path()))?;
    }
    let difference = second.as_ref().map(|it| arguments.difference(it, session.progress()));
    let difference = difference.transpose()?;
    let measured = arguments.measure(session)?;
    let of = arguments.subset.map_or(String::new(), |subset| format!("the {subset} subset of "));
    ensure!(measured.all.positions > 0, "no position of --phases in {of}the data has a label");
    let (second, sha256) = (second.as_ref(), &measured.sha256);
    let training_has = arguments.training_has(second, sha256, session.progress())?;
    arguments.draw(&measured)?;
    let verdict = arguments.verdict(&measured);
    session.print(&Loss {
        depth: arguments.depth,
        difference,
        training_has,
        worst: arguments.describe(&measured.worst)?,
        phases: measured.phases,
        all: measured.all,
        passed: verdict.passed(),
        by_value: measured.by_value,
        by_region: measured.by_region,
        by_group: measured.by_group,
    })?;
    Ok(outcome(&verdict, session))
}

fn worst_table(worst: &[WorstPosition]) -> String {
    const SHOWN: usize = 3;
    let part = |part: &Total| format!("{} {:+.1}", part.name, part.discs);
    let cells = |worst: &WorstPosition| {
        let [value, label, error] =
            [worst.value, worst.label, worst.error].map(|discs| format!("{discs:+.2}"));
        let kind = worst.label_kind.clone().unwrap_or("-".to_owned());
        let game = worst.game.map_or("-".to_owned(), |game| game.to_string());
        let file = worst.file.clone().unwrap_or("-".to_owned());
        let parts: Vec<String> = worst.parts.iter().take(SHOWN).map(part).collect();
        [worst.ply.to_string(), value, label, error, kind, game, file, parts.join(", ")]
    };
    let columns = [
        "ply",
        "value",
        "label",
        "error",
        "<kind",
        "game",
        "<file",
        "<largest parts of the static value",
    ];
    table(columns, worst.iter().map(cells))
}

pub(super) fn outcome(limits: &ErrorLimits, session: &Session) -> Outcome {
    for failure in limits.failures() {
        session.progress().message(&format!("failed: {failure}"));
    }
    Outcome::wrong_if(limits.passed() == Some(false))
}

/// Parses a limit on errors in discs, which must be a finite number of at least 0.
pub(super) fn largest_error(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|discs: &f64| discs.is_finite() && *discs >= 0.0);
    discs.ok_or_else(|| "expected a number of discs, 0 or more".to_owned())
}
