//! Studies of recipes: the difference of the errors of two recipes on held-out games; the learning
//! curve, which is the error as a function of the amount of data; the search for the best settings.

mod choices;
mod comparison;
mod curve;
mod difference;
mod expected;
mod fits;
mod halving;
mod law;
mod printed;
mod recipe;
mod tuning;

pub use choices::{AtAnEnd, Choices, End, Values};
pub use comparison::{ComparedErrors, ComparedPhase, Comparing, Comparison, Played, openings};
pub use curve::{Curve, PhaseCurve, Point};
pub use difference::{CONFIDENCE, Difference, Estimate, Needed, Verdict};
pub use fits::{Fitted, Origins, Study, StudySettings, as_written, provenance_of};
pub use halving::{Standing, standings};
pub use law::{Law, Prediction};
pub use recipe::Recipe;
pub use tuning::{Record, Tuned, Tuning};
