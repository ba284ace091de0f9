//! Bias and error of groups of positions: of each phase, by what the value is, and by region of the game.

use othello_engine::board::Phase;
use serde::Serialize;

use crate::backend::{Errors, RESIDUALS_PER_DISC};

/// Bounds of groups by value, in discs: from one of them, the next group begins.
const BOUNDS: [i32; 8] = [-40, -24, -12, -4, 4, 12, 24, 40];

/// The phases from which a region of the game begins, and what it is called.
const REGIONS: [(usize, &str); 3] = [(0, "opening"), (20, "midgame"), (40, "endgame")];

/// Sums over positions.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) errors: Errors,
    /// Σ weight, in 1/64 occurrence.
    weight: u64,
    /// Σ weight · (label − value), in 1/[`RESIDUALS_PER_DISC`] disc.
    signed: i128,
}

impl Sums {
    /// Adds a position: its weight in 1/64 occurrence, and the label less the value in
    /// 1/[`RESIDUALS_PER_DISC`] disc.
    pub(super) fn add(&mut self, weight: u16, error: i32) {
        self.errors.add(weight, error);
        self.weight += u64::from(weight);
        self.signed += i128::from(weight) * i128::from(error);
    }

    /// Adds other positions.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            errors: self.errors.plus(other.errors),
            weight: self.weight + other.weight,
            signed: self.signed + other.signed,
        }
    }

    /// The bias: by how much the values are too high on average, in discs; `None` without positions.
    pub(super) fn bias(&self) -> Option<f64> {
        let unit = self.weight as f64 * f64::from(RESIDUALS_PER_DISC);
        (self.weight > 0).then(|| -self.signed as f64 / unit)
    }
}

/// The errors of some positions.
#[derive(Clone, Copy, Serialize)]
pub(super) struct GroupErrors {
    pub(super) positions: u64,
    /// The bias: by how much the values are too high on average, in discs.
    pub(super) bias: Option<f64>,
    /// Mean absolute error in discs, the value clamped to ±64.
    pub(super) mae: Option<f64>,
    /// Mean squared error in discs².
    pub(super) mse: Option<f64>,
}

impl From<&Sums> for GroupErrors {
    fn from(sums: &Sums) -> Self {
        let errors = &sums.errors;
        let (mae, mse) = (errors.mae(), errors.mse());
        Self { positions: errors.positions, bias: sums.bias(), mae, mse }
    }
}

impl GroupErrors {
    /// The row of the group in a table for people.
    pub(super) fn cells(&self, name: impl ToString) -> [String; 5] {
        let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
        let bias = self.bias.map_or("-".into(), |bias| format!("{bias:+.3}"));
        let positions = self.positions.to_string();
        [name.to_string(), positions, bias, number(self.mae), number(self.mse)]
    }
}

/// Positions that have something in common.
#[derive(Serialize)]
pub(super) struct Group {
    /// The settings that they have in common.
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) errors: GroupErrors,
}

/// A group with a name; `None` without positions.
fn group(name: String, sums: &Sums) -> Option<Group> {
    let errors = GroupErrors::from(sums);
    (errors.positions > 0).then_some(Group { name, errors })
}

/// Positions grouped by the value that they got.
#[derive(Clone, Copy, Default)]
pub(super) struct ByValue([Sums; BOUNDS.len() + 1]);

impl ByValue {
    /// Adds a position with its value in 1/[`RESIDUALS_PER_DISC`] disc.
    pub(super) fn add(&mut self, value: i32, weight: u16, error: i32) {
        let begun = BOUNDS.iter().filter(|&&bound| value >= bound * RESIDUALS_PER_DISC);
        self.0[begun.count()].add(weight, error);
    }

    /// The groups that have positions, the lowest values first.
    pub(super) fn groups(&self) -> Vec<Group> {
        let name =
            |number: usize| match (number.checked_sub(1).map(|n| BOUNDS[n]), BOUNDS.get(number)) {
                (Some(from), Some(to)) => format!("{from} to {to}"),
                (None, Some(to)) => format!("below {to}"),
                (Some(from), None) => format!("{from} and above"),
                (None, None) => String::new(),
            };
        let numbered = self.0.iter().enumerate();
        numbered.filter_map(|(number, sums)| group(name(number), sums)).collect()
    }
}

/// The regions of the game that have positions, from the errors of all phases.
pub(super) fn by_region(phases: &[Sums]) -> Vec<Group> {
    let ends = REGIONS.iter().skip(1).map(|region| region.0).chain([phases.len()]);
    let regions = REGIONS.iter().zip(ends).map(|(&(from, name), end)| {
        let sums = phases[from..end].iter().fold(Sums::default(), |sum, phase| sum.plus(*phase));
        let last = Phase::new(end - 1).map_or(0, |phase| phase.index());
        group(format!("{name} ({from} to {last})"), &sums)
    });
    regions.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISC: i32 = RESIDUALS_PER_DISC;

    #[test]
    fn values_fall_in_their_groups_and_bias_is_above_0_where_they_are_too_high() {
        let mut by_value = ByValue::default();
        for (value, error) in [(-64, 1), (-40, 1), (-4, 2), (3, -4), (4, 0), (64, 3)] {
            by_value.add(value * DISC, 64, error * DISC);
        }
        let groups = by_value.groups();
        let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["below -40", "-40 to -24", "-4 to 4", "4 to 12", "40 and above"]);
        let GroupErrors { positions, bias, mae, .. } = groups[2].errors;
        assert_eq!((positions, bias, mae), (2, Some(1.0), Some(3.0)));
        assert_eq!(groups[4].errors.bias, Some(-3.0));
    }

    #[test]
    fn regions_are_made_of_their_phases() {
        let mut phases = [Sums::default(); 60];
        phases[19].add(64, DISC);
        phases[40].add(128, -DISC);
        phases[59].add(64, 2 * DISC);
        let groups = by_region(&phases);
        let found: Vec<(&str, Option<f64>)> =
            groups.iter().map(|group| (group.name.as_str(), group.errors.bias)).collect();
        assert_eq!(found, [("opening (0 to 19)", Some(-1.0)), ("endgame (40 to 59)", Some(0.0))]);
    }
}
