//! Checkpoints, in a sound container.

use othello_engine::eval::Weights;
use othello_trainer::fit::{FitError, PhaseError};

use super::resumed_fit::{self, Resumed, Unfinished};
use crate::container::{self, Section};
use crate::corpus::check_message;
use othello_testing::scratch;

/// The byte between two names or contents of sections.
const BETWEEN: u8 = 0xFE;

/// Sections of a checkpoint: names and contents in turn, with a byte `FE` between them. The fit
/// takes them or refuses them by name, and makes weights that can be read.
pub fn checkpoint(data: &[u8]) {
    let (_, header) = parts_of_header(&resumed_fit::sound(Unfinished::Phases));
    let bytes = container::partial(header, &sections(data));
    scratch::with_file("fit.weights.checkpoint.partial", &bytes, |path| {
        match resumed_fit::of(Unfinished::Phases, path) {
            Ok(_) => check_weights(),
            Err(FitError::Checkpoint(error)) => {
                let message = error.to_string();
                assert!(message.contains("fit.weights.checkpoint.partial"), "{message}");
                check_message(&message);
            }
            Err(error) => panic!("{error}"),
        }
    });
}

/// Sections of the checkpoint of an unfinished phase. The fit goes on with the phase, or says why
/// not and begins the phase anew, or says that the weights run out of bounds.
pub fn unfinished_phase(data: &[u8]) {
    let (provenance, _) = parts_of_header(&resumed_fit::sound(Unfinished::InsidePhase));
    let bytes = container::file(b'C', container::VERSION, &provenance, &sections(data));
    scratch::with_file("fit.weights.phase-04.checkpoint", &bytes, |path| {
        match resumed_fit::of(Unfinished::InsidePhase, path) {
            Ok(Resumed { as_undisturbed, said }) => {
                assert!(as_undisturbed || said.is_empty(), "not begun anew: {said:?}");
                check_weights();
                for line in said {
                    assert!(line.contains("fit.weights.phase-04.checkpoint"), "{line}");
                    check_message(&line);
                }
            }
            Err(FitError::Phase(error @ PhaseError::Diverged { .. })) => {
                check_message(&error.to_string());
            }
            Err(error) => panic!("{error}"),
        }
    });
}

pub(super) fn sections(data: &[u8]) -> Vec<Section> {
    let mut parts = data.split(|&byte| byte == BETWEEN);
    let mut sections = vec![];
    while let (Some(name), Some(content)) = (parts.next(), parts.next()) {
        sections.push(Section { name: name.to_vec(), ..Section::new("", content) });
    }
    sections
}

/// The provenance in a container's header, and the whole header.
fn parts_of_header(sound: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let length = u32::from_le_bytes([sound[12], sound[13], sound[14], sound[15]]) as usize;
    (sound[16..16 + length].to_vec(), sound[..20 + length].to_vec())
}

fn check_weights() {
    if let Err(error) = Weights::read(&scratch::path("fit.weights")) {
        panic!("weights that cannot be read: {error}");
    }
}
