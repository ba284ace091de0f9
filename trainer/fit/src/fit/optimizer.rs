//! The optimizers.

/// An optimizer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, derive_more::Display)]
#[display("{}", self.name())]
pub enum Optimizer {
    /// Adam, by mini-batches or on all positions at once.
    Adam,
    /// Ridge-regularised least squares by conjugate gradients.
    LeastSquares,
    /// Steepest descent, for comparison.
    Descent,
}

impl Optimizer {
    /// Returns the name of the optimizer on the command line and in the provenance of weights.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adam => "adam",
            Self::LeastSquares => "lsq",
            Self::Descent => "descent",
        }
    }
}
