//! The plan of a run: the settings that determine its parts.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::file::{Kind, Provenance};

/// Everything that determines the parts of a run and its output.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kind of the main output file; `None` if the output does not have the container format.
    /// In that case, the command itself checks whether the output is complete.
    pub kind: Option<Kind>,
    /// The provenance of the output: the settings and inputs that determine its content.
    pub provenance: Provenance,
    /// The stages of the run in order, at least one.
    pub stages: Vec<Stage>,
    /// If the run can be extended: the provenance key of the number of units in the first stage.
    /// `None` if every part depends on this number.
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
    /// Creates a stage of `units` units. Each part has `per_part` units, at least 1.
    pub fn new(name: impl Into<String>, units: u64, per_part: u64) -> Self {
        Self { name: name.into(), units, per_part: per_part.max(1) }
    }

    /// Returns the number of parts of the stage.
    pub fn parts(&self) -> u64 {
        self.units.div_ceil(self.per_part.max(1))
    }

    /// Returns the range of units of the part with this index.
    pub fn units_of(&self, index: u64) -> Range<u64> {
        let first = index.saturating_mul(self.per_part).min(self.units);
        first..first.saturating_add(self.per_part).min(self.units)
    }
}

impl Plan {
    /// Returns the provenance of a part. If the run can be extended, it omits the number of units.
    pub(super) fn provenance_of(&self, stage: usize, index: u64) -> Provenance {
        let name = self.stages.get(stage).map_or("", |stage| &stage.name);
        let part = json!({"stage": name, "index": index});
        self.without_growth(&self.provenance).with("run_part", part)
    }

    /// Returns the number of units of an existing output or run with the provenance `there`; `None`
    /// unless `there` differs from this run in this number only, and the number is not greater.
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
