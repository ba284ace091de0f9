//! The error of a text or a number that is not a valid setting.

use othello_engine::text::excerpt;

/// The error of a text or number that is not a valid setting.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSetting(String);

impl InvalidSetting {
    /// Creates the error with this message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// `kind` is such as "a window", and `expected` describes the valid texts.
    pub(crate) fn of_text(text: &str, kind: &str, expected: &str) -> Self {
        Self(format!("`{}` is not {kind}; expected {expected}", excerpt(text)))
    }
}
