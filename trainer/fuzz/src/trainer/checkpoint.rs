//! Parts of fits and snapshots, in a sound container.

use othello_engine::eval::Weights;
use othello_trainer::fit::{FitError, PhaseError};

use super::resumed_fit::{self, Resumed, Unfinished};
use crate::container::{self, Section};
use crate::corpus::check_message;
use othello_testing::scratch;

/// The byte between two names or contents of sections.
const BETWEEN: u8 = 0xFE;

/// Sections of a part of a fit: names and contents in turn, with a byte `FE` between them. The fit
/// takes them or refuses them by the name of the part, and makes weights that can be read.
pub fn part_of_fit(data: &[u8]) {
    match resumed(Unfinished::Phases, data) {
        Ok(_) => check_weights(),
        Err(FitError::File(error)) => {
            let message = error.to_string();
            assert!(message.contains("fit.weights.parts/part-000002"), "{message}");
            check_message(&message);
        }
        // All phases may be in the one part, as those without positions.
        Err(error) => panic!("{error}"),
    }
}

/// Sections of the snapshot of an unfinished phase. The fit goes on with the phase, or says why not
/// and begins the phase anew, or says that the weights run out of bounds.
pub fn unfinished_phase(data: &[u8]) {
    match resumed(Unfinished::InsidePhase, data) {
        Ok(Resumed { as_undisturbed, said }) => {
            assert!(as_undisturbed || said.is_empty(), "not begun anew: {said:?}");
            check_weights();
            for line in said {
                assert!(line.contains("fit.weights.parts/part-000000.snapshot"), "{line}");
                check_message(&line);
            }
        }
        Err(FitError::Phase(error @ PhaseError::Diverged { .. })) => {
            check_message(&error.to_string());
        }
        Err(error) => panic!("{error}"),
    }
}

/// Resumes a fit with these sections in a sound container.
fn resumed(left: Unfinished, data: &[u8]) -> Result<Resumed, FitError> {
    let provenance = provenance_of(&resumed_fit::sound(left));
    let bytes = container::file(b'R', container::VERSION, &provenance, &sections(data));
    resumed_fit::of(left, &scratch::path("fit.weights"), &bytes)
}

fn sections(data: &[u8]) -> Vec<Section> {
    let mut parts = data.split(|&byte| byte == BETWEEN);
    let mut sections = vec![];
    while let (Some(name), Some(content)) = (parts.next(), parts.next()) {
        sections.push(Section { name: name.to_vec(), ..Section::new("", content) });
    }
    sections
}

/// The provenance in a container's header.
fn provenance_of(sound: &[u8]) -> Vec<u8> {
    let length = u32::from_le_bytes([sound[12], sound[13], sound[14], sound[15]]) as usize;
    sound[16..16 + length].to_vec()
}

fn check_weights() {
    if let Err(error) = Weights::read(&scratch::path("fit.weights")) {
        panic!("weights that cannot be read: {error}");
    }
}
