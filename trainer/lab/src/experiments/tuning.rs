//! Successive halving over the values of a recipe's entries (Jamieson and Talwalkar, Non-stochastic
//! Best Arm Identification and Hyperparameter Optimization, 2016). Many trials begin with little
//! data or few seeds; after each round, at most the better half continues, with more data or seeds.

use std::path::{Path, PathBuf};

use derive_more::Display;
use othello_engine::file::{FileError, Provenance, plain, read_ordinary};
use othello_engine::run::Stage;
use othello_engine::text::Invalid;
use othello_fit::dataset::Share;
use othello_fit::fit::FitError;
use othello_fit::metrics::GameErrors;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::fits::{Fitted, Study, Tested, digest};
use super::{
    AtAnEnd, CONFIDENCE, Choices, Difference, Estimate, Recipe, StudySettings, Values, Verdict,
};
use crate::{LabError, Result};

/// The settings of a search for the best values in a recipe.
#[derive(Clone, Debug)]
pub struct Tuning<'a> {
    /// The name of the recipe.
    pub name: &'a str,
    /// The file of the recipe.
    pub recipe: &'a Path,
    /// The values to try for each varied entry of the recipe.
    pub choices: &'a Choices,
    /// The combinations of values in the first round.
    pub trials: &'a [Values],
    /// The number of rounds. After each, the worse half of the trials, or more, is dropped. With
    /// `None`, there are as many rounds as leave two trials for the last one, but at most 5.
    pub rounds: Option<u32>,
    /// True if early rounds use fewer games for each fit, false if fewer seeds for each trial.
    pub by_data: bool,
    /// The number of fits of each combination in the last round, each with another seed.
    pub seeds: u64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Round {
    /// The number of the round, counted from 1.
    number: u32,
    share: Share,
    seeds: u64,
    most: usize,
    is_last: bool,
}

/// The result of a study that searches for the best values of settings.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Tuned {
    /// The name of the recipe.
    pub recipe: String,
    /// The trials, one for each combination in each round, in the order of the rounds.
    pub trials: Vec<Record>,
    /// The best combination in the last round: an object that maps each varied entry to its value.
    pub best: Json,
    /// The mean absolute error, in discs, of the best combination of values (`best`) in the last
    /// round, measured on the test games.
    pub mae: f64,
    /// The confidence level, 0 to 1, at which a trial is proven worse than the best.
    pub confidence: f64,
    /// The number of rounds; each fits all remaining combinations and drops the worse ones.
    pub rounds: u32,
    /// The settings whose best value is the smallest or the largest of the values tried, so that a
    /// value beyond it may be better.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_an_end: Vec<AtAnEnd>,
    /// The test games.
    #[serde(flatten)]
    pub tested: Tested,
    /// The wall time of the search for settings, in seconds.
    pub seconds: f64,
}

impl Tuning<'_> {
    /// Returns the stages of the run, one for each round. The unit of work in a stage is a fit.
    pub fn stages(&self) -> Vec<Stage> {
        let stage = |round: Round| {
            Stage::new(format!("round {} (fits)", round.number), round.most as u64 * round.seeds, 1)
        };
        self.rounds().map(stage).collect()
    }

    /// Returns the settings on which the stored results of the run depend.
    pub fn to_json(&self) -> Json {
        let values: Vec<String> = self.trials.iter().map(Values::id).collect();
        json!({"values": digest(&values), "by_data": self.by_data, "seeds": self.seeds})
    }

    /// Fits the combinations of values in rounds. Each round drops the worse ones; the last round
    /// uses all games and seeds.
    pub fn tune(&self, study: &Study<'_>) -> Result<Tuned> {
        let progress = study.progress;
        let file = RecordFile::open(&study.provenance, study.settings)?;
        let (mut records, mut trials): (Vec<Record>, _) = (vec![], self.trials.to_vec());
        for round in self.rounds() {
            let (number, rounds) = (round.number, self.rounds().len());
            if number > 1 && trials.len() < 2 && !round.is_last {
                let halved = not_proven_worse(&records).len();
                progress.message(&format!(
                    "one combination is left, {halved} others are not proven worse; round {number} \
                     of {rounds} is skipped"
                ));
                let skipped = |_| Ok::<Option<Fitted>, LabError>(None);
                study.run.steps(number as usize - 1, skipped, progress)?;
                continue;
            }
            progress.message(&format!(
                "round {number} of {rounds}: {} combinations, {} of the games, {} seeds",
                trials.len(),
                round.share,
                round.seeds
            ));
            let of_round = self.run_round(round, &trials, study)?;
            let mut outcomes = of_round.iter().map(|record| record.outcome);
            trials.retain(|_| outcomes.next().is_some_and(Standing::goes_on));
            records.extend(of_round);
            file.write(&records)?;
        }
        let best = records.iter().rev().find(|record| record.outcome == Standing::Best);
        let diverged = || Invalid("every fit diverged: lower the learning rates".to_owned());
        let best = best.ok_or_else(diverged)?;
        Ok(Tuned {
            recipe: self.name.to_owned(),
            at_an_end: self.choices.at_an_end(&best.values),
            best: best.values.clone(),
            mae: best.mae.unwrap_or(f64::NAN),
            rounds: records.last().map_or(0, |last| last.round),
            trials: records,
            confidence: CONFIDENCE,
            tested: study.tested(),
            seconds: study.seconds(),
        })
    }

    fn rounds(&self) -> impl ExactSizeIterator<Item = Round> {
        let rounds = self.rounds.unwrap_or_else(|| default_rounds(self.trials.len()));
        let (by_data, seeds, trials) = (self.by_data, self.seeds, self.trials.len());
        (1..rounds + 1).map(move |number| {
            let part = 0.5_f64.powi((rounds - number).cast_signed());
            let (share, seeds) = match by_data {
                // Every power of one half is a valid share.
                true => (Share::try_from(part).unwrap_or(Share::ALL), seeds),
                false => (Share::ALL, ((seeds as f64 * part).round() as u64).max(2)),
            };
            let most = trials.div_ceil(1 << (number - 1)).max(trials.min(2));
            Round { number, share, seeds, most, is_last: number == rounds }
        })
    }

    fn run_round(&self, round: Round, trials: &[Values], study: &Study<'_>) -> Result<Vec<Record>> {
        // Consecutive fits have the same seed and dataset. Units without a trial fit nothing.
        let fit = |unit: u64| {
            let (seed, number) = (unit / round.most as u64, (unit % round.most as u64) as usize);
            let Some(values) = trials.get(number) else { return Ok(None) };
            let recipe = Recipe::read_with(self.recipe, values)?;
            let settings = recipe.settings_with(seed, round.share);
            let name = format!("{}-{}-{seed}", values.id(), round.share);
            match study.fit(&recipe, &settings, &name) {
                Err(LabError::Fit(FitError::Diverged { .. })) => Ok(None),
                fitted => fitted.map(Some),
            }
        };
        let fitted = study.run.steps(round.number as usize - 1, fit, study.progress)?;
        let of_trial = |number: usize| {
            let fits = fitted.iter().skip(number).step_by(round.most);
            // If the fit with a seed diverged, only the seeds before it count.
            fits.map_while(Option::as_ref).map(|fit| Ok(study.errors(fit)?.on(&study.phases())))
        };
        let errors = (0..trials.len()).map(|number| of_trial(number).collect());
        let mut errors = errors.collect::<Result<Vec<Vec<GameErrors>>>>()?;
        let mae = |errors: &GameErrors| errors.mean_of_all().ok_or(LabError::NoTestPositions);
        let by_seed = errors.iter().map(|errors| errors.iter().map(mae).collect());
        let by_seed = by_seed.collect::<Result<Vec<Vec<f64>>>>()?;
        let diverged = errors.iter_mut().filter(|errors| errors.len() < round.seeds as usize);
        diverged.for_each(Vec::clear);
        let rows = trials.iter().zip(by_seed).zip(standings(&errors, round.is_last));
        let mean = |by_seed: &[f64]| by_seed.iter().sum::<f64>() / by_seed.len() as f64;
        let records = rows.map(|((values, by_seed), (outcome, difference))| Record {
            round: round.number,
            share: round.share,
            trial: values.id(),
            values: values.to_json(),
            name: values.to_string(),
            mae: (outcome != Standing::Diverged).then(|| mean(&by_seed)),
            by_seed,
            difference: difference.map(|it| it.difference),
            difference_error: difference.map(|it| it.difference_error),
            outcome,
        });
        Ok(records.collect())
    }
}

/// The standing of a trial (a combination of settings) after a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema, Display)]
#[display(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The trial (combination of settings) has the smallest error of the round.
    Best,
    /// The trial is not proven worse than the best, and continues if another round follows.
    Equal,
    /// The trial is not proven worse than the best, but ranks below the half that continues.
    Halved,
    /// The trial is proven worse than the best.
    Worse,
    /// The trial could not be fitted: its weights diverged.
    Diverged,
}

impl Standing {
    fn goes_on(self) -> bool {
        matches!(self, Self::Best | Self::Equal)
    }
}

/// Returns each trial's standing after a round, and its error minus that of the best trial (`None`
/// if it diverged). `trials` has each trial's errors by seed, or an empty vector if it diverged.
/// Of n trials that did not diverge, those proven worse than the best are `Worse`. Of the rest, the
/// max(2, ⌈n/2⌉) most accurate are `Best` or `Equal`, and the others `Halved` (`Equal` if `last`).
fn standings(trials: &[Vec<GameErrors>], last: bool) -> Vec<(Standing, Option<Estimate>)> {
    let mut found = vec![(Standing::Diverged, None); trials.len()];
    let mae = |trial: &Vec<GameErrors>| -> Option<f64> {
        let by_seed = trial.iter().map(GameErrors::mean_of_all);
        Some(by_seed.sum::<Option<f64>>()? / trial.len() as f64)
    };
    let fitted = trials.iter().enumerate().filter(|(_, trial)| !trial.is_empty());
    let mut order: Vec<(usize, f64)> =
        fitted.filter_map(|(number, trial)| Some((number, mae(trial)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let Some(&(best, _)) = order.first() else { return found };
    let most = if last { order.len() } else { order.len().div_ceil(2).max(2) };
    let mut kept = 0;
    for (number, _) in order {
        let difference = Difference::between(&trials[number], &trials[best]);
        let standing = match &difference {
            _ if number == best => Standing::Best,
            Some(difference) if difference.verdict() == Verdict::Second => Standing::Worse,
            _ if kept < most => Standing::Equal,
            _ => Standing::Halved,
        };
        kept += usize::from(standing.goes_on());
        found[number] = (standing, difference.map(|difference| difference.estimate()));
    }
    found
}

pub(super) fn not_proven_worse(records: &[Record]) -> Vec<&Record> {
    let last = records.last().map_or(0, |last| last.round);
    let is_open = |record: &&Record| match record.outcome {
        Standing::Halved => true,
        Standing::Equal => record.round == last,
        Standing::Best | Standing::Worse | Standing::Diverged => false,
    };
    records.iter().filter(is_open).collect()
}

fn default_rounds(trials: usize) -> u32 {
    trials.next_power_of_two().ilog2().clamp(1, 5)
}

/// The result of a trial: the fits of one combination of values in one round, one for each seed.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Record {
    /// The number of the round, counted from 1.
    pub round: u32,
    /// The share of the recipe's games to which the round fits.
    pub share: Share,
    /// The short name of the trial's combination of values. The weights of its fits are in the
    /// files `TRIAL-SHARE-SEED.weights`: TRIAL is this name, SHARE is the field `share`, and SEED
    /// is the index (from 0) of the fit's seed.
    pub trial: String,
    /// An object that maps the path of each varied entry, such as `settings.ridge`, to its value.
    pub values: Json,
    /// The values as a text, such as `ridge = 30`.
    #[serde(skip)]
    pub name: String,
    /// The mean absolute error in discs of the fit with each seed.
    pub by_seed: Vec<f64>,
    /// The mean of `by_seed`, in discs; null if a fit diverged.
    pub mae: Option<f64>,
    /// The trial's `mae` minus that of the round's best trial, in discs; null if a fit diverged.
    pub difference: Option<f64>,
    /// Half the width of the 99 % confidence interval of `difference`, in discs; null if a fit
    /// diverged.
    pub difference_error: Option<f64>,
    /// The standing of the trial after the round.
    pub outcome: Standing,
}

/// The file `trials.jsonl` of a study: the provenance, then one trial a line. New trials replace
/// old ones with the same round, share of games and values, so a resumed run writes no trial twice.
struct RecordFile {
    path: PathBuf,
    head: String,
    earlier: Vec<String>,
    is_forced: bool,
}

/// The largest size of `trials.jsonl` in bytes; 100,000 trials need less.
const LONGEST: u64 = 64 << 20;

fn key(line: &Json) -> [Option<&Json>; 3] {
    ["round", "share", "trial"].map(|field| line.get(field))
}

impl RecordFile {
    fn open(provenance: &Provenance, study: &StudySettings) -> Result<Self, FileError> {
        let path = study.out.join("trials.jsonl");
        let head = format!("{{\"provenance\":{}}}\n", provenance.canonical());
        let mut earlier = vec![];
        if !study.force {
            plain::check_head(&path, head.as_bytes())?;
            if path.exists() {
                let text = read_ordinary(&path, LONGEST)?;
                let lines = String::from_utf8_lossy(&text);
                earlier.extend(lines.lines().skip(1).map(str::to_owned));
            }
        }
        Ok(Self { path, head, earlier, is_forced: study.force })
    }

    fn write(&self, records: &[Record]) -> Result<(), FileError> {
        let own: Vec<Json> = records.iter().map(|record| json!(record)).collect();
        let is_own = |line: &&String| {
            let parsed = serde_json::from_str::<Json>(line);
            parsed.is_ok_and(|parsed| own.iter().any(|own| key(own) == key(&parsed)))
        };
        let of_others = self.earlier.iter().filter(|line| !is_own(line)).cloned();
        let lines = of_others.chain(own.iter().map(Json::to_string));
        let text = lines.fold(self.head.clone(), |text, line| text + &line + "\n");
        if !self.is_forced {
            plain::check_head(&self.path, self.head.as_bytes())?;
        }
        plain::replace(&self.path, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_halve_what_there_is_until_two_are_left() {
        let rounds = [1, 2, 3, 4, 5, 8, 9, 1000].map(default_rounds);
        assert_eq!(rounds, [1, 1, 2, 2, 3, 3, 4, 5]);
    }

    #[test]
    fn a_trial_that_was_only_halved_is_not_called_proven_worse() {
        let record = |round, outcome, name: &str| Record {
            round,
            share: Share::ALL,
            trial: String::new(),
            values: Json::Null,
            name: name.to_owned(),
            by_seed: vec![],
            mae: None,
            difference: None,
            difference_error: None,
            outcome,
        };
        let records = [
            record(1, Standing::Best, "a"),
            record(1, Standing::Equal, "b"),
            record(1, Standing::Halved, "c"),
            record(1, Standing::Worse, "d"),
            record(2, Standing::Best, "b"),
            record(2, Standing::Equal, "a"),
        ];
        let names: Vec<&str> = not_proven_worse(&records).iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["c", "a"]);
    }

    fn trial(mean: f64) -> Vec<GameErrors> {
        let seed = |seed: usize| {
            let of_game = |game: usize| mean + ((7 * game + seed) % 5) as f64 / 100.0;
            GameErrors::new((0..50).map(of_game).collect(), vec![1.0; 50])
        };
        vec![seed(0), seed(1)]
    }

    #[test]
    fn half_goes_on_and_what_is_proven_worse_does_not() {
        let means = [5.003, 5.001, 9.0, 5.0, 5.002];
        let mut trials: Vec<Vec<GameErrors>> = means.map(trial).to_vec();
        trials.push(vec![]);
        let of = |trials: &[Vec<GameErrors>], last| -> Vec<Standing> {
            standings(trials, last).into_iter().map(|(standing, _)| standing).collect()
        };
        use Standing::{Best, Diverged, Equal, Halved, Worse};
        // However small, a difference that is the same in all games is proven.
        assert_eq!(of(&trials, true)[2..4], [Worse, Best]);
        assert_eq!(of(&trials, false)[5], Diverged);
        let equal: Vec<Vec<GameErrors>> = (0..6).map(|_| trial(5.0)).collect();
        assert_eq!(of(&equal, false), [Best, Equal, Equal, Halved, Halved, Halved]);
        assert_eq!(of(&equal, true), [Best, Equal, Equal, Equal, Equal, Equal]);
        assert_eq!(of(&equal[..2], false), [Best, Equal]);
        assert_eq!(of(&[vec![], vec![]], true), [Diverged, Diverged]);
    }
}
