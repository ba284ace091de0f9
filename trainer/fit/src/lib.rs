//! Fits Othello pattern weights for 60 phases of the game, one for each number of moves played.
//!
//! Data flows from [`source`] (games and scored positions with labels) through [`dataset`] (split
//! by game, merged up to symmetry, sorted by phase) into [`fit`] (least squares or Adam, with
//! [`model`] and a [`backend`]), which writes a weights file. [`metrics`] computes the errors of
//! evaluations, [`calibrate`] fits the models that searches use (such as ProbCut), [`records`] has
//! the tools for record files, [`export`] writes the formats of other programs.
//!
//! ```
//! use othello_fit::model::Model;
//! use othello_engine::board::Position;
//! use othello_engine::pattern::PatternSet;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Every instance of a pattern contributes one parameter to the value of a position.
//! let model = Model::new(PatternSet::named("standard", std::path::Path::new(""))?);
//! let features = model.features(&Position::START);
//! assert_eq!(features.len(), model.feature_count());
//! # Ok(())
//! # }
//! ```

pub mod backend;
pub mod calibrate;
pub mod dataset;
pub mod export;
pub mod fit;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod records;
pub mod source;
