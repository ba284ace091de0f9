//! The reference backend: computes all primitives of a fit on the CPU.

mod factors;
mod rows;
mod sums;
mod vectors;

use std::sync::Arc;

use super::{
    AdamStep, Backend, Batch, Errors, Group, GroupUpdate, Moments, NO_GROUP, NOT_LINEAR, Result,
    Rows, Target, unsupported,
};
use crate::model::Model;

pub use factors::for_dimensions;
pub use rows::{gather, scatter};

/// The CPU as a backend. Divides large sums among the threads of the current rayon pool.
#[derive(Clone, Debug)]
pub struct Cpu<'m> {
    model: &'m Model,
    /// The group of phases whose weights and factors this backend fits together; `None` for the fit
    /// of the weights of one phase, without factors.
    group: Option<Arc<Group>>,
}

impl<'m> Cpu<'m> {
    /// Creates a backend for fits of one phase without factors: its vectors have one weight for
    /// each parameter of `model`. [`Backend::of_group`] makes a backend for factors from it.
    pub fn new(model: &'m Model) -> Self {
        Self { model, group: None }
    }
}

impl Backend for Cpu<'_> {
    type Positions<'a> = Vec<Rows<'a>>;
    type Fixed = Vec<i32>;
    type Sums = Vec<i64>;
    type Reals = Vec<f64>;
    type Scratch = factors::Scratch;

    fn of_group(&self, group: &Group) -> Result<Self> {
        Ok(Self { model: self.model, group: Some(Arc::new(group.clone())) })
    }

    fn parameters(&self) -> usize {
        self.group.as_ref().map_or_else(|| self.model.parameters(), |group| group.length())
    }

    fn positions<'a>(&self, rows: &[Rows<'a>]) -> Result<Vec<Rows<'a>>> {
        Ok(rows.to_vec())
    }

    fn zero_fixed(&self) -> Result<Vec<i32>> {
        Ok(vec![0; self.parameters()])
    }

    fn zero_sums(&self) -> Result<Vec<i64>> {
        Ok(vec![0; self.parameters()])
    }

    fn upload(&self, values: &[f64]) -> Result<Vec<f64>> {
        Ok(values.to_vec())
    }

    fn download(&self, vector: &Vec<f64>) -> Result<Vec<f64>> {
        Ok(vector.clone())
    }

    fn download_sums(&self, sums: &Vec<i64>) -> Result<Vec<i64>> {
        Ok(sums.clone())
    }

    fn copy(&self, from: &Vec<f64>, to: &mut Vec<f64>) -> Result<()> {
        to.copy_from_slice(from);
        Ok(())
    }

    fn residual_sums(
        &self,
        positions: &Vec<Rows<'_>>,
        batch: Batch,
        vector: &Vec<i32>,
        target: Target,
        sums: &mut Vec<i64>,
    ) -> Result<u128> {
        let rows = &rows_of(positions, batch);
        match &self.group {
            None => Ok(sums::residual_sums(self.model, rows, vector, target, sums)),
            Some(_) => Err(unsupported("cpu", NOT_LINEAR)),
        }
    }

    fn occurrences(&self, positions: &Vec<Rows<'_>>, sums: &mut Vec<i64>) -> Result<()> {
        match &self.group {
            None => sums::occurrences(self.model, positions, sums),
            Some(_) => return Err(unsupported("cpu", NOT_LINEAR)),
        }
        Ok(())
    }

    fn errors(&self, positions: &Vec<Rows<'_>>, weights: &Vec<i32>) -> Result<Errors> {
        Ok(match &self.group {
            None => sums::errors(self.model, positions, weights),
            Some(group) => factors::errors(self.model, group, positions, weights),
        })
    }

    fn dot(&self, left: &Vec<f64>, right: &Vec<f64>) -> Result<f64> {
        Ok(vectors::dot(left, right))
    }

    fn max_abs(&self, vector: &Vec<f64>) -> Result<f64> {
        Ok(vectors::max_abs(vector))
    }

    fn add_scaled(&self, sum: &mut Vec<f64>, factor: f64, other: &Vec<f64>) -> Result<()> {
        vectors::add_scaled(sum, factor, other);
        Ok(())
    }

    fn scale_and_add(&self, vector: &mut Vec<f64>, factor: f64, other: &Vec<f64>) -> Result<()> {
        vectors::scale_and_add(vector, factor, other);
        Ok(())
    }

    fn divide(
        &self,
        numerator: &Vec<f64>,
        denominator: &Vec<f64>,
        quotient: &mut Vec<f64>,
    ) -> Result<()> {
        vectors::divide(numerator, denominator, quotient);
        Ok(())
    }

    fn scale_sums(&self, sums: &Vec<i64>, unit: f64, scaled: &mut Vec<f64>) -> Result<()> {
        vectors::scale_sums(sums, unit, scaled);
        Ok(())
    }

    fn round_weights(&self, weights: &Vec<f64>, fixed: &mut Vec<i32>) -> Result<()> {
        vectors::round_weights(weights, fixed);
        if let Some(group) = &self.group {
            factors::round_factors(group, weights, fixed);
        }
        Ok(())
    }

    fn round_direction(
        &self,
        direction: &mut Vec<f64>,
        scale: f64,
        fixed: &mut Vec<i32>,
    ) -> Result<()> {
        vectors::round_direction(direction, scale, fixed);
        Ok(())
    }

    fn adam(
        &self,
        sums: &Vec<i64>,
        initial: &Vec<f64>,
        step: &AdamStep,
        moments: &mut Moments<Self>,
        fixed: &mut Vec<i32>,
    ) -> Result<()> {
        let Moments { weights, first, second } = moments;
        vectors::adam(sums, initial, step, [weights, first, second], fixed);
        Ok(())
    }

    fn scratch(&self) -> Result<factors::Scratch> {
        Ok(factors::Scratch::default())
    }

    fn descend(
        &self,
        positions: &Vec<Rows<'_>>,
        batch: Batch,
        update: GroupUpdate<'_, Self>,
        scratch: &mut factors::Scratch,
    ) -> Result<u128> {
        let Some(group) = &self.group else { return Err(unsupported("cpu", NO_GROUP)) };
        let GroupUpdate { step, initial, moments, fixed } = update;
        let Moments { weights, first, second } = moments;
        let vectors = factors::Vectors { initial, weights, first, second, fixed };
        let rows = &rows_of(positions, batch);
        Ok(factors::descend(self.model, group, rows, step, vectors, scratch))
    }
}

fn rows_of<'a>(positions: &[Rows<'a>], batch: Batch) -> Vec<Rows<'a>> {
    let of_batch = |rows: &Rows<'a>| {
        let positions = &rows.positions[batch.range(rows.positions.len())];
        Rows { positions, factor: rows.factor }
    };
    positions.iter().map(of_batch).collect()
}
