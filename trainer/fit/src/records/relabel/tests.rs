//! Tests of relabelling.

mod devices;
mod games;
mod positions;

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::run::Shard;

use super::{Relabel, RelabelJob, Relabelled, Settings, relabel};
use crate::backend::SolveMany;
use crate::records::sequence::Inputs;
use crate::records::testing::Folder;

fn relabelled<R: Relabel>(
    folder: &Folder,
    inputs: &[&str],
    settings: &Settings,
    device: Option<&dyn SolveMany>,
    out: &str,
) -> Relabelled {
    let paths: Vec<_> = inputs.iter().map(|name| folder.path(name)).collect();
    let inputs = Inputs::<R>::count(&paths, &Silent).unwrap();
    let settings = settings.clone();
    let job = RelabelJob { settings, inputs: &inputs, shard: Shard::WHOLE, device };
    relabel(&folder.path(out), &job, &Mobility, Existing::Keep, &Silent).unwrap()
}
