use std::borrow::Cow;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::file::{Kind, Provenance};
use crate::text::Invalid;

/// Everything that determines the parts of a run and its output.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kind of file of the main output; `None` if the output is of another form, such as a
    /// folder or a report, which the command itself reads and checks.
    pub kind: Option<Kind>,
    /// The provenance of the output: the settings and inputs that determine its content.
    pub provenance: Provenance,
    /// The stages of the run in order, at least one.
    pub stages: Vec<Stage>,
    /// The entry of the provenance, such as `games`, that states the number of units of the first
    /// stage. A run with a greater number can extend this one; `None` if that is impossible.
    pub growing: Option<Cow<'static, str>>,
}

/// A stage of a run: units of work, divided into parts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stage {
    /// The name in progress messages, which ends with the unit in parentheses: `match (pairs)`.
    pub name: String,
    /// The number of units of work in the stage, such as games or positions.
    pub units: u64,
    /// The number of units in each part except the last, which may have fewer; at least 1.
    #[serde(rename = "units_per_part")]
    pub per_part: u64,
}

impl Stage {
    /// Creates a stage of `units` units of work, in parts of `per_part` units (0 counts as 1).
    pub fn new(name: impl Into<String>, units: u64, per_part: u64) -> Self {
        Self { name: name.into(), units, per_part: per_part.max(1) }
    }

    /// Returns the number of parts of the stage.
    pub fn parts(&self) -> u64 {
        self.units.div_ceil(self.per_part.max(1))
    }

    /// Returns the units of work of part `index`. Parts and units are counted from 0 in the stage.
    pub fn units_of(&self, index: u64) -> Range<u64> {
        let first = index.saturating_mul(self.per_part).min(self.units);
        first..first.saturating_add(self.per_part).min(self.units)
    }

    pub(super) fn count_of(&self, index: u64) -> u64 {
        let units = self.units_of(index);
        units.end - units.start
    }
}

impl Plan {
    /// Returns a part's provenance: its stage, its index, and the settings of the run, except the
    /// number that grows if the run is extended.
    pub(super) fn provenance_of(&self, stage: usize, index: u64) -> Provenance {
        let name = self.stages.get(stage).map_or("", |stage| &stage.name);
        let part = json!({"stage": name, "index": index});
        self.without_growth(&self.provenance).with("run_part", part)
    }

    /// Returns the number of units of an earlier run or output with the provenance `there`; `None`
    /// if this plan cannot extend it, because another setting differs or the plan has fewer units.
    pub(super) fn beginning(&self, there: &Provenance) -> Option<u64> {
        let key = self.growing.as_ref()?;
        let units = there.get(key)?.as_u64()?;
        let same = self.without_growth(there) == self.without_growth(&self.provenance);
        (same && units <= self.stages.first()?.units).then_some(units)
    }

    fn without_growth(&self, provenance: &Provenance) -> Provenance {
        let growing = self.growing.iter();
        growing.fold(provenance.clone(), |provenance, key| provenance.without(key))
    }
}

/// One of `count` processes that share a run, numbered from 1 and written as `7/100`. It makes the
/// parts whose index is congruent to `number` − 1 modulo `count`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, derive_more::Display)]
#[display("{}/{}", self.number, self.count)]
pub struct Shard {
    number: u64,
    count: u64,
}

impl Shard {
    /// The only shard of a run that is not divided among processes.
    pub const WHOLE: Self = Self { number: 1, count: 1 };

    /// Returns the shard that makes the part with the index `part` if `count` shards share the run.
    pub const fn of_part(part: u64, count: u64) -> Self {
        Self { number: part % count + 1, count }
    }

    /// Returns the number of this shard, counted from 1.
    pub const fn number(self) -> u64 {
        self.number
    }

    /// Returns the number of shards that share the run.
    pub const fn count(self) -> u64 {
        self.count
    }

    /// Returns true if this shard makes all parts of the run.
    pub const fn is_whole(self) -> bool {
        self.count == 1
    }

    /// Returns whether this shard makes the part with this index.
    pub const fn makes(self, part: u64) -> bool {
        part % self.count == self.number - 1
    }

    /// Returns true if both shards, whose `count` may differ, have a part index in common.
    pub const fn overlaps(self, other: Self) -> bool {
        let common = greatest_common_divisor(self.count, other.count);
        (self.number - 1) % common == (other.number - 1) % common
    }
}

const fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

impl FromStr for Shard {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let numbers = text.split_once('/').and_then(|(number, count)| {
            Some(Self { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        let shard = numbers.filter(|shard| (1..=shard.count).contains(&shard.number));
        let expected = "I/N with I from 1 to N, such as 7/100";
        shard.ok_or_else(|| Invalid::not(text, "a shard", expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_belongs_to_one_shard() {
        for count in 1..20 {
            for part in (0..50).chain([u64::MAX]) {
                let makers = (1..=count).filter(|&number| Shard { number, count }.makes(part));
                assert_eq!(makers.collect::<Vec<_>>(), [Shard::of_part(part, count).number()]);
            }
        }
    }

    #[test]
    fn shards_overlap_if_a_part_belongs_to_both() {
        let all =
            || (1..8).flat_map(|count| (1..=count).map(move |number| Shard { number, count }));
        for one in all() {
            for other in all() {
                let common = (0..one.count * other.count).any(|p| one.makes(p) && other.makes(p));
                assert_eq!(one.overlaps(other), common, "{one} {other}");
            }
        }
    }

    #[test]
    fn shards_are_read_and_written() {
        assert_eq!("7/100".parse::<Shard>().unwrap().to_string(), "7/100");
        for bad in ["", "1", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
