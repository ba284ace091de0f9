//! The device of a fit: the choice by `--device`, and the reason why it is picked.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// The first GPU if it is usable, else the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// NVIDIA GPUs. If bit n of the bit mask is 1, the GPU with the CUDA driver's number n is used.
    Cuda(u64),
    /// The CPU, but running the CUDA kernels, compiled by a C compiler. Serves to test the kernels.
    Host,
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let gpus = |numbers: &str| {
            numbers
                .split(',')
                .try_fold(0, |gpus, number| Some(gpus | 1u64.checked_shl(number.parse().ok()?)?))
        };
        match text.split_once(':') {
            None if text == "auto" => Ok(Self::Auto),
            None if text == "cpu" => Ok(Self::Cpu),
            None if text == "cuda" => Ok(Self::Cuda(1)),
            None if text == "host" => Ok(Self::Host),
            Some(("cuda", numbers)) => gpus(numbers).map(Self::Cuda).ok_or_else(expected),
            _ => Err(expected()),
        }
    }
}

fn numbers(gpus: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |number| gpus >> number & 1 == 1)
}

fn expected() -> String {
    "expected auto, cpu, cuda or, for several GPUs, cuda:0,1".to_owned()
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Host => "host",
            Self::Cuda(1) => "cuda",
            Self::Cuda(gpus) => {
                let numbers: Vec<String> =
                    numbers(*gpus).map(|number| number.to_string()).collect();
                return write!(f, "cuda:{}", numbers.join(","));
            }
        })
    }
}

/// The device of a fit, as [`Device::pick`] selects it: one or more GPUs, or the CPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PickedDevice {
    /// The kind of device, as `--device` names it: `cpu`, `cuda` or `host`.
    pub name: &'static str,
    /// The GPUs; none if the CPU is the device.
    pub gpus: Vec<Gpu>,
    /// The reason why this device was picked, as a text for the user.
    pub reason: String,
}

impl Device {
    /// Returns the device that `--device` chooses; an error if it is a GPU that cannot be used.
    pub fn pick(self) -> Result<PickedDevice> {
        let processor = |name, reason| PickedDevice { name, gpus: vec![], reason };
        let of = |gpus: Vec<Gpu>| {
            let reason = gpus.iter().map(Gpu::to_string).collect::<Vec<_>>().join("; ");
            PickedDevice { name: "cuda", reason, gpus }
        };
        let asked = "chosen by --device".to_owned();
        Ok(match self {
            Self::Cpu => processor("cpu", asked),
            Self::Host => processor("host", asked),
            Self::Cuda(gpus) => {
                let found = numbers(gpus).map(cuda::find).collect::<Result<_, _>>();
                of(found.map_err(|error| FitError::NoGpu(self, error))?)
            }
            Self::Auto => match cuda::find(0) {
                Ok(gpu) => of(vec![gpu]),
                Err(error) => processor("cpu", error.to_string()),
            },
        })
    }
}

impl PickedDevice {
    /// Returns true if the device is the CPU and runs native code, not the CUDA kernels.
    pub fn is_cpu(&self) -> bool {
        self.name == "cpu"
    }

    /// Returns a solver that computes exact scores of endgame positions on the device. Returns
    /// `None` if the device is the CPU without CUDA kernels ([`Self::is_cpu`]).
    pub fn solver(&self) -> Result<Option<Box<dyn SolveMany>>, BackendError> {
        Ok(match &self.gpus[..] {
            _ if self.is_cpu() => None,
            [] => Some(Box::new(KernelSolver::new(HostLauncher::new(&solver_program())?))),
            gpus => Some(Box::new(KernelSolver::new(CudaLauncher::new(gpus, &solver_program())?))),
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
        match &self.gpus[..] {
            _ if self.is_cpu() => fit.run(&Cpu::new(model), path, existing, progress),
            [] => {
                let launcher = HostLauncher::new(&program(model))?;
                fit.run(&KernelBackend::new(model, launcher), path, existing, progress)
            }
            gpus => {
                let launcher = CudaLauncher::new(gpus, &program(model))?;
                fit.run(&KernelBackend::new(model, launcher), path, existing, progress)
            }
        }
    }
}
