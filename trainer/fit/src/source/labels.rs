//! Label rules, which determine the values that a fit learns for the positions of a game.

use std::fmt;
use std::str::FromStr;

use othello_engine::board::transcript::Step;
use othello_engine::record::{Game, ScoredPosition, Weight};
use othello_engine::text::{Invalid, as_text, excerpt};
use serde::{Deserialize, Serialize};

mod origin;

pub use origin::{LabelSource, Lambda, Origin, Plies};

/// A label rule: positions at `plies` get labels from `label`, and count as `weight` occurrences.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, derive_more::Display)]
#[display("{}:{}*{}", self.plies, self.label, self.weight)]
#[serde(deny_unknown_fields)]
pub struct LabelRule {
    /// The plies to which the rule applies.
    #[serde(with = "as_text")]
    pub plies: Plies,
    /// The source of the label: one kind of value of a game, or a blend of several.
    #[serde(rename = "use", with = "as_text")]
    pub label: LabelSource,
    /// The number of occurrences that a position counts as, more than 0 and at most 1,000.
    #[serde(default = "one")]
    pub weight: f64,
}

/// The greatest number of rules in a list, since every position is checked against each rule.
const MAX_RULES: usize = 256;

pub(crate) const ADD_VALUES: &str =
    "; `selfplay --values` records search values, `relabel --depth` adds them";

const EXPECTED: &str = "expected PLIES:USE, such as 34..38:solved or all:70%result+30%value";

fn one() -> f64 {
    1.0
}

/// An ordered list of rules. A position gets its label from the first rule that includes its ply
/// and whose kind of value is known for it. A position without such a rule is skipped.
///
/// As text, a rule is `PLIES:USE` or `PLIES:USE*WEIGHT`, where USE is a kind of value ([`Origin`]:
/// `solved`, `exact`, `value`, `lambda0.7` with any λ, `result` or `stated`) or a blend, such as
/// `70%result+30%value`; the position counts as WEIGHT occurrences (default 1). Commas separate
/// rules; ranges include both ends. TOML also accepts a list of tables with the fields of a rule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "String")]
pub struct LabelRules(Vec<LabelRule>);

/// A position with its label, and the rule that gave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Labelled {
    /// The position with its label and its weight.
    pub row: ScoredPosition,
    /// The index (from 0) of the label rule; `None` if the position already had its label.
    pub rule: Option<u8>,
}

impl Default for LabelRules {
    fn default() -> Self {
        let rules = "all:exact,all:lambda0.5,solved-2..solved+2:solved,all:result";
        rules.parse().expect("the rules are valid")
    }
}

impl LabelRules {
    /// Creates an ordered list of rules. Refuses an empty list, and invalid or unreachable rules.
    pub fn new(rules: Vec<LabelRule>) -> Result<Self, Invalid> {
        if rules.is_empty() {
            return Err(not_a_rule("", EXPECTED));
        }
        if rules.len() > MAX_RULES {
            let reason = format!("{} label rules; expected at most {MAX_RULES}", rules.len());
            return Err(Invalid(reason));
        }
        for rule in &rules {
            let wrong =
                |reason: &str| not_a_rule(&rule.to_string(), &format!("the weight {reason}"));
            if !(rule.weight > 0.0 && rule.weight <= 1000.0) {
                return Err(wrong("must be above 0 and at most 1000"));
            }
            Weight::check(rule.weight).map_err(|reason| wrong(&reason))?;
        }
        for (number, rule) in rules.iter().enumerate() {
            if rules[..number].iter().any(|before| before.hides(rule)) {
                let reason = "it never applies, since a rule before it labels these positions";
                return Err(not_a_rule(&rule.to_string(), reason));
            }
        }
        Ok(Self(rules))
    }

    /// Returns the rules as text for a provenance. Ranges are written with `..=`, not `..`.
    pub fn in_provenance(&self) -> String {
        self.to_string().replace("..", "..=")
    }

    /// Returns the positions of [`Self::labelled`] without the indices of their label rules.
    pub fn positions(&self, game: &Game, weight: f64) -> Vec<ScoredPosition> {
        self.labelled(game, weight).into_iter().map(|labelled| labelled.row).collect()
    }

    /// Returns the labelled positions of a game in order, except the final position and those
    /// before the end of the random moves. A position's weight is `weight` times that of its rule.
    pub fn labelled(&self, game: &Game, weight: f64) -> Vec<Labelled> {
        let first = usize::from(game.random_plies());
        let steps = game.replay().steps;
        let plies = (first..steps.len()).filter_map(|ply| u8::try_from(ply).ok());
        let label = |ply| {
            (0..).zip(&self.0).find_map(|(number, rule)| {
                let row = rule.apply(game, &steps, ply, weight)?;
                Some(Labelled { row, rule: Some(number) })
            })
        };
        plies.filter_map(label).collect()
    }

    /// Checks the weight of a file: multiplied by the weight of each rule, it must be within 2 % of
    /// a multiple of 1/64 occurrence ([`Weight::check`]).
    pub(crate) fn check_times(&self, weight: f64) -> Result<(), Invalid> {
        let wrong =
            |reason| Invalid(format!("the weight of a file times that of a rule: {reason}"));
        self.0.iter().try_for_each(|rule| Weight::check(rule.weight * weight).map_err(wrong))
    }

    /// Returns true if a rule uses the values of searches.
    pub fn use_values(&self) -> bool {
        let labels = self.0.iter().map(|rule| rule.label.to_string());
        labels.into_iter().any(|label| label.contains("value") || label.contains("lambda"))
    }

    /// Returns the end of a message on missing labels: advice on adding search values, or an empty
    /// text if no rule uses search values.
    pub fn remedy(&self) -> &'static str {
        if self.use_values() { ADD_VALUES } else { "" }
    }

    /// Returns the label source of rule number `rule`, such as `result`; for `None`, `given`, since
    /// the file contains the label.
    pub fn kind(&self, rule: Option<u8>) -> String {
        let rule = rule.and_then(|number| self.0.get(usize::from(number)));
        rule.map_or("given".to_owned(), |rule| rule.label.to_string())
    }
}

impl LabelRule {
    /// Returns true only if `other` would never apply after `self` in a list of rules.
    fn hides(&self, other: &Self) -> bool {
        self.plies.contain(&other.plies) && self.label.is_available_with(&other.label)
    }

    fn apply(&self, game: &Game, steps: &[Step], ply: u8, weight: f64) -> Option<ScoredPosition> {
        if !self.plies.has(ply, game) {
            return None;
        }
        let label = self.label.of(game, steps, ply)?;
        let weight = Weight::of_occurrences(self.weight * weight)?;
        Some(ScoredPosition::new(steps.get(usize::from(ply))?.position, label, weight))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    List(Vec<LabelRule>),
}

impl TryFrom<Written> for LabelRules {
    type Error = Invalid;

    fn try_from(written: Written) -> Result<Self, Invalid> {
        match written {
            Written::Text(text) => text.parse(),
            Written::List(rules) => Self::new(rules),
        }
    }
}

impl FromStr for LabelRules {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let rules = text.split(',').map(|rule| {
            let rule = rule.trim();
            parse_rule(rule).map_err(|reason| not_a_rule(&excerpt(rule), &reason))
        });
        Self::new(rules.collect::<Result<_, _>>()?)
    }
}

fn not_a_rule(rule: &str, reason: &str) -> Invalid {
    Invalid(format!("`{rule}` is not a label rule: {reason}"))
}

fn parse_rule(text: &str) -> Result<LabelRule, String> {
    let (plies, rest) = text.split_once(':').ok_or(EXPECTED)?;
    let (label, weight) = rest.split_once('*').unwrap_or((rest, "1"));
    let label = label.parse()?;
    let wrong = |_| format!("`{}` is not a weight", excerpt(weight));
    let weight = weight.trim().parse().map_err(wrong)?;
    Ok(LabelRule { plies: plies.trim().parse()?, label, weight })
}

impl From<LabelRules> for String {
    fn from(rules: LabelRules) -> Self {
        rules.in_provenance()
    }
}

impl fmt::Display for LabelRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.0.iter().map(LabelRule::to_string).collect();
        f.write_str(&rules.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::board::{Position, transcript};
    use othello_engine::record::Solved;

    fn rules(text: &str) -> LabelRules {
        text.parse().unwrap()
    }

    fn wipe_out() -> Game {
        Game::new(0, &transcript::parse("f5d6c5f4e7f6g5e6e3").unwrap()).unwrap()
    }

    fn labels(rules: &LabelRules, game: &Game) -> Vec<(u32, f64, f64)> {
        let rows = rules.positions(game, 1.0).into_iter();
        rows.map(|r| (r.position().ply(), r.label().discs(), r.weight().occurrences())).collect()
    }

    #[test]
    fn the_default_without_values_is_solved_within_two_plies_and_the_result_elsewhere() {
        let game = wipe_out().with_solved(Solved { ply: 4, black_score: 10 }).unwrap();
        let discs: Vec<f64> = labels(&LabelRules::default(), &game).iter().map(|l| l.1).collect();
        assert_eq!(discs, [64.0, -64.0, 10.0, -10.0, 10.0, -10.0, 10.0, -64.0, 64.0]);
        let plain = labels(&LabelRules::default(), &wipe_out());
        assert_eq!(plain[4], (4, 64.0, 1.0));
    }

    #[test]
    fn the_first_rule_with_a_label_decides() {
        let rules = rules("2..=3:solved, 0..=2:result*0.5, solved:solved*3");
        let kinds = |game: &Game| -> Vec<String> {
            rules.labelled(game, 1.0).iter().map(|found| rules.kind(found.rule)).collect()
        };
        assert_eq!(
            (kinds(&wipe_out()), rules.kind(None)),
            (vec!["result".to_owned(); 3], "given".into())
        );
        let label = |ply, discs, weight| (ply, discs, weight);
        let expected = [label(0, 64.0, 0.5), label(1, -64.0, 0.5), label(2, 64.0, 0.5)];
        assert_eq!(labels(&rules, &wipe_out()), expected);
        let game = wipe_out().with_solved(Solved { ply: 5, black_score: -2 }).unwrap();
        let expected = [
            label(0, 64.0, 0.5),
            label(1, -64.0, 0.5),
            label(2, -2.0, 1.0),
            label(3, 2.0, 1.0),
            label(5, 2.0, 3.0),
        ];
        assert_eq!(labels(&rules, &game), expected);
    }

    #[test]
    fn a_broken_off_game_has_no_result_but_may_be_solved() {
        let game = Game::new(0, &transcript::parse("f5d6c5f4").unwrap()).unwrap();
        // A regression: the stated result of an unfinished game was lost.
        let stated = game.clone().with_stated(-26).unwrap();
        let rules = |text: &str| text.parse::<LabelRules>().unwrap();
        assert!(labels(&LabelRules::default(), &stated).is_empty());
        let plies_0_and_1 = labels(&rules("0..1:stated"), &stated);
        assert_eq!(plies_0_and_1, [(0, -26.0, 1.0), (1, 26.0, 1.0)]);
        assert_eq!(labels(&rules("all:stated"), &wipe_out()).len(), 9);
        assert!(labels(&LabelRules::default(), &game).is_empty());
        let game = game.with_solved(Solved { ply: 4, black_score: 0 }).unwrap();
        assert_eq!(labels(&LabelRules::default(), &game), [(2, 0.0, 1.0), (3, 0.0, 1.0)]);
    }

    fn relabelled() -> Game {
        let values = vec![None, Some(3), None, Some(-8), Some(10), Some(-6), Some(6), None, None];
        let game = wipe_out().with_solved(Solved { ply: 4, black_score: 10 }).unwrap();
        game.with_values(values).unwrap()
    }

    #[test]
    fn exact_scores_are_those_of_the_solved_position_and_of_the_values_after_it() {
        let exact = |ply, discs| (ply, discs, 1.0);
        let expected = [exact(4, 10.0), exact(5, -6.0), exact(6, 6.0)];
        assert_eq!(labels(&rules("all:exact"), &relabelled()), expected);
        let expected = [exact(1, 3.0), exact(3, -8.0), expected[0], expected[1], expected[2]];
        assert_eq!(labels(&rules("all:value"), &relabelled()), expected);
        assert!(labels(&rules("all:exact, all:value"), &wipe_out()).is_empty());
    }

    #[test]
    fn by_default_a_value_before_the_solved_position_is_blended_with_what_follows() {
        let default = labels(&LabelRules::default(), &relabelled());
        let discs: Vec<f64> = default.iter().map(|label| label.1).collect();
        // From black's view, the values at plies 3 to 6 are 8, 10, 6 and 6. Each has half the
        // weight of the one before, except the last, which has the rest.
        let blend = 0.5 * 8.0 + 0.25 * 10.0 + 0.125 * 6.0 + 0.125 * 6.0;
        assert!((discs[3] + blend).abs() < 0.01, "{discs:?}");
        // Ply 1 has its search value, ply 2 the score of ply 4, and plies 4 to 6 have exact scores.
        let rest = [&discs[..3], &discs[4..]].concat();
        assert_eq!(rest, [64.0, 3.0, 10.0, 10.0, -6.0, 6.0, -64.0, 64.0]);
    }

    #[test]
    fn a_lambda_return_blends_the_values_that_follow_up_to_a_deviation() {
        // Black moves at even plies. From its view, the values are 4, 8 and 16, and the result 64.
        let values = [vec![None; 6], vec![Some(4), Some(-8), Some(16)]].concat();
        let game = wipe_out().with_values(values).unwrap();
        let expected =
            [(6, 4.0, 8.0, 16.0, 64.0), (7, 8.0, 16.0, 64.0, 64.0), (8, 16.0, 64.0, 64.0, 64.0)];
        let found = labels(&rules("all:lambda0.5"), &game);
        for (found, (ply, a, b, c, d)) in found.iter().zip(expected) {
            let black = a / 2.0 + b / 4.0 + c / 8.0 + d / 8.0;
            assert_eq!((found.0, found.1), (ply, if ply == 7 { -black } else { black }));
        }
        assert_eq!(found.len(), 3);
        // The move at ply 7 was random, so labels up to ply 7 must not use values after it.
        let deviated = game.clone().with_deviations(1 << 7).unwrap();
        let discs =
            |game| labels(&rules("all:lambda0.5"), game).iter().map(|l| l.1).collect::<Vec<_>>();
        assert_eq!(discs(&deviated), [6.0, -8.0, 40.0]);
        assert_eq!(labels(&rules("all:lambda0"), &game), labels(&rules("all:value"), &game));
        let ends: Vec<f64> = labels(&rules("all:lambda1"), &game).iter().map(|l| l.1).collect();
        assert_eq!(ends, [64.0, -64.0, 64.0]);
    }

    #[test]
    fn a_blend_needs_all_of_its_origins() {
        // White moves at plies 1 and 3, where its values are 3 and −8. It loses by 64.
        let expected = [(1, -17.1, 1.0), (3, -24.8, 1.0)];
        let found = labels(&rules("0..=3:30%result+70%value"), &relabelled());
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                found.0 == expected.0 && (found.1 - expected.1).abs() < 1.0 / 256.0,
                "{found:?}"
            );
        }
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn random_moves_are_left_out_and_weights_multiply() {
        let game = Game::new(7, wipe_out().squares()).unwrap();
        let rows = rules("all:result*3").positions(&game, 0.5);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].position(), game.replay().steps[7].position);
        assert_eq!(rows[0].weight().occurrences(), 1.5);
        assert_ne!(rows[0].position(), Position::START);
    }

    /// Rules are printed with `..`, as in the documentation, and read with `..` or `..=`.
    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in [
            "34..38:solved*2,all:result*0.25",
            "solved-2..solved+0:solved*1",
            "all:exact*1,all:70%value+30%result*0.5",
            "all:50%lambda1+50%result*1,all:lambda0.75*1",
        ] {
            assert_eq!(rules(text).to_string(), text);
            let in_provenance = rules(text).in_provenance();
            assert_eq!(in_provenance, text.replace("..", "..="));
            assert_eq!(rules(&in_provenance), rules(text));
        }
        let default = "all:exact, all:lambda0.5, solved-2..=solved+2:solved, all:result";
        assert_eq!(rules(default), LabelRules::default());
        assert_eq!(rules("7:result").to_string(), "7..7:result*1");
        assert_eq!(rules("34..38:solved"), rules("34..=38:solved"));
        assert_eq!(rules("solved-2..solved+2:solved"), rules("solved-2..=solved+2:solved"));
        for bad in [
            "",
            "all",
            "all:guess",
            "38..=34:solved",
            "61:result",
            "all:result*0",
            "all:result*-1",
            "all:result*NaN",
            "solved+1..=solved+2:solved",
            "all:result,",
            "all:50%result",
            "all:50%result+60%value",
            "all:result+value",
            "all:0%result+100%value",
            "all:300%result",
            "all:lambda",
            "all:lambda1.1",
            "all:lambdaNaN",
            // A regression: rules that never apply, since an earlier rule does, were accepted.
            "all:result, 0..20:result*0.25",
            "all:value, solved:lambda0.5",
            "10..20:result, 12..14:50%result+50%value",
        ] {
            assert!(bad.parse::<LabelRules>().is_err(), "{bad}");
        }
    }

    #[test]
    fn toml_takes_a_text_or_a_list() {
        #[derive(Serialize, Deserialize, PartialEq, Debug)]
        struct Settings {
            labels: LabelRules,
        }
        let text: Settings =
            toml::from_str(r#"labels = "34..=38:solved, all:result*0.5""#).unwrap();
        let list = "[[labels]]\nplies = '34..=38'\nuse = 'solved'\n\
                    [[labels]]\nplies = 'all'\nuse = 'result'\nweight = 0.5";
        assert_eq!(toml::from_str::<Settings>(list).unwrap(), text);
        let written = toml::to_string(&text).unwrap();
        assert_eq!(toml::from_str::<Settings>(&written).unwrap(), text);
        assert!(toml::from_str::<Settings>("labels = []").is_err());
        let kinds = ["result", "value", "solved", "exact", "stated"];
        let rule = |number: usize| format!("{}:{}", number % 60, kinds[number / 60]);
        let rules = |count| (0..count).map(rule).collect::<Vec<_>>().join(",");
        assert!(rules(MAX_RULES).parse::<LabelRules>().is_ok());
        assert!(rules(MAX_RULES + 1).parse::<LabelRules>().is_err());
        assert!(toml::from_str::<Settings>("labels = [{plies='all', use='result', w=1}]").is_err());
    }
}
