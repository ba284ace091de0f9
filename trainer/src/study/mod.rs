//! Whether an idea is better, and how surely: recipes, their errors on games that none of them saw, and
//! what can be said of the difference.

mod difference;
mod errors;
mod recipe;

pub use difference::{CONFIDENCE, Difference, Estimate, Needed, Verdict};
pub use errors::{ErrorsByGame, GameErrors, TestGames};
pub use recipe::{Recipe, RecipeError};
