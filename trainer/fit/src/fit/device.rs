//! Selects the device for a fit, and states the reason.

use std::path::Path;

use clap::ValueEnum;
use othello_engine::file::Existing;
use othello_engine::progress::Progress;
use othello_kernels::cuda::{self, CudaLauncher, Gpu};
use othello_kernels::host::HostLauncher;

use super::error::FitError;
use super::run::{Fit, FitEnd};
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

/// The device that [`Device::pick`] returns: the CPU, a GPU, or the kernels on the CPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PickedDevice {
    kind: Kind,
    /// The reason why this device was picked, as a text for the user.
    pub reason: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Cpu,
    Cuda(Gpu),
    Host,
}

impl Device {
    /// Returns the device for this value of `--device`. The error for an unusable one states a
    /// remedy.
    pub fn pick(self) -> Result<PickedDevice, FitError> {
        let asked = || "chosen by --device".to_owned();
        Ok(match self {
            Self::Cpu => PickedDevice { kind: Kind::Cpu, reason: asked() },
            Self::Host => PickedDevice { kind: Kind::Host, reason: asked() },
            Self::Cuda => {
                let found = cuda::find().map_err(FitError::NoGpu)?;
                PickedDevice { reason: found.to_string(), kind: Kind::Cuda(found) }
            }
            Self::Auto => match cuda::find() {
                Ok(found) => PickedDevice { reason: found.to_string(), kind: Kind::Cuda(found) },
                Err(error) => PickedDevice { kind: Kind::Cpu, reason: error.to_string() },
            },
        })
    }
}

impl PickedDevice {
    /// Returns the device's name, as used by `--device`.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Cpu => "cpu",
            Kind::Cuda(_) => "cuda",
            Kind::Host => "host",
        }
    }

    /// Returns true if the CPU is the device and runs native code, not the CUDA kernels.
    pub fn is_cpu(&self) -> bool {
        self.kind == Kind::Cpu
    }

    /// Returns the GPU, if the picked device is one.
    pub fn gpu(&self) -> Option<&Gpu> {
        match &self.kind {
            Kind::Cuda(found) => Some(found),
            Kind::Cpu | Kind::Host => None,
        }
    }

    /// Returns the exact solver of many positions that runs on the device; `None` for the CPU.
    pub fn solver(&self) -> Result<Option<Box<dyn SolveMany>>, BackendError> {
        Ok(match &self.kind {
            Kind::Cpu => None,
            Kind::Cuda(found) => {
                let launcher = CudaLauncher::new(found, &solver_program())?;
                Some(Box::new(KernelSolver::new(launcher)))
            }
            Kind::Host => Some(Box::new(KernelSolver::new(HostLauncher::new(&solver_program())?))),
        })
    }

    /// Runs a fit on the device, as [`Fit::run`] describes.
    pub fn run(
        &self,
        fit: &Fit<'_>,
        path: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<FitEnd, FitError> {
        let model = fit.model;
        match &self.kind {
            Kind::Cpu => fit.run(&Cpu::new(model), path, existing, progress),
            Kind::Cuda(found) => {
                let launcher = CudaLauncher::new(found, &program(model))?;
                fit.run(&KernelBackend::new(model, launcher), path, existing, progress)
            }
            Kind::Host => {
                let launcher = HostLauncher::new(&program(model))?;
                fit.run(&KernelBackend::new(model, launcher), path, existing, progress)
            }
        }
    }
}
