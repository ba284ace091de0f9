//! What a label is taken from.

use std::fmt;
use std::str::FromStr;

use othello_engine::board::Discs;
use othello_engine::board::transcript::Step;
use othello_engine::record::{Game, Label};
use othello_engine::text::excerpt;
use serde::{Deserialize, Serialize};

/// What a game knows of its positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// What perfect play would have given from the game's solved position on.
    Solved,
    /// What perfect play would give from the position itself: at the solved position, and after it
    /// where there are values, which are exact there.
    Exact,
    /// What a search found when the move was chosen, or when the game was relabelled.
    Value,
    /// How the game ended.
    Result,
}

/// What a label is taken from: one origin, or a blend of several, each with its share in percent.
/// Written `result` and `70%result+30%value`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Use(Vec<(u8, Origin)>);

impl From<Origin> for Use {
    fn from(origin: Origin) -> Self {
        Self(vec![(100, origin)])
    }
}

impl Use {
    /// The label of the position at `ply`; `None` where the game lacks one of the origins there.
    pub(super) fn of(&self, game: &Game, ply: u8, step: &Step) -> Option<Label> {
        let part = |&(percent, origin): &(u8, Origin)| {
            Some(i32::from(percent) * origin.score(game, ply, step)?)
        };
        let hundredths: Option<i32> = self.0.iter().map(part).sum();
        Label::of_discs(f64::from(hundredths?) / 100.0)
    }
}

impl Origin {
    const ALL: [(&'static str, Self); 4] = [
        ("solved", Self::Solved),
        ("exact", Self::Exact),
        ("value", Self::Value),
        ("result", Self::Result),
    ];

    /// The score of the position at `ply`, for its player.
    fn score(self, game: &Game, ply: u8, step: &Step) -> Option<Discs> {
        let for_player = |black_score: Discs| black_score * step.side.sign();
        let value = || Some(Discs::from((*game.values()?.get(usize::from(ply))?)?));
        match self {
            Self::Solved => game.solved().map(|solved| for_player(solved.black_score)),
            Self::Exact => match game.solved()? {
                solved if solved.ply == ply => Some(for_player(solved.black_score)),
                solved if solved.ply < ply => value(),
                _ => None,
            },
            Self::Value => value(),
            Self::Result => game.black_score().map(for_player),
        }
    }
}

impl FromStr for Use {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let origin = |name: &str| {
            let found = Origin::ALL.iter().find(|(own, _)| *own == name.trim());
            found.map(|&(_, origin)| origin).ok_or_else(|| {
                format!("`{}` is none of `solved`, `exact`, `value` and `result`", excerpt(name))
            })
        };
        if !text.contains(['%', '+']) {
            return Ok(origin(text)?.into());
        }
        let part = |part: &str| {
            let share = |percent: &str| percent.trim().parse().ok().filter(|&n: &u8| n > 0);
            let (percent, name) = part.split_once('%').unwrap_or(("", part));
            let percent = share(percent).ok_or_else(|| {
                format!("`{}` has no share; expected such as 70%result+30%value", excerpt(part))
            })?;
            Ok((percent, origin(name)?))
        };
        let parts: Vec<(u8, Origin)> = text.split('+').map(part).collect::<Result<_, String>>()?;
        match parts.iter().map(|&(percent, _)| u32::from(percent)).sum() {
            100 => Ok(Self(parts)),
            sum => Err(format!("the shares are {sum} % together; expected 100 %")),
        }
    }
}

impl TryFrom<String> for Use {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Use> for String {
    fn from(label: Use) -> Self {
        label.to_string()
    }
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (percent, origin)) in self.0.iter().enumerate() {
            let name = Origin::ALL.iter().find(|(_, own)| own == origin).map_or("", |own| own.0);
            match (index, percent) {
                (0, 100) => f.write_str(name)?,
                (0, _) => write!(f, "{percent}%{name}")?,
                _ => write!(f, "+{percent}%{name}")?,
            }
        }
        Ok(())
    }
}
