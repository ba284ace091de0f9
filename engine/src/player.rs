//! A player as one string: an evaluation with search settings, such as
//! `my.weights:depth=12,exact=20`, or another program, such as `gtp:COMMAND`.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::eval::{Evaluate, PruningError, WeightsChoice};
use crate::search::{EndgameSchedule, Level, Limits, Plan, Pruning, Selectivity, Strength};
use crate::text::{Invalid, excerpt};

/// A player. Its text form is `gtp:COMMAND`, `nboard:COMMAND`, or that of a [`WeightsSpec`].
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Display)]
pub enum PlayerSpec {
    /// The engine's own search with an evaluation.
    Weights(WeightsSpec),
    /// Another program, which plays by a text protocol.
    Program(ExternalEngine),
}

/// The engine's own search with an evaluation. Text form: `WEIGHTS[:KEY=VALUE,...]`. If there are
/// several colons, the keys begin after the last colon with valid keys behind it.
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Display)]
#[display("{weights}{search}")]
pub struct WeightsSpec {
    /// The weights of the evaluation.
    pub weights: WeightsChoice,
    /// The settings of the search that the player's text specifies.
    pub search: SearchSpec,
}

/// An external program that plays by GTP or NBoard.
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Display)]
#[display("{protocol}:{command}")]
pub struct ExternalEngine {
    /// The protocol of the program.
    pub protocol: Protocol,
    /// The shell command that starts the program.
    pub command: String,
}

/// A text protocol by which another program plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, derive_more::Display)]
#[display(rename_all = "lowercase")]
pub enum Protocol {
    /// The Go Text Protocol, version 2.
    Gtp,
    /// The NBoard protocol, version 2.
    Nboard,
}

/// The criterion by which a search ends a line: the number of its moves, or its probability.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, derive_more::Display)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[display(rename_all = "lowercase")]
pub enum SearchBy {
    /// Search all lines to the same number of moves
    #[default]
    Depth,
    /// Search likely lines deeper than unlikely ones: depth D ends a line once its moves have a
    /// joint probability of 4^-D or less. For study; in equal time, weaker than fixed-depth ProbCut
    Realization,
}

/// The search settings in a player's text. A field is `None` if the text does not state it. Missing
/// `depth`, `selectivity`, `exact` and `ends` come from the level or, without one, the command.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SearchSpec {
    /// The level of play.
    pub level: Option<Level>,
    /// The depth, in plies, of searches that do not go to the end of the game.
    pub depth: Option<u32>,
    /// The node limit of each search, if any. Exact play in matches and self-play can ignore it.
    pub nodes: Option<u64>,
    /// The time limit of each search in ms, if any. Exact play in matches can ignore it.
    pub milliseconds: Option<u64>,
    /// The ProbCut confidence of fixed-depth searches.
    pub selectivity: Option<Selectivity>,
    /// The number of empty squares at or below which searches solve positions exactly.
    pub exact: Option<u32>,
    /// The ProbCut confidences of endgame searches, by numbers of empty squares above `exact`.
    pub ends: Option<EndgameSchedule>,
    /// The criterion by which a search ends a line: number of moves (the default) or probability.
    pub search: Option<SearchBy>,
}

const KEYS: &str = "level, depth, nodes, ms, selectivity, exact, ends or search, each as KEY=VALUE";

/// The greatest number of milliseconds for a move: a day.
pub const MAX_MILLISECONDS: u64 = 86_400_000;

impl PlayerSpec {
    /// Returns the path of the weights file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Weights(own) => own.weights.path(),
            Self::Program(_) => None,
        }
    }

    /// Returns true for a GTP program, which must be sent all moves of a game, not only a position.
    pub fn needs_games(&self) -> bool {
        matches!(self, Self::Program(ExternalEngine { protocol: Protocol::Gtp, .. }))
    }
}

impl FromStr for PlayerSpec {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        for protocol in [Protocol::Gtp, Protocol::Nboard] {
            let prefix = format!("{protocol}:");
            if let Some(command) = text.strip_prefix(&prefix).map(str::trim) {
                if command.is_empty() {
                    let reason = format!("expected the command of a program after `{prefix}`");
                    return Err(Invalid(reason));
                }
                let command = command.to_owned();
                return Ok(Self::Program(ExternalEngine { protocol, command }));
            }
        }
        let choice = |text: &str| -> Result<WeightsChoice, Invalid> {
            text.parse().map_err(|Invalid(reason)| {
                Invalid(format!("{reason}; another program is `gtp:COMMAND` or `nboard:COMMAND`"))
            })
        };
        let mut refused = None;
        for (colon, _) in text.rmatch_indices(':') {
            let keys = &text[colon + 1..];
            match keys.parse() {
                Ok(search) => {
                    let weights = choice(&text[..colon])?;
                    return Ok(Self::Weights(WeightsSpec { weights, search }));
                }
                Err(error) if looks_like_keys(keys) => drop(refused.get_or_insert(error)),
                Err(_) => {}
            }
        }
        refused.map_or(Ok(()), Err)?;
        Ok(Self::Weights(choice(text)?.into()))
    }
}

impl FromStr for WeightsSpec {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        match text.parse()? {
            PlayerSpec::Weights(own) => Ok(own),
            PlayerSpec::Program(engine) => {
                Err(Invalid(format!("`{engine}` is another program; expected weights")))
            }
        }
    }
}

impl From<WeightsChoice> for WeightsSpec {
    fn from(weights: WeightsChoice) -> Self {
        Self { weights, search: SearchSpec::default() }
    }
}

fn looks_like_keys(text: &str) -> bool {
    text.split_once('=').is_some_and(|(key, _)| {
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    })
}

impl FromStr for SearchSpec {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let mut spec = Self::default();
        for pair in text.split(',') {
            let unknown = |key| Invalid::not(key, "a key of a search", KEYS);
            let (key, value) = pair.split_once('=').ok_or_else(|| unknown(pair))?;
            let key = key.trim();
            match key {
                "level" => put(&mut spec.level, key, value, str::parse),
                "depth" => put(&mut spec.depth, key, value, |v| whole(v, 1..=60)),
                "nodes" => put(&mut spec.nodes, key, value, |v| whole(v, 1..=u64::MAX)),
                "ms" => put(&mut spec.milliseconds, key, value, |v| whole(v, 1..=MAX_MILLISECONDS)),
                "selectivity" => put(&mut spec.selectivity, key, value, str::parse),
                "exact" => put(&mut spec.exact, key, value, |v| whole(v, 0..=60)),
                "ends" => put(&mut spec.ends, key, value, steps),
                "search" => put(&mut spec.search, key, value, |v| match v {
                    "depth" => Ok(SearchBy::Depth),
                    "realization" => Ok(SearchBy::Realization),
                    _ => Err("expected depth or realization"),
                }),
                _ => Err(unknown(key)),
            }?;
        }
        Ok(spec)
    }
}

fn put<'a, T, E: fmt::Display>(
    place: &mut Option<T>,
    key: &str,
    value: &'a str,
    parse: impl Fn(&'a str) -> Result<T, E>,
) -> Result<(), Invalid> {
    let invalid = |expected| Invalid(format!("`{key}={}`: {expected}", excerpt(value)));
    let parsed = parse(value.trim()).map_err(invalid)?;
    match place.replace(parsed) {
        Some(_) => Err(Invalid(format!("`{key}` is given twice; expected each key once"))),
        None => Ok(()),
    }
}

fn whole<T: FromStr + PartialOrd + fmt::Display>(
    text: &str,
    range: RangeInclusive<T>,
) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (first, last) = (range.start(), range.end());
    number.ok_or_else(|| format!("expected a whole number from {first} to {last}"))
}

/// Parses an endgame ProbCut schedule such as `20:73+18:95`, with `+` because commas separate keys.
fn steps(text: &str) -> Result<EndgameSchedule, String> {
    let parsed = text.replace('+', ",").parse::<EndgameSchedule>();
    parsed.map_err(|error| error.to_string().replace("20:73,18:95", "20:73+18:95"))
}

impl fmt::Display for SearchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, depth, nodes, milliseconds, selectivity, exact, ends, search } = self;
        let ends = ends.as_ref().map(|ends| ends.to_string().replace(',', "+"));
        let pairs = [
            ("level", level.map(|level| level.to_string())),
            ("depth", depth.map(|depth| depth.to_string())),
            ("nodes", nodes.map(|nodes| nodes.to_string())),
            ("ms", milliseconds.map(|milliseconds| milliseconds.to_string())),
            ("selectivity", selectivity.map(|selectivity| selectivity.to_string())),
            ("exact", exact.map(|exact| exact.to_string())),
            ("ends", ends),
            ("search", search.map(|search| search.to_string())),
        ];
        let given = pairs.into_iter().filter_map(|(key, value)| Some((key, value?)));
        given.enumerate().try_for_each(|(number, (key, value))| {
            write!(f, "{}{key}={value}", if number == 0 { ":" } else { "," })
        })
    }
}

impl SearchSpec {
    /// Returns these settings, with missing ones from `other`. If these settings have a level, it
    /// sets `depth`, `selectivity`, `ends` and `exact`, which therefore stay `None` if missing.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        let other = other.clone();
        let row = if self.level.is_some() { Self::default() } else { other.clone() };
        Self {
            level: self.level.or(row.level),
            depth: self.depth.or(row.depth),
            nodes: self.nodes.or(other.nodes),
            milliseconds: self.milliseconds.or(other.milliseconds),
            selectivity: self.selectivity.or(row.selectivity),
            exact: self.exact.or(row.exact),
            ends: self.ends.or(row.ends),
            search: self.search.or(other.search),
        }
    }

    /// Returns the limits of nodes and time of a search that begins now.
    pub fn limits(&self) -> Limits {
        let time = self.milliseconds.map(Duration::from_millis);
        let deadline = time.map(|time| Instant::now() + time);
        Limits { nodes: self.nodes, deadline, ..Limits::default() }
    }

    /// Returns the search settings. The level or, without a level, `usual` supplies missing ones.
    pub fn plan(&self, usual: Plan, evaluator: &impl Evaluate) -> Plan {
        let mut plan = self.level.map_or(usual, |level| level.plan(evaluator));
        if let (SearchBy::Realization, Some(level)) = (self.by(), self.level) {
            plan = Plan { exact: plan.exact, ..Plan::to_depth(level.number()) };
        }
        Plan {
            depth: self.depth.unwrap_or(plan.depth),
            selectivity: self.selectivity.unwrap_or(plan.selectivity),
            ends: self.ends.clone().unwrap_or(plan.ends),
            exact: self.exact.unwrap_or(plan.exact),
        }
    }

    /// Returns the strength (depth and exact solving) and the pruning of a search by the settings
    /// that [`Self::plan`] returns.
    pub fn search(
        &self,
        usual: Plan,
        evaluator: &impl Evaluate,
    ) -> Result<(Strength, Pruning), PruningError> {
        let plan = self.plan(usual, evaluator);
        if self.is_a_level() {
            return Ok((plan.strength(), plan.pruning(evaluator)));
        }
        let pruning = match self.by() {
            SearchBy::Depth => Pruning::new(evaluator, plan.selectivity)?,
            SearchBy::Realization if plan.selectivity != Selectivity::Full => {
                return Err(PruningError::Selectivity);
            }
            SearchBy::Realization => Pruning::by_probability(evaluator)?,
        };
        let ends = plan.ends.clone().exact_from(plan.exact);
        Ok((plan.strength(), pruning.with_endgame(evaluator, &ends)?))
    }

    fn is_a_level(&self) -> bool {
        let replaced = self.depth.or(self.exact).is_some()
            || self.selectivity.is_some()
            || self.ends.is_some()
            || self.by() == SearchBy::Realization;
        self.level.is_some() && !replaced
    }

    fn by(&self) -> SearchBy {
        self.search.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Evaluator, Mobility};
    use crate::random::Generator;

    fn weights(file: &str, search: SearchSpec) -> PlayerSpec {
        PlayerSpec::Weights(WeightsSpec { weights: WeightsChoice::File(file.into()), search })
    }

    #[test]
    fn the_last_colon_whose_rest_parses_as_keys_begins_the_keys() {
        let depth = |depth| SearchSpec { depth: Some(depth), ..SearchSpec::default() };
        let ends = "20:73,18:95".parse().ok();
        let both = SearchSpec { ends, exact: Some(14), ..SearchSpec::default() };
        let none = SearchSpec::default;
        for (text, expected) in [
            ("a.weights", weights("a.weights", none())),
            ("a.weights:depth=12", weights("a.weights", depth(12))),
            (r"C:\a.weights", weights(r"C:\a.weights", none())),
            (r"C:\a.weights:depth=12", weights(r"C:\a.weights", depth(12))),
            ("a:depth=3:depth=4", weights("a:depth=3", depth(4))),
            ("a*0.001", weights("a*0.001", none())),
            ("a.weights:exact=14,ends=20:73+18:95", weights("a.weights", both.clone())),
            ("a.weights:ends=20:73+18:95,exact=14", weights("a.weights", both)),
            ("mobility", PlayerSpec::Weights(WeightsChoice::Mobility.into())),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        let command = "sh -c 'a:depth=3'".to_owned();
        let engine = ExternalEngine { protocol: Protocol::Gtp, command };
        let text = "gtp: sh -c 'a:depth=3' ";
        assert_eq!(text.parse(), Ok(PlayerSpec::Program(engine.clone())));
        let reason = format!("`{engine}` is another program; expected weights");
        assert_eq!(text.parse::<WeightsSpec>(), Err(Invalid(reason)));
        let own = WeightsSpec { weights: WeightsChoice::Embedded, search: depth(8) };
        assert_eq!("embedded:depth=8".parse(), Ok(own));
    }

    #[test]
    fn errors_name_the_key_and_what_was_expected() {
        let number = "expected a whole number from 1 to 60";
        let unknown = format!(" is not a key of a search; expected {KEYS}");
        let no_weights = "embeded".parse::<WeightsChoice>().unwrap_err();
        let no_weights =
            format!("{no_weights}; another program is `gtp:COMMAND` or `nboard:COMMAND`");
        for (text, expected) in [
            ("a:depth=0", format!("`depth=0`: {number}")),
            ("a:depth=", format!("`depth=`: {number}")),
            ("a:level=61", format!("`level=61`: {number}")),
            ("a:exact=-1", "`exact=-1`: expected a whole number from 0 to 60".to_owned()),
            ("a:ms=0", "`ms=0`: expected a whole number from 1 to 86400000".to_owned()),
            ("a:search=deep", "`search=deep`: expected depth or realization".to_owned()),
            ("a:depth=3,depth=4", "`depth` is given twice; expected each key once".to_owned()),
            ("a:dpeth=3", format!("`dpeth`{unknown}")),
            ("a:depth=3,", format!("``{unknown}")),
            (
                "a:selectivity=74",
                "`selectivity=74`: expected 73, 87, 95, 98, 99 or 100 percent".to_owned(),
            ),
            ("nboard: ", "expected the command of a program after `nboard:`".to_owned()),
            ("embeded", no_weights.clone()),
            ("embeded:depth=3", no_weights),
        ] {
            assert_eq!(text.parse::<PlayerSpec>().unwrap_err().to_string(), expected, "{text}");
        }
        let error = "a:ends=20:95+18:73".parse::<PlayerSpec>().unwrap_err().to_string();
        assert!(error.starts_with("`ends=20:95+18:73`: `18:73`: does not fit the step"), "{error}");
        assert!(error.contains("steps such as 20:73+18:95"), "{error}");
    }

    #[test]
    fn specs_are_read_as_they_are_written() {
        let mut random = Generator::new(11);
        for _ in 0..2_000 {
            let mut below = |end: u32| random.below(end);
            let spec = SearchSpec {
                level: Level::new(below(61)),
                depth: (below(2) == 0).then(|| 1 + below(60)),
                nodes: (below(2) == 0).then(|| 1 + u64::from(below(1 << 30))),
                milliseconds: (below(2) == 0).then(|| 1 + u64::from(below(86_400_000))),
                selectivity: Selectivity::ALL.get(below(12) as usize).copied(),
                exact: (below(2) == 0).then(|| below(61)),
                ends: Level::new(below(121)).map(|level| level.selective().ends),
                search: [SearchBy::Depth, SearchBy::Realization].get(below(4) as usize).copied(),
            };
            for file in ["a.weights", r"C:\a b.weights", "a:b/c=d", "embedded-2"] {
                let player = weights(file, spec.clone());
                assert_eq!(player.to_string().parse(), Ok(player));
            }
        }
    }

    #[test]
    fn own_keys_come_before_defaults_and_a_level_before_a_default_depth() {
        let parse = |text: &str| text.parse::<SearchSpec>().unwrap();
        let defaults = parse("depth=8,selectivity=73,nodes=5,exact=14");
        for (own, both) in [
            ("depth=4", ":depth=4,nodes=5,selectivity=73,exact=14"),
            ("nodes=9,exact=0", ":depth=8,nodes=9,selectivity=73,exact=0"),
            ("level=10", ":level=10,nodes=5"),
            ("level=10,depth=12", ":level=10,depth=12,nodes=5"),
        ] {
            assert_eq!(parse(own).or(&defaults).to_string(), both);
        }
        assert_eq!(parse("depth=4").or(&parse("level=10")).to_string(), ":level=10,depth=4");
    }

    #[test]
    fn keys_replace_entries_of_the_usual_plan_or_of_the_row_of_the_level() {
        let embedded = Evaluator::embedded();
        let parse = |text: &str| text.parse::<SearchSpec>().unwrap();
        let usual = || Plan { exact: 12, ..Plan::to_depth(4) };
        let plan = |text| parse(text).plan(usual(), &embedded);
        assert_eq!(SearchSpec::default().plan(usual(), &embedded), usual());
        assert_eq!(plan("depth=6"), Plan { depth: 6, ..usual() });
        let row = Level::new(12).unwrap().selective();
        assert_eq!(plan("level=12"), row);
        assert_eq!(plan("level=12,exact=18"), Plan { exact: 18, ..row });

        let (strength, pruning) = parse("ends=20:73,exact=14").search(usual(), &embedded).unwrap();
        assert_eq!(strength, Strength { depth: 4, exact: 20 });
        assert!(!pruning.is_exact(20) && pruning.is_exact(14) && pruning.is_exact(21));
        let (strength, pruning) = parse("exact=14").search(usual(), &Mobility).unwrap();
        assert_eq!(strength, Strength { depth: 4, exact: 14 });
        assert!(pruning.is_exact(60));
        let refused = |text| parse(text).search(usual(), &Mobility).unwrap_err();
        assert_eq!(refused("selectivity=73"), PruningError::NoProbCut);
        assert_eq!(refused("ends=20:73"), PruningError::NoProbCut);
        assert_eq!(refused("search=realization"), PruningError::NoRealization);
        let both = refused("search=realization,selectivity=73");
        assert_eq!(both, PruningError::Selectivity);
    }
}
