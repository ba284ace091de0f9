//! The two parts of a label rule: the source of the label, and the plies to which the rule applies.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use othello_engine::board::transcript::Step;
use othello_engine::record::{Game, Label};
use othello_engine::text::{excerpt, parse_range};

/// A kind of value from which a position of a game may get its label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The exact score of the game's first solved position, used for every position of the game.
    Solved,
    /// The position's own exact score. The first solved position has one, later ones may have one.
    Exact,
    /// The value that a search found when the move was chosen, or when the game was relabelled.
    Value,
    /// The λ-return: a weighted mean of the search values of the position and of later positions.
    LambdaReturn(Lambda),
    /// The result of the game by its moves: the score of its final position.
    Result,
    /// The result that the game's source states or, if it states none, the result by the moves.
    Stated,
}

/// The λ of a λ-return, 0 to 1 in hundredths (Sutton, Learning to Predict by the Methods of
/// Temporal Differences, 1988). All values are for one side: v₀ is the search value of the
/// position, vᵢ that of the position i moves later, and vₙ, after the last move, the game's result.
/// The λ-return is `(1 − λ) · (v₀ + λ v₁ + … + λⁿ⁻¹ vₙ₋₁) + λⁿ vₙ`. A move that was drawn at
/// random, or leads to a position without a value, ends the sum: vₙ is then the value before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lambda(u8);

impl Lambda {
    fn share(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl FromStr for Lambda {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hundredths = text.parse::<f64>().ok().map(|lambda| (lambda * 100.0).round());
        let lambda = hundredths.filter(|h| (0.0..=100.0).contains(h)).map(|h| Self(h as u8));
        lambda.ok_or_else(|| format!("`{}` is not a λ; expected such as lambda0.7", excerpt(text)))
    }
}

/// The source of a label: one kind of value, or a blend such as `70%result+30%value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelSource(Vec<(u8, Origin)>);

impl LabelSource {
    /// Returns true only if `self` has a label for every position for which `other` has one.
    pub(super) fn is_available_with(&self, other: &Self) -> bool {
        let origin = |&(_, origin): &(u8, Origin)| match origin {
            Origin::LambdaReturn(_) => Origin::Value,
            origin => origin,
        };
        self.0.iter().map(origin).all(|own| other.0.iter().map(origin).any(|other| other == own))
    }

    pub(super) fn of(&self, game: &Game, steps: &[Step], ply: u8) -> Option<Label> {
        let part = |&(percent, origin): &(u8, Origin)| {
            Some(f64::from(percent) * origin.score(game, steps, ply)?)
        };
        let hundredths: Option<f64> = self.0.iter().map(part).sum();
        Label::of_discs(hundredths? / 100.0)
    }
}

impl Origin {
    const NAMED: [(&'static str, Self); 5] = [
        ("solved", Self::Solved),
        ("exact", Self::Exact),
        ("value", Self::Value),
        ("result", Self::Result),
        ("stated", Self::Stated),
    ];

    /// Returns the value at `ply` in discs for the side to move; `None` if unknown.
    fn score(self, game: &Game, steps: &[Step], ply: u8) -> Option<f64> {
        let sign = f64::from(steps.get(usize::from(ply))?.side.sign());
        let values = BlackValues { game, steps };
        let for_black = match self {
            Self::Solved => game.solved()?.black_score.into(),
            Self::Exact => match game.solved()? {
                solved if solved.ply == ply => solved.black_score.into(),
                solved if solved.ply < ply => values.at(ply)?,
                _ => return None,
            },
            Self::Value => values.at(ply)?,
            Self::LambdaReturn(lambda) => values.lambda_return(ply, lambda)?,
            Self::Result => game.black_score()?.into(),
            Self::Stated => game.stated().or(game.black_score())?.into(),
        };
        Some(sign * for_black)
    }
}

struct BlackValues<'a> {
    game: &'a Game,
    steps: &'a [Step],
}

impl BlackValues<'_> {
    fn at(&self, ply: u8) -> Option<f64> {
        let value = (*self.game.values()?.get(usize::from(ply))?)?;
        let side = self.steps.get(usize::from(ply))?.side;
        Some(f64::from(value) * f64::from(side.sign()))
    }

    /// Returns the value for black after the move at `ply`; after the last move, the game's result.
    /// `None` if it is unknown, or if the move was drawn at random.
    fn next(&self, ply: u8) -> Option<f64> {
        if self.game.deviations() >> ply & 1 == 1 {
            return None;
        }
        let is_last = usize::from(ply) + 1 == self.steps.len();
        if is_last { self.game.black_score().map(f64::from) } else { self.at(ply + 1) }
    }

    fn lambda_return(&self, ply: u8, lambda: Lambda) -> Option<f64> {
        let (mut ply, mut value) = (ply, self.at(ply)?);
        let (mut sum, mut left) = (0.0, 1.0);
        while let Some(next) = self.next(ply) {
            sum += left * (1.0 - lambda.share()) * value;
            left *= lambda.share();
            (ply, value) = (ply + 1, next);
        }
        Some(sum + left * value)
    }
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(lambda) = text.strip_prefix("lambda") {
            return lambda.parse().map(Self::LambdaReturn);
        }
        let found = Self::NAMED.iter().find(|(own, _)| *own == text);
        found.map(|&(_, origin)| origin).ok_or_else(|| {
            let names = "`solved`, `exact`, `value`, `lambda0.7`, `result` and `stated`";
            format!("`{}` is none of {names}", excerpt(text))
        })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::LambdaReturn(lambda) = self {
            return write!(f, "lambda{}", lambda.share());
        }
        let name = Self::NAMED.iter().find(|(_, own)| own == self).map_or("", |own| own.0);
        f.write_str(name)
    }
}

impl FromStr for LabelSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.contains(['%', '+']) {
            return Ok(Self(vec![(100, text.parse()?)]));
        }
        let part = |part: &str| {
            let share = |percent: &str| percent.trim().parse().ok().filter(|&n: &u8| n > 0);
            let (percent, name) = part.split_once('%').unwrap_or(("", part));
            let percent = share(percent).ok_or_else(|| {
                format!("`{}` has no share; expected such as 70%result+30%value", excerpt(part))
            })?;
            Ok((percent, name.parse()?))
        };
        let parts: Vec<(u8, Origin)> = text.split('+').map(part).collect::<Result<_, String>>()?;
        match parts.iter().map(|&(percent, _)| u32::from(percent)).sum() {
            100 => Ok(Self(parts)),
            sum => Err(format!("the shares are {sum} % together; expected 100 %")),
        }
    }
}

impl fmt::Display for LabelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [(100, origin)] = self.0[..] {
            return write!(f, "{origin}");
        }
        let parts = self.0.iter().map(|(percent, origin)| format!("{percent}%{origin}"));
        f.write_str(&parts.collect::<Vec<_>>().join("+"))
    }
}

/// The plies of a game to which a label rule applies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plies {
    /// The same plies in every game: `34..38`, `34`, or `all`. A range includes its end.
    Between(RangeInclusive<u8>),
    /// The plies around a game's first exactly scored position: `solved` or `solved-2..solved+2`.
    AboutSolved {
        /// The rule applies to this many plies before the first position with an exact score.
        before: u8,
        /// The rule applies to this many plies after the first position with an exact score.
        after: u8,
    },
}

impl Plies {
    pub(super) fn has(&self, ply: u8, game: &Game) -> bool {
        match self {
            Self::Between(plies) => plies.contains(&ply),
            Self::AboutSolved { before, after } => game.solved().is_some_and(|solved| {
                let solved = solved.ply;
                (solved.saturating_sub(*before)..=solved.saturating_add(*after)).contains(&ply)
            }),
        }
    }

    /// Returns true if, in every game, the plies of `self` include all plies of `other`.
    pub(super) fn contain(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Between(own), Self::Between(other)) => {
                own.contains(other.start()) && own.contains(other.end())
            }
            (Self::Between(own), Self::AboutSolved { .. }) => *own == (0..=60),
            (Self::AboutSolved { before, after }, Self::AboutSolved { before: b, after: a }) => {
                before >= b && after >= a
            }
            (Self::AboutSolved { .. }, Self::Between(_)) => false,
        }
    }
}

impl FromStr for Plies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::Between(0..=60));
        }
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let last = last.strip_prefix('=').unwrap_or(last);
        if let (Some(before), Some(after)) = (offset(first, '-'), offset(last, '+')) {
            return Ok(Self::AboutSolved { before, after });
        }
        parse_range(text, &(0..=60)).map(Self::Between).ok_or_else(|| {
            let found = excerpt(text);
            format!("`{found}` is not a range of plies, as all, 34..38, solved-2..solved+2")
        })
    }
}

fn offset(text: &str, sign: char) -> Option<u8> {
    match text.trim().strip_prefix("solved")? {
        "" => Some(0),
        offset => offset.strip_prefix(sign)?.parse().ok().filter(|&offset| offset <= 60),
    }
}

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Between(plies) if *plies == (0..=60) => f.write_str("all"),
            Self::Between(plies) => write!(f, "{}..{}", plies.start(), plies.end()),
            Self::AboutSolved { before, after } => write!(f, "solved-{before}..solved+{after}"),
        }
    }
}
