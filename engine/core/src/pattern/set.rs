use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};

use super::{FactorShape, LANES, MAX_SQUARES, Scalar};
use crate::board::{Square, Symmetry};
use crate::file::FileError;
use crate::text::{Invalid, excerpt, from_toml, read_by};

/// An ordered list of 1 to [`MAX_SQUARES`] different squares.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Pattern {
    name: String,
    #[serde(serialize_with = "as_words")]
    squares: Vec<Square>,
}

fn as_words<S: Serializer>(squares: &[Square], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&names(squares))
}

/// Returns the names of squares, separated by blanks: `a1 b1 c1`.
pub fn names(squares: &[Square]) -> String {
    squares.iter().map(Square::to_string).collect::<Vec<_>>().join(" ")
}

impl Pattern {
    /// Returns the pattern's name in the file of the set. The name does not affect the evaluation.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the squares; the first has the least significant base-3 digit of a configuration.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }
}

/// A validated set of patterns and scalar features, with the shape of the factor vectors, if any.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PatternSet {
    name: String,
    scalars: Vec<Scalar>,
    #[serde(skip_serializing_if = "Option::is_none")]
    factors: Option<FactorShape>,
    #[serde(rename = "pattern")]
    patterns: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSet {
    name: String,
    #[serde(default)]
    scalars: Vec<Scalar>,
    factors: Option<FactorShape>,
    #[serde(default, rename = "pattern")]
    patterns: Vec<RawPattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPattern {
    #[serde(default)]
    name: String,
    squares: String,
}

impl PatternSet {
    /// The names and the TOML texts of the shipped pattern sets.
    pub const SHIPPED: [(&str, &str); 9] = [
        ("standard", include_str!("../../patterns/standard.toml")),
        ("scalars", include_str!("../../patterns/scalars.toml")),
        ("factors", include_str!("../../patterns/factors.toml")),
        ("small", include_str!("../../patterns/small.toml")),
        ("discs", include_str!("../../patterns/discs.toml")),
        ("ordering", include_str!("../../patterns/ordering.toml")),
        ("edax", include_str!("../../patterns/edax.toml")),
        ("egaroucid", include_str!("../../patterns/egaroucid.toml")),
        ("zebra", include_str!("../../patterns/zebra.toml")),
    ];

    /// Reads a pattern set from TOML text. Refuses an invalid pattern, two patterns with the same
    /// instances, and more than [`LANES`] instances.
    pub fn from_toml(text: &str) -> Result<Self, Invalid> {
        let refused = |message: String| Err(Invalid(message));
        let raw: RawSet =
            from_toml(text).map_err(|error| Invalid(format!("not a pattern set: {error}")))?;
        let names = std::iter::once(&raw.name).chain(raw.patterns.iter().map(|p| &p.name));
        if let Some(name) = names.into_iter().find(|name| name.contains(char::is_control)) {
            let reason = "has a line end or another control character; remove it";
            return refused(format!("the name `{}` {reason}", excerpt(name)));
        }
        let patterns = (1..).zip(raw.patterns).map(|(number, raw)| read_pattern(number, raw));
        let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
        if (1..raw.scalars.len()).any(|end| raw.scalars[..end].contains(&raw.scalars[end])) {
            return refused("a scalar feature is named twice".to_owned());
        }
        if patterns.is_empty() && raw.scalars.is_empty() {
            let empty = "the set has neither patterns nor scalar features, so there is nothing to fit; \
                add a table `[[pattern]]` with `squares = \"a1 b1 c1\"`";
            return refused(empty.to_owned());
        }
        check_distinct(&patterns)?;
        let set = Self { name: raw.name, patterns, scalars: raw.scalars, factors: raw.factors };
        let found: usize = set.patterns.iter().map(|pattern| images(&pattern.squares).len()).sum();
        if found > LANES {
            return refused(format!(
                "the patterns have {found} instances in all; at most {LANES} fit: remove some"
            ));
        }
        Ok(set)
    }

    /// Returns the set as TOML text, from which an equal set can be read.
    pub fn to_toml(&self) -> String {
        // This never fails, because strings and lists of strings always have a TOML form.
        toml::to_string(self).unwrap_or_default()
    }

    /// Returns the name of the set, from its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the patterns in the order of the set's file.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Returns the scalar features in the order of the set's file.
    pub fn scalars(&self) -> &[Scalar] {
        &self.scalars
    }

    /// Returns the shape of the factor vectors; `None` if the set has no factors.
    pub fn factors(&self) -> Option<FactorShape> {
        self.factors
    }

    /// Replaces the shape of the factors; `None` removes the factors.
    #[must_use]
    pub fn with_factors(self, factors: Option<FactorShape>) -> Self {
        Self { factors, ..self }
    }

    /// Returns the shipped set with this name; `None` if there is no such set.
    pub fn shipped(name: &str) -> Option<Self> {
        let (_, text) = Self::SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Self::from_toml(text).ok()
    }

    /// Returns the names of the shipped sets that `is_wanted` accepts, as `` `a`, `b` or `c` ``.
    pub fn shipped_names(is_wanted: impl Fn(&Self) -> bool) -> String {
        let wanted = Self::SHIPPED
            .iter()
            .filter(|(_, text)| Self::from_toml(text).is_ok_and(|set| is_wanted(&set)));
        let names: Vec<String> = wanted.map(|(name, _)| format!("`{name}`")).collect();
        match &names[..] {
            [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            _ => names.concat(),
        }
    }

    /// Returns the shipped set with this name, or else reads the file `name`, relative to `folder`.
    pub fn named(name: &str, folder: &Path) -> Result<Self, FileError> {
        if let Some(set) = Self::shipped(name) {
            return Ok(set);
        }
        let path = folder.join(name);
        if !path.exists() {
            let names = Self::SHIPPED.map(|(name, _)| format!("`{name}`")).join(", ");
            let reason = format!("neither a file nor one of the pattern sets {names}");
            return Err(FileError::refused(&path, reason));
        }
        read_by(&path, Self::from_toml)
    }
}

fn read_pattern(number: usize, raw: RawPattern) -> Result<Pattern, Invalid> {
    let RawPattern { name, squares } = raw;
    let pattern = format!("pattern {number} ({})", excerpt(&name));
    let parsed: Result<Vec<_>, Invalid> =
        squares.split_ascii_whitespace().map(str::parse).collect();
    let blanks = if squares.contains(',') { ", separated by blanks" } else { "" };
    let squares = parsed.map_err(|error| Invalid(format!("{pattern}: {error}{blanks}")))?;
    let found = squares.len();
    if !(1..=MAX_SQUARES).contains(&found) {
        return Err(Invalid(format!("{pattern} has {found} squares; expected 1 to {MAX_SQUARES}")));
    }
    match (1..found).find(|&end| squares[..end].contains(&squares[end])) {
        Some(end) => Err(Invalid(format!("{pattern} names {} twice", squares[end]))),
        None => Ok(Pattern { name, squares }),
    }
}

fn check_distinct(patterns: &[Pattern]) -> Result<(), Invalid> {
    let mut earlier = BTreeMap::new();
    for (pattern, number) in patterns.iter().zip(1..) {
        let squares = bits(&pattern.squares);
        // The smallest image is the same for two patterns if and only if they have equal instances.
        let smallest = Symmetry::all().map(|symmetry| symmetry.bits(squares)).min();
        if let Some(earlier) = earlier.insert(smallest, number) {
            let pattern = format!("pattern {number} ({})", excerpt(&pattern.name));
            let same =
                format!("has the squares of pattern {earlier}, up to a symmetry of the board");
            return Err(Invalid(format!("{pattern} {same}; remove one of them")));
        }
    }
    Ok(())
}

/// Returns the distinct images of a list of squares under the board's symmetries, each in the order
/// of the list. Of images with the same set of squares, returns the first.
pub(super) fn images(squares: &[Square]) -> Vec<Vec<Square>> {
    let mut images: Vec<Vec<Square>> = vec![];
    for symmetry in Symmetry::all() {
        let image: Vec<Square> = squares.iter().map(|&square| symmetry.square(square)).collect();
        if images.iter().all(|other| bits(other) != bits(&image)) {
            images.push(image);
        }
    }
    images
}

fn bits(squares: &[Square]) -> u64 {
    squares.iter().map(|square| square.bit()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `datasets/formats.md` promises one key a line, so that reading a set needs no TOML library.
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
    fn sets_that_cannot_work_are_refused_by_name() {
        let pattern = |squares: &str| format!("[[pattern]]\nsquares = \"{squares}\"\n");
        let patterns =
            |all: &[&str]| all.iter().map(|squares| pattern(squares)).collect::<String>();
        let eight_instances = ["b1", "c1", "d1", "e1", "f1", "g1", "c2", "d2", "e2"];
        let twice = |second| patterns(&["a1 b1 c1", "d4", second]);
        for (body, expected) in [
            (pattern("a1 z9"), "`z9` is not a square"),
            (pattern("a1,b1"), "`a1,b1` is not a square; expected a1 to h8, separated by blanks"),
            (pattern(""), "0 squares"),
            (pattern("a1 b1 c1 d1 e1 f1 g1 h1 a2 b2 c2"), "11 squares"),
            (pattern("a1 b1 a1"), "a1 twice"),
            ("colour = 3".into(), "not a pattern set: line 2, column 1: unknown field `colour`"),
            ("scalars = [\"player_discs\", \"player_discs\"]".into(), "twice"),
            ("[factors]\ndimensions = 9\nphases = 5".into(), "9 dimensions"),
            (eight_instances.map(|b| pattern(&format!("a1 {b}"))).concat(), "72 instances"),
            (String::new(), "neither patterns nor scalar features"),
            ("scalars = []\npattern = []".into(), "neither patterns nor scalar features"),
            (twice("a1 b1 c1"), "pattern 3 () has the squares of pattern 1"),
            (twice("c1 a1 b1"), "pattern 3 () has the squares of pattern 1"),
            (twice("a8 a7 a6"), "pattern 3 () has the squares of pattern 1"),
            (twice("h8 f8 g8"), "pattern 3 () has the squares of pattern 1"),
        ] {
            let text = format!("name = \"t\"\n{body}");
            let message = PatternSet::from_toml(&text).unwrap_err().to_string();
            assert!(message.contains(expected), "{body}: {message}");
        }
        for sound in [twice("a1 b1 d1"), "scalars = [\"player_discs\"]".into()] {
            assert!(PatternSet::from_toml(&format!("name = \"t\"\n{sound}")).is_ok(), "{sound}");
        }
        for name in [&"K".repeat(2000), "a\\u001B[2Jb"] {
            let text = format!("name = \"{name}\\t\"");
            let message = PatternSet::from_toml(&text).unwrap_err().to_string();
            assert!(message.contains("control character") && message.len() < 200, "{message}");
            assert!(!message.contains('\u{1b}'), "{message}");
        }
    }

    #[test]
    fn shipped_sets_are_valid_and_read_back() {
        for (name, _) in PatternSet::SHIPPED {
            let set = PatternSet::shipped(name).unwrap();
            assert_eq!(set.name(), name);
            assert_eq!(PatternSet::from_toml(&set.to_toml()).unwrap(), set);
        }
        assert!(PatternSet::shipped("none").is_none());
    }

    #[test]
    fn a_name_that_is_neither_shipped_nor_a_file_is_refused_with_the_names() {
        let error = PatternSet::named("smal", Path::new("folder")).unwrap_err().to_string();
        assert!(
            error.contains("folder/smal: neither a file") && error.contains("`small`"),
            "{error}"
        );
    }
}
