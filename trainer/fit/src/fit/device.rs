//! Selects the device for a fit, and states the reason.

use std::path::Path;

use clap::ValueEnum;
use othello_engine::file::Existing;
use othello_engine::progress::Progress;
use othello_kernels::cuda::{self, CudaLauncher, Gpu};
use othello_kernels::host::HostLauncher;

use super::report::FitEnd;
use super::run::Fit;
use super::{FitError, Result};
use crate::backend::kernels::{KernelBackend, KernelSolver, program, solver_program};
use crate::backend::{BackendError, Cpu, SolveMany};

/// The values of `--device`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Device {
    /// The GPU if there is a usable one, else the CPU
    Auto,
    /// The CPU
    Cpu,
    /// An NVIDIA GPU
    Cuda,
    /// The CUDA kernels, compiled by the C compiler and run on the CPU: for checks
    #[value(hide = true)]
    Host,
}

/// The device that [`Device::pick`] returns: a GPU, or the CPU with native code or CUDA kernels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PickedDevice {
    /// The device's name, as used by `--device`.
    pub name: &'static str,
    /// The GPU, if the picked device is one.
    pub gpu: Option<Gpu>,
    /// The reason why this device was picked, as a text for the user.
    pub reason: String,
}

impl Device {
    /// Returns the device that `--device` chooses; an error if this is a GPU and none is usable.
    pub fn pick(self) -> Result<PickedDevice> {
        let processor = |name, reason| PickedDevice { name, gpu: None, reason };
        let of = |gpu: Gpu| PickedDevice { name: "cuda", reason: gpu.to_string(), gpu: Some(gpu) };
        let asked = "chosen by --device".to_owned();
        Ok(match self {
            Self::Cpu => processor("cpu", asked),
            Self::Host => processor("host", asked),
            Self::Cuda => of(cuda::find().map_err(FitError::NoGpu)?),
            Self::Auto => cuda::find().map_or_else(|error| processor("cpu", error.to_string()), of),
        })
    }
}

impl PickedDevice {
    /// Returns true if the CPU is the device and runs native code, not the CUDA kernels.
    pub fn is_cpu(&self) -> bool {
        self.name == "cpu"
    }

    /// Returns the exact solver of many positions that runs on the device; `None` for the CPU.
    pub fn solver(&self) -> Result<Option<Box<dyn SolveMany>>, BackendError> {
        Ok(match &self.gpu {
            _ if self.is_cpu() => None,
            Some(gpu) => {
                Some(Box::new(KernelSolver::new(CudaLauncher::new(gpu, &solver_program())?)))
            }
            None => Some(Box::new(KernelSolver::new(HostLauncher::new(&solver_program())?))),
        })
    }

    /// Runs a fit on the device, as [`Fit::run`] describes.
    pub fn run(
        &self,
        fit: &Fit<'_>,
        path: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<FitEnd> {
        let model = fit.model;
        match &self.gpu {
            _ if self.is_cpu() => fit.run(&Cpu::new(model), path, existing, progress),
            Some(gpu) => {
                let launcher = CudaLauncher::new(gpu, &program(model))?;
                fit.run(&KernelBackend::new(model, launcher), path, existing, progress)
            }
            None => {
                let launcher = HostLauncher::new(&program(model))?;
                fit.run(&KernelBackend::new(model, launcher), path, existing, progress)
            }
        }
    }
}
