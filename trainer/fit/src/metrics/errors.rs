//! An evaluation's errors on groups of positions: by phase, value, region (opening, midgame,
//! endgame), and number of empty squares.

use othello_engine::board::{PHASES, Phase};
use othello_engine::eval::{STEPS_PER_DISC, Value};
use othello_engine::record::{LABEL_STEPS_PER_DISC, ScoredPosition};
use serde::{Deserialize, Serialize};

use crate::backend::{Errors, RESIDUALS_PER_DISC};

/// A position and the error of the value that an evaluation gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Valued {
    /// The phase of the position.
    pub phase: Phase,
    /// The position with its label and its weight.
    pub row: ScoredPosition,
    /// The label minus the value, in 1/1024 disc.
    pub error: i32,
    /// The origin of the position; `None` if it is from a dataset, which does not store the origin.
    pub place: Option<Place>,
}

/// The file and the game from which a position was read, and the rule that labelled it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The index of the file, from 0, in the list of input files.
    pub file: usize,
    /// The number, from 1, of the game in the file. A position without a game counts as a game.
    pub game: u64,
    /// The index, from 0, of the label rule that gave the label; `None` if the file has the label.
    pub rule: Option<u8>,
}

impl Valued {
    /// Creates a position with its error; `None` for a full board, which has no phase.
    pub fn new(row: ScoredPosition, value: Value, place: Option<Place>) -> Option<Self> {
        let error = label(&row) - value.steps() * (RESIDUALS_PER_DISC / STEPS_PER_DISC);
        Some(Self { phase: Phase::of(&row.position())?, row, error, place })
    }

    /// Returns the evaluation's value for the side to move, in 1/1024 disc.
    pub fn value(&self) -> i32 {
        label(&self.row) - self.error
    }
}

/// Returns the label in 1/1024 disc.
fn label(row: &ScoredPosition) -> i32 {
    i32::from(row.label().steps()) * (RESIDUALS_PER_DISC / i32::from(LABEL_STEPS_PER_DISC))
}

/// Sums from which the bias (mean error) of values and its standard error are computed.
///
/// Positions of a game resemble each other. So the standard error treats each game as one
/// observation S = Σ weight · (label − value), with the weight W = Σ weight. Weights are in 1/64
/// occurrence, errors in 1/1024 disc. A position outside games counts as a game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, derive_more::Add)]
pub struct BiasSums {
    errors: Errors,
    /// Σ weight · (label − value) over all positions.
    signed: i128,
    games: u64,
    /// Σ over games of S², where S is the game's Σ weight · (label − value).
    signed_squared: i128,
    /// Σ over games of S · W: the game's Σ weight · (label − value), times its Σ weight.
    signed_by_weight: i128,
    /// Σ over games of W², where W is the game's Σ weight.
    weight_squared: i128,
    open_signed: i128,
    open_weight: i128,
}

impl BiasSums {
    /// Adds a position of a game: its weight (64 is one occurrence), and label − value in
    /// 1/[`RESIDUALS_PER_DISC`] disc. Call [`Self::end_game`] after a game's last position.
    pub fn add(&mut self, weight: u16, error: i32) {
        self.errors.add(weight, error);
        let signed = i128::from(weight) * i128::from(error);
        self.signed += signed;
        self.open_signed += signed;
        self.open_weight += i128::from(weight);
    }

    /// Ends the current game. Has no effect if no position was added since the last game ended.
    pub fn end_game(&mut self) {
        let [signed, weight] = [&mut self.open_signed, &mut self.open_weight].map(std::mem::take);
        if weight > 0 {
            self.games += 1;
            self.signed_squared += signed * signed;
            self.signed_by_weight += signed * weight;
            self.weight_squared += weight * weight;
        }
    }

    fn bias(&self) -> Option<f64> {
        let unit = self.errors.weight as f64 * f64::from(RESIDUALS_PER_DISC);
        (unit > 0.0).then(|| -self.signed as f64 / unit)
    }

    /// Returns the standard error of the bias in discs (Cochran, Sampling Techniques, chapter 6).
    fn bias_error(&self) -> Option<f64> {
        let (games, weight) = (self.games as f64, self.errors.weight as f64);
        let mean = (self.games > 1).then(|| self.signed as f64 / weight)?;
        let squares = self.signed_squared as f64 - 2.0 * mean * self.signed_by_weight as f64
            + mean * mean * self.weight_squared as f64;
        let variance = (squares * games / (games - 1.0)).max(0.0);
        Some(variance.sqrt() / weight / f64::from(RESIDUALS_PER_DISC))
    }
}

/// The errors of a group of positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GroupErrors {
    /// The number of positions.
    pub positions: u64,
    /// The bias: the mean of value − label, in discs; `None` without positions.
    pub bias: Option<f64>,
    /// The standard error of the bias in discs, one sample for each game; `None` below two games.
    pub bias_error: Option<f64>,
    /// The mean absolute error in discs, with values clamped to ±64; `None` without positions.
    pub mae: Option<f64>,
    /// The mean squared error in discs²; `None` without positions.
    pub mse: Option<f64>,
}

impl From<&BiasSums> for GroupErrors {
    fn from(sums: &BiasSums) -> Self {
        let errors = &sums.errors;
        Self {
            positions: errors.positions,
            bias: sums.bias(),
            bias_error: sums.bias_error(),
            mae: errors.mae(),
            mse: errors.mse(),
        }
    }
}

/// The values, in discs, that separate neighbouring groups of positions by value. A position with
/// such a value belongs to the group above.
const BOUNDS: [i32; 8] = [-40, -24, -12, -4, 4, 12, 24, 40];

/// The first and the last phase of each region of the game, and its name.
const REGIONS: [(usize, usize, &str); 3] =
    [(0, 19, "opening"), (20, 39, "midgame"), (40, PHASES - 1, "endgame")];

type EmptiesTest = fn(usize) -> bool;

const BY_EMPTIES: [(&str, EmptiesTest); 5] = [
    ("13 to 18", |empties| (13..=18).contains(&empties)),
    ("19 to 24", |empties| (19..=24).contains(&empties)),
    ("25 to 30", |empties| (25..=30).contains(&empties)),
    ("even", |empties| empties % 2 == 0),
    ("odd", |empties| empties % 2 == 1),
];

/// The errors of the positions of a phase, that is, with one number of empty squares.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PhaseErrors {
    /// The phase.
    pub phase: Phase,
    /// The number of empty squares of the positions.
    pub empties: usize,
    /// The errors of the phase's positions.
    #[serde(flatten)]
    pub errors: GroupErrors,
}

/// The errors of a group of positions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Group {
    /// The name of the group. A group has the positions of a range of values in discs (`-4 to 4`),
    /// of a range of phases (`midgame (20 to 39)`), or of some numbers of empty squares (`even`).
    pub name: String,
    /// The errors of the group's positions.
    #[serde(flatten)]
    pub errors: GroupErrors,
}

fn empties(phase: Phase) -> usize {
    PHASES - phase.index()
}

/// In the array of a [`Tally`], the index of the sums for phase 0; the other phases follow. Index 0
/// has the sums for all positions.
const PHASE: usize = 1;
const VALUE: usize = PHASE + PHASES;
const REGION: usize = VALUE + BOUNDS.len() + 1;
const EMPTIES: usize = REGION + REGIONS.len();
const GROUPS: usize = EMPTIES + BY_EMPTIES.len();

#[derive(Clone, Debug)]
pub(super) struct Tally([BiasSums; GROUPS]);

impl Default for Tally {
    fn default() -> Self {
        Self([BiasSums::default(); GROUPS])
    }
}

impl Tally {
    pub(super) fn add_game(mut self, game: &[Valued]) -> Self {
        for valued in game {
            let weight = valued.row.weight().steps();
            groups_of(valued).for_each(|group| self.0[group].add(weight, valued.error));
        }
        self.0.iter_mut().for_each(BiasSums::end_game);
        self
    }

    pub(super) fn plus(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(own, of_others)| *own = *own + of_others);
        self
    }

    pub(super) fn all(&self) -> GroupErrors {
        (&self.0[0]).into()
    }

    pub(super) fn phases(&self) -> impl Iterator<Item = PhaseErrors> {
        let phases = Phase::all().zip(&self.0[PHASE..]);
        phases.map(|(phase, sums)| {
            let (empties, errors) = (empties(phase), sums.into());
            PhaseErrors { phase, empties, errors }
        })
    }

    pub(super) fn by_empties(&self) -> Vec<Group> {
        self.named(EMPTIES, BY_EMPTIES.map(|(name, _)| name.to_owned()))
    }

    pub(super) fn by_value(&self) -> Vec<Group> {
        let [first, .., last] = BOUNDS;
        let between = BOUNDS.windows(2).map(|bounds| format!("{} to {}", bounds[0], bounds[1]));
        let below = [format!("below {first}")].into_iter().chain(between);
        self.named(VALUE, below.chain([format!("{last} and above")]))
    }

    pub(super) fn by_region(&self) -> Vec<Group> {
        self.named(REGION, REGIONS.map(|(from, to, name)| format!("{name} ({from} to {to})")))
    }

    /// Returns the groups at the indices from `first` on, one for each of `names`, with that name.
    /// Omits groups without positions.
    fn named(&self, first: usize, names: impl IntoIterator<Item = String>) -> Vec<Group> {
        let groups = names.into_iter().zip(self.0[first..].iter().map(GroupErrors::from));
        let groups = groups.map(|(name, errors)| Group { name, errors });
        groups.filter(|group| group.errors.positions > 0).collect()
    }
}

fn groups_of(valued: &Valued) -> impl Iterator<Item = usize> {
    let (phase, empties) = (valued.phase.index(), empties(valued.phase));
    let value = BOUNDS.iter().filter(|&&bound| valued.value() >= bound * RESIDUALS_PER_DISC);
    let region = REGIONS.iter().filter(|&&(_, last, _)| phase > last);
    let by_empties = (0..BY_EMPTIES.len()).filter(move |&group| BY_EMPTIES[group].1(empties));
    let others = [0, PHASE + phase, VALUE + value.count(), REGION + region.count()];
    others.into_iter().chain(by_empties.map(|group| EMPTIES + group))
}

#[cfg(test)]
mod tests {
    use othello_engine::board::Position;
    use othello_engine::random::Generator;
    use othello_engine::record::{Label, ScoredPosition, Weight};

    use super::*;

    const DISC: i32 = RESIDUALS_PER_DISC;

    #[test]
    fn the_standard_error_is_the_spread_over_samples_of_games() {
        let mut random = Generator::split(1, 2);
        let mut sample = || {
            let mut sums = BiasSums::default();
            for _ in 0..200 {
                let of_game = random.below(9) as i32 - 4;
                for _ in 0..=random.below(6) {
                    sums.add(64, (of_game + random.below(5) as i32 - 2) * DISC);
                }
                sums.end_game();
            }
            GroupErrors::from(&sums)
        };
        let samples: Vec<GroupErrors> = (0..2_000).map(|_| sample()).collect();
        let mean = |of: &dyn Fn(&GroupErrors) -> f64| samples.iter().map(of).sum::<f64>() / 2_000.0;
        let bias = mean(&|one| one.bias.unwrap());
        let spread = mean(&|one| (one.bias.unwrap() - bias).powi(2)).sqrt();
        let said = mean(&|one| one.bias_error.unwrap());
        assert!((said / spread - 1.0).abs() < 0.05, "{said} said, {spread} seen");
    }

    #[test]
    fn sums_of_games_add_up_and_one_game_has_no_standard_error() {
        let sums = |games: &[[i32; 2]]| {
            let mut sums = BiasSums::default();
            for game in games {
                game.iter().for_each(|error| sums.add(32, error * DISC));
                sums.end_game();
                sums.end_game();
            }
            sums
        };
        let one = sums(&[[1, 4]]);
        assert_eq!(GroupErrors::from(&one).bias_error, None);
        assert_eq!(one + sums(&[[-2, 7], [0, 3]]), sums(&[[1, 4], [-2, 7], [0, 3]]));
        assert_eq!(GroupErrors::from(&BiasSums::default()).bias, None);
    }

    fn valued(phase: usize, value: i32, error: i32) -> Valued {
        let label = Label::of_discs(f64::from(value + error)).expect("a label");
        let row = ScoredPosition::new(Position::START, label, Weight::ONE);
        Valued { phase: Phase::new(phase).unwrap(), row, error: error * DISC, place: None }
    }

    fn tally(games: &[&[Valued]]) -> Tally {
        let add = |tally: Tally, game: &&[Valued]| tally.add_game(game);
        let (first, second) = games.split_at(games.len() / 2);
        let [first, second] = [first, second].map(|games| games.iter().fold(Tally::default(), add));
        first.plus(second)
    }

    fn names(groups: &[Group]) -> Vec<(&str, u64, f64)> {
        let filled = groups.iter().filter_map(|group| Some((group, group.errors.bias?)));
        filled.map(|(group, bias)| (&*group.name, group.errors.positions, bias)).collect()
    }

    #[test]
    fn values_fall_in_their_groups_and_bias_is_above_0_where_they_are_too_high() {
        let values = [(-64, 1), (-40, 1), (-4, 2), (3, -4), (4, 0), (61, 3)];
        let game = values.map(|(value, error)| valued(30, value, error));
        let found = tally(&[&game]);
        let expected = [
            ("below -40", 1, -1.0),
            ("-40 to -24", 1, -1.0),
            ("-4 to 4", 2, 1.0),
            ("4 to 12", 1, 0.0),
            ("40 and above", 1, -3.0),
        ];
        assert_eq!(names(&found.by_value()), expected);
        assert_eq!(found.by_value()[2].errors.mae, Some(3.0));
    }

    #[test]
    fn phases_fall_in_regions_and_in_groups_by_empty_squares() {
        let games = [(19, 1), (30, 2), (35, 6), (36, -3), (47, 4), (48, 0)];
        let games = games.map(|(phase, error)| [valued(phase, 0, -error)]);
        let found = tally(&games.each_ref().map(|game| &game[..]));
        let regions = [
            ("opening (0 to 19)", 1, 1.0),
            ("midgame (20 to 39)", 3, 5.0 / 3.0),
            ("endgame (40 to 59)", 2, 2.0),
        ];
        assert_eq!(names(&found.by_region()), regions);
        // The positions have 41, 30, 25, 24, 13 and 12 empty squares.
        let groups = [
            ("13 to 18", 1, 4.0),
            ("19 to 24", 1, -3.0),
            ("25 to 30", 2, 4.0),
            ("even", 3, -1.0 / 3.0),
            ("odd", 3, 11.0 / 3.0),
        ];
        assert_eq!(names(&found.by_empties()), groups);
        let with_positions = found.phases().filter(|row| row.errors.positions > 0);
        let empties: Vec<usize> = with_positions.map(|row| row.empties).collect();
        assert_eq!(empties, [41, 30, 25, 24, 13, 12]);
        assert_eq!((found.all().positions, found.all().bias), (6, Some(10.0 / 6.0)));
    }
}
