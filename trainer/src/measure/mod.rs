//! Errors of evaluations on data: bias, mean absolute and mean squared error of each phase and of
//! groups of positions, by static values or by searches.

mod by_game;
mod errors;
mod groups;
mod held_out;
mod measuring;
mod valued;

pub use by_game::{ErrorsByGame, GameErrors, TestGames};
pub use errors::{ErrorSums, GroupErrors};
pub use groups::{Group, PhaseErrors};
pub use held_out::{HeldOutError, Trained};
pub use measuring::{MeasureError, Measured, Measuring};
pub use valued::{Place, Valued};
