//! Pattern sets as researchers write them: a TOML file of squares and scalar features.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::images::{images, smallest_image};
use super::{FactorShape, LANES, MAX_SQUARES, Scalar};
use crate::board::Square;
use crate::text::{TomlError, excerpt, from_toml};

/// An ordered list of 1 to [`MAX_SQUARES`] different squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    name: String,
    squares: Vec<Square>,
}

impl Pattern {
    /// Returns the pattern's name in the file, which is for people only.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the squares of the pattern; the first is the least significant digit of a
    /// configuration.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }
}

/// A validated set of patterns and scalar features, with at most [`LANES`] instances in all, and
/// the shape of the factors of its classes, if they have any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternSet {
    name: String,
    patterns: Vec<Pattern>,
    scalars: Vec<Scalar>,
    factors: Option<FactorShape>,
}

/// The error for a text that is not a pattern set.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum PatternSetError {
    #[error("not a pattern set: {0}")]
    Toml(#[from] TomlError),
    #[error("pattern {number} ({name}): {source}")]
    Square { number: usize, name: String, source: crate::board::notation::NotationError },
    #[error("pattern {number} ({name}) has {found} squares; expected 1 to {MAX_SQUARES}")]
    Size { number: usize, name: String, found: usize },
    #[error("pattern {number} ({name}) names {square} twice")]
    Repeated { number: usize, name: String, square: Square },
    #[error("the name `{name}` has a line end or another control character; take it out")]
    Name { name: String },
    #[error("a scalar feature is named twice")]
    RepeatedScalar,
    #[error(
        "pattern {number} ({name}) has the squares of pattern {earlier}, up to a symmetry of the \
        board; take one of them out"
    )]
    RepeatedPattern { number: usize, name: String, earlier: usize },
    #[error(
        "the set has neither patterns nor scalar features, so there is nothing to fit; add a table \
        `[[pattern]]` with `squares = \"a1 b1 c1\"`"
    )]
    Empty,
    #[error("the patterns have {found} instances in all; at most {LANES} fit: take some out")]
    Instances { found: usize },
}

/// A pattern set as it is written in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSet {
    name: String,
    #[serde(default)]
    scalars: Vec<Scalar>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factors: Option<FactorShape>,
    #[serde(default, rename = "pattern")]
    patterns: Vec<RawPattern>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPattern {
    #[serde(default)]
    name: String,
    squares: String,
}

impl PatternSet {
    /// Reads and checks a set.
    pub fn from_toml(text: &str) -> Result<Self, PatternSetError> {
        let raw: RawSet = from_toml(text)?;
        let names = std::iter::once(&raw.name).chain(raw.patterns.iter().map(|p| &p.name));
        if let Some(name) = names.into_iter().find(|name| name.contains(char::is_control)) {
            return Err(PatternSetError::Name { name: excerpt(name) });
        }
        let patterns = raw.patterns.into_iter().enumerate();
        let patterns = patterns.map(|(index, pattern)| read_pattern(index + 1, pattern));
        let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
        if (1..raw.scalars.len()).any(|end| raw.scalars[..end].contains(&raw.scalars[end])) {
            return Err(PatternSetError::RepeatedScalar);
        }
        if patterns.is_empty() && raw.scalars.is_empty() {
            return Err(PatternSetError::Empty);
        }
        check_distinct(&patterns)?;
        let set = Self { name: raw.name, patterns, scalars: raw.scalars, factors: raw.factors };
        let found = set.patterns.iter().map(|pattern| images(&pattern.squares).len()).sum();
        if found > LANES {
            return Err(PatternSetError::Instances { found });
        }
        Ok(set)
    }

    /// Writes the set as TOML, which reads back as the same set.
    pub fn to_toml(&self) -> String {
        let raw = RawSet {
            name: self.name.clone(),
            scalars: self.scalars.clone(),
            factors: self.factors,
            patterns: self.patterns.iter().map(write_pattern).collect(),
        };
        // Strings and lists of strings always have a TOML form.
        toml::to_string(&raw).unwrap_or_default()
    }

    /// Returns the set's name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the patterns in the file's order.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Returns the scalar features in the file's order.
    pub fn scalars(&self) -> &[Scalar] {
        &self.scalars
    }

    /// Returns the shape of the factors of classes, if the set has them.
    pub fn factors(&self) -> Option<FactorShape> {
        self.factors
    }

    /// Replaces the shape of the factors; `None` removes the factors.
    #[must_use]
    pub fn with_factors(self, factors: Option<FactorShape>) -> Self {
        Self { factors, ..self }
    }
}

fn read_pattern(number: usize, raw: RawPattern) -> Result<Pattern, PatternSetError> {
    let RawPattern { name, squares } = raw;
    let squares = squares.split_ascii_whitespace().map(str::parse).collect::<Result<Vec<_>, _>>();
    let squares: Vec<Square> = match squares {
        Ok(squares) => squares,
        Err(source) => {
            return Err(PatternSetError::Square { number, name: excerpt(&name), source });
        }
    };
    if !(1..=MAX_SQUARES).contains(&squares.len()) {
        return Err(PatternSetError::Size { number, name: excerpt(&name), found: squares.len() });
    }
    let repeated = (1..squares.len()).find(|&end| squares[..end].contains(&squares[end]));
    match repeated.map(|index| squares[index]) {
        Some(square) => Err(PatternSetError::Repeated { number, name: excerpt(&name), square }),
        None => Ok(Pattern { name, squares }),
    }
}

/// Refuses a pattern with the squares of an earlier one, since both would have the same instances.
fn check_distinct(patterns: &[Pattern]) -> Result<(), PatternSetError> {
    let mut earlier = BTreeMap::new();
    for (pattern, number) in patterns.iter().zip(1..) {
        let squares = smallest_image(&pattern.squares);
        if let Some(earlier) = earlier.insert(squares, number) {
            let name = excerpt(&pattern.name);
            return Err(PatternSetError::RepeatedPattern { number, name, earlier });
        }
    }
    Ok(())
}

fn write_pattern(pattern: &Pattern) -> RawPattern {
    let squares: Vec<String> = pattern.squares.iter().map(ToString::to_string).collect();
    RawPattern { name: pattern.name.clone(), squares: squares.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `datasets/formats.md` promises that readers without a TOML library find the keys at the
    /// beginning of lines, in one form, whatever the names are.
    #[test]
    fn what_is_written_can_be_read_line_by_line() {
        for name in ["plain", "a\"b", "a'b", "a\\b", "a'\"b", "", "\"\"\"'''", "squares = \"a1\""] {
            let quoted = serde_json::to_string(name).unwrap();
            let pattern = format!("[[pattern]]\nname = {quoted}\nsquares = \"A1  b1\"\n");
            for scalars in ["[]", "[\"player_discs\"]", "[\"moves_pair\", \"odd_quadrants\"]"] {
                let set = format!("name = {quoted}\nscalars = {scalars}\n{pattern}");
                let set = PatternSet::from_toml(&set).unwrap();
                let text = set.to_toml();
                let keys: Vec<&str> =
                    text.lines().filter(|line| line.starts_with("squares")).collect();
                assert_eq!(keys, ["squares = \"a1 b1\""], "{text}");
                assert_eq!(text.lines().nth(1), Some(&*format!("scalars = {scalars}")), "{text}");
                assert!(text.starts_with("name = ") && text.ends_with("\"\n"), "{text}");
                assert_eq!(PatternSet::from_toml(&text).unwrap(), set);
            }
        }
        let error = PatternSet::from_toml("name = \"a\\nsquares = 3\"").unwrap_err();
        assert!(error.to_string().contains("line end"), "{error}");
    }

    #[test]
    fn the_shape_of_factors_reads_back() {
        let text =
            "name = \"t\"\n[factors]\ndimensions = 16\nphases = 5\n\n[[pattern]]\nsquares = \"a1\"";
        let set = PatternSet::from_toml(text).unwrap();
        assert_eq!(set.factors(), FactorShape::new(16, 5));
        assert_eq!(PatternSet::from_toml(&set.to_toml()).unwrap(), set);
        assert!(!set.with_factors(None).to_toml().contains("factors"));
    }

    #[test]
    fn sets_that_cannot_work_are_refused_by_name() {
        let refused = |body: &str| {
            let text = format!("name = \"t\"\n{body}");
            PatternSet::from_toml(&text).unwrap_err().to_string()
        };
        let one = |squares: &str| refused(&format!("[[pattern]]\nsquares = \"{squares}\""));
        assert!(one("a1 z9").contains("z9"));
        assert!(one("").contains("0 squares"));
        assert!(one("a1 b1 c1 d1 e1 f1 g1 h1 a2 b2 c2").contains("11 squares"));
        assert!(one("a1 b1 a1").contains("a1 twice"));
        assert!(refused("colour = 3").contains("colour"));
        assert!(refused("scalars = [\"player_discs\", \"player_discs\"]").contains("twice"));
        assert!(refused("[factors]\ndimensions = 9\nphases = 5").contains("9 dimensions"));
        let eight_instances = ["b1", "c1", "d1", "e1", "f1", "g1", "c2", "d2", "e2"];
        let patterns = eight_instances.map(|b| format!("[[pattern]]\nsquares = \"a1 {b}\"\n"));
        assert!(refused(&patterns.concat()).contains("72 instances"));
    }

    /// A regression: `bench` crashed and `fit` divided by zero with such a set.
    #[test]
    fn a_set_without_parameters_is_refused() {
        for text in ["name = \"t\"", "name = \"t\"\nscalars = []\npattern = []"] {
            let message = PatternSet::from_toml(text).unwrap_err().to_string();
            assert!(message.contains("neither patterns nor scalar features"), "{message}");
        }
        assert!(PatternSet::from_toml("name = \"t\"\nscalars = [\"player_discs\"]").is_ok());
    }

    #[test]
    fn a_pattern_that_stands_there_twice_is_refused_in_whatever_image() {
        let refused = |second: &str| {
            let pattern = |squares| format!("[[pattern]]\nsquares = \"{squares}\"\n");
            let text = ["name = \"t\"\n", &pattern("a1 b1 c1"), &pattern("d4"), &pattern(second)];
            PatternSet::from_toml(&text.concat()).map_err(|error| error.to_string())
        };
        for second in ["a1 b1 c1", "c1 a1 b1", "a8 a7 a6", "h8 f8 g8"] {
            let message = refused(second).unwrap_err();
            assert!(message.contains("pattern 3 () has the squares of pattern 1"), "{message}");
        }
        assert!(refused("a1 b1 d1").is_ok());
    }

    /// Found by fuzzing: the message quoted a name of two thousand characters.
    #[test]
    fn a_long_name_is_not_repeated_whole() {
        let text = format!("name = \"{}\\t\"", "K".repeat(2000));
        let message = PatternSet::from_toml(&text).unwrap_err().to_string();
        assert!(message.contains("control character") && message.len() < 200, "{message}");
        let text = "name = \"a\\u001B[2Jb\"";
        let message = PatternSet::from_toml(text).unwrap_err().to_string();
        assert!(!message.contains('\u{1b}'), "{message}");
    }
}
