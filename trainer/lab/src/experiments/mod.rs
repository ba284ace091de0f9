//! Studies of recipes: the difference of the errors of two recipes on held-out games; the learning
//! curve, which is the error as a function of the amount of data; the search for the best settings.

mod choices;
mod comparison;
mod curve;
mod difference;
mod fits;
mod printed;
mod recipe;
mod tuning;

pub use choices::{AtAnEnd, Choices, Values};
pub use comparison::{ComparedErrors, ComparedPhase, Comparing, Comparison, Played};
pub use curve::{Curve, Law, PhaseCurve, Point, Prediction};
pub use difference::{CONFIDENCE, Difference, Estimate, Needed, Verdict};
pub use fits::{Fitted, Origins, Study, StudySettings, Tested, as_written};
pub use recipe::Recipe;
pub use tuning::{Record, Standing, Tuned, Tuning};
