//! Studies of recipes: their errors on games that no recipe was fitted to, and the confidence in
//! the difference; the law of errors by amount of data; and the search for values.

mod choices;
mod difference;
mod halving;
mod law;
mod recipe;

pub use choices::{AtAnEnd, Choices, ChoicesError, End, Values};
pub use difference::{CONFIDENCE, Difference, Estimate, Needed, Verdict};
pub use halving::{Standing, standings};
pub use law::{Law, Prediction};
pub use recipe::{Recipe, RecipeError};
