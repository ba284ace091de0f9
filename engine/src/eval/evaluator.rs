//! The choice of an evaluation: one type for all values of `--weights`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

#[cfg(feature = "embedded")]
use super::embedded;
use super::{
    Evaluate, Handwritten, Identified, Mobility, Models, MoveOrdering, Tables, Value, Weights,
    WeightsError, WeightsFile, Zero,
};
use crate::board::{Position, Square};
use crate::pattern::{Indices, LANES};
use crate::text::Invalid;

/// A choice of weights: the value of the flag `--weights`.
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Display)]
#[display(rename_all = "lowercase")]
pub enum WeightsChoice {
    /// `none`: every position has value 0.
    None,
    /// `mobility`: moves and corners, weighted by hand.
    Mobility,
    /// `embedded`: the weights inside the binary.
    Embedded,
    /// Any other text: the path of a weights file.
    #[display("{}", _0.display())]
    File(PathBuf),
}

impl FromStr for WeightsChoice {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        Ok(match text {
            "none" => Self::None,
            "mobility" => Self::Mobility,
            "embedded" => Self::Embedded,
            // If a word of letters is not a file, it may be a misspelt `embedded`.
            word if word.bytes().all(|byte| byte.is_ascii_alphabetic())
                && !Path::new(word).exists() =>
            {
                let reason = "neither a file nor one of `none`, `mobility` and `embedded`";
                return Err(Invalid(reason.to_owned()));
            }
            path => Self::File(path.into()),
        })
    }
}

impl WeightsChoice {
    /// Returns the path of the weights file, if a file is chosen.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::None | Self::Mobility | Self::Embedded => None,
        }
    }

    /// Loads the chosen weights, one for each class of symmetric configurations. Embedded weights
    /// have no training counts. For `none` and `mobility`, which have no weights, returns an error.
    pub fn by_class(&self) -> Result<WeightsFile, WeightsError> {
        match self {
            Self::File(path) => Weights::read(path),
            #[cfg(not(feature = "embedded"))]
            Self::Embedded => Err(WeightsError::NotEmbedded),
            #[cfg(feature = "embedded")]
            Self::Embedded => Ok(embedded::weights()),
            Self::None | Self::Mobility => Err(WeightsError::NotByClass(self.to_string())),
        }
    }

    /// Returns whether the weights were fitted to data, rather than set by hand.
    pub fn is_learned(&self) -> bool {
        matches!(self, Self::Embedded | Self::File(_))
    }
}

/// The evaluation that a [`WeightsChoice`] selects, and its identity: a checksum or a name.
#[derive(Clone, Debug)]
pub struct Evaluator {
    evaluation: Evaluation,
    identity: String,
}

#[derive(Clone, Debug)]
enum Evaluation {
    Handwritten(Handwritten),
    Tables(Box<Tables>),
}

impl Evaluator {
    /// Loads the chosen evaluation. The tables of embedded weights are computed when first used.
    ///
    /// # Errors
    /// If the file is not a complete weights file, or the program has no embedded weights.
    pub fn load(choice: &WeightsChoice) -> Result<Self, WeightsError> {
        Ok(match choice {
            WeightsChoice::None => Zero.into(),
            WeightsChoice::Mobility => Mobility.into(),
            #[cfg(feature = "embedded")]
            WeightsChoice::Embedded => Self::embedded(),
            #[cfg(not(feature = "embedded"))]
            WeightsChoice::Embedded => return Err(WeightsError::NotEmbedded),
            WeightsChoice::File(path) => (&Weights::read(path)?).into(),
        })
    }

    /// Returns the evaluation by the embedded weights.
    #[cfg(feature = "embedded")]
    pub fn embedded() -> Self {
        let evaluation = Evaluation::Tables(Box::new(embedded::tables()));
        Self { evaluation, identity: embedded::sha256().to_owned() }
    }

    /// Loads the evaluation and computes all its tables now, so that no search waits for them.
    pub fn prepared(choice: &WeightsChoice) -> Result<Self, WeightsError> {
        let evaluator = Self::load(choice)?;
        evaluator.tables().into_iter().for_each(Tables::prepare);
        Ok(evaluator)
    }

    /// Returns the tables of fitted weights; `None` for the evaluations `none` and `mobility`.
    pub fn tables(&self) -> Option<&Tables> {
        match &self.evaluation {
            Evaluation::Handwritten(_) => None,
            Evaluation::Tables(tables) => Some(tables),
        }
    }
}

impl Identified for Evaluator {
    fn identity(&self) -> &str {
        &self.identity
    }
}

impl From<Handwritten> for Evaluator {
    fn from(own: Handwritten) -> Self {
        Self { evaluation: Evaluation::Handwritten(own), identity: own.identity().to_owned() }
    }
}

impl From<&WeightsFile> for Evaluator {
    fn from(file: &WeightsFile) -> Self {
        let evaluation = Evaluation::Tables(Box::new(Tables::new(&file.weights)));
        Self { evaluation, identity: file.sha256.clone() }
    }
}

const NO_INDICES: Indices = Indices([0; LANES]);

impl Evaluate for Evaluator {
    type State = Indices;

    fn state(&self, position: &Position) -> Indices {
        match &self.evaluation {
            Evaluation::Handwritten(_) => NO_INDICES,
            Evaluation::Tables(tables) => tables.state(position),
        }
    }

    #[inline(always)]
    fn after(&self, state: &Indices, square: Square, flips: u64) -> Indices {
        match &self.evaluation {
            Evaluation::Handwritten(_) => NO_INDICES,
            Evaluation::Tables(tables) => tables.after(state, square, flips),
        }
    }

    #[inline(always)]
    fn pass(&self, state: &Indices) -> Indices {
        state.negated()
    }

    #[inline(always)]
    fn value(&self, state: &Indices, position: &Position) -> Value {
        match &self.evaluation {
            Evaluation::Handwritten(own) => own.value(&(), position),
            Evaluation::Tables(tables) => tables.value(state, position),
        }
    }

    #[inline(always)]
    fn value_after(&self, state: &Indices, square: Square, flips: u64, after: &Position) -> Value {
        match &self.evaluation {
            Evaluation::Handwritten(own) => own.value(&(), after),
            Evaluation::Tables(tables) => tables.value_after(state, square, flips, after),
        }
    }

    #[inline(always)]
    fn value_after_within(
        &self,
        state: &Indices,
        square: Square,
        flips: u64,
        after: &Position,
        window: [Value; 2],
    ) -> Value {
        match &self.evaluation {
            Evaluation::Handwritten(own) => own.value(&(), after),
            Evaluation::Tables(tables) => {
                tables.value_after_within(state, square, flips, after, window)
            }
        }
    }

    #[inline(always)]
    fn value_at(&self, state: &Indices, position: &Position, ply: u32) -> Value {
        match &self.evaluation {
            Evaluation::Handwritten(own) => own.value(&(), position),
            Evaluation::Tables(tables) => tables.value_at(state, position, ply),
        }
    }

    fn move_ordering(&self) -> Option<&MoveOrdering> {
        self.tables()?.move_ordering()
    }

    fn models(&self) -> &Models {
        self.tables().map_or(Zero.models(), Tables::models)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Weights;

    #[test]
    fn an_evaluator_is_identified_by_what_it_was_loaded_from() {
        let load = |choice: &str| Evaluator::load(&choice.parse().unwrap()).unwrap();
        for name in ["none", "mobility"] {
            assert_eq!(load(name).identity(), name);
        }
        assert_eq!(load("embedded").identity(), embedded::sha256());
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/conformance/conformance.weights");
        let file = Weights::read(path.as_ref()).unwrap();
        assert_eq!(load(path).identity(), file.sha256);
        assert_eq!(Evaluator::from(&file).identity(), file.sha256);
    }
}
