//! Runs the checks of the host-run kernels on a GPU, if there is one.

use othello_kernels::Program;
use othello_testing::skip;

use super::{CudaLauncher, find};
use crate::backend::kernels::tests::{
    Bring, all_phases_of_self_play_give_the_same_sums, awkward_numbers_of_rows_give_the_same_sums,
    joint::weights_and_factors_give_the_same_sums, sums_at_the_bound_are_exact,
    vectors_are_computed_alike_to_the_bit,
};
use crate::backend::kernels::{Launcher as _, Limits};

impl Bring for CudaLauncher {
    fn bring(program: &Program, limits: Option<Limits>) -> Self {
        let launcher = Self::new(&find().unwrap(), program, None).unwrap();
        let limits = limits.unwrap_or_else(|| launcher.limits());
        launcher.with_limits(limits)
    }
}

#[test]
fn the_gpu_computes_what_the_cpu_computes() {
    if let Err(error) = find() {
        skip!("{error}");
    }
    all_phases_of_self_play_give_the_same_sums::<CudaLauncher>();
    awkward_numbers_of_rows_give_the_same_sums::<CudaLauncher>();
    sums_at_the_bound_are_exact::<CudaLauncher>();
    vectors_are_computed_alike_to_the_bit::<CudaLauncher>();
    weights_and_factors_give_the_same_sums::<CudaLauncher>();
}
