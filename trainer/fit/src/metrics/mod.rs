//! Errors of evaluations on data: bias, mean absolute and mean squared error of each phase and of
//! groups of positions, by static values or by searches.

mod by_game;
mod errors;
mod explain;
mod groups;
mod held_out;
mod limits;
mod measuring;
mod valued;
mod worst;

pub use by_game::{ErrorsByGame, GameErrors, TestGames};
pub use errors::{BiasSums, GroupErrors};
pub use explain::{ExplainError, Explainer, Explanation, InstanceRow, Total};
pub use groups::{Group, PhaseErrors};
pub use held_out::{HeldOutError, Trained};
pub use limits::ErrorLimits;
pub use measuring::{MeasureError, Measured, Measuring};
pub use valued::{Place, Valued};
pub use worst::WorstPosition;
